"""Keep the garbage collector from walking over a growing program again and again: what is read holds no cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Let no collection begin in this block, unless somebody else has the collector paused already."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
