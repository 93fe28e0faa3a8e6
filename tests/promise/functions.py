"""Functions of a host's own program that another process can import."""

import os

from mayfly.core import Retry
from mayfly.library import capability

CALLS: list[int] = []


@capability(effect="none")
def where_it_ran(number: int) -> dict[str, int]:
    """Return the number, and which process had it."""
    CALLS.append(number)
    return {"number": number, "process": os.getpid()}


@capability(effect="none", retry=Retry(times=2, delay=0.0))
def fails_twice(number: int) -> int:
    """Fail twice, then return the number."""
    CALLS.append(number)
    if len(CALLS) < 3:
        raise ValueError("not yet")
    return number
