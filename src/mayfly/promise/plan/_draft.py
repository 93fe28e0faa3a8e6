"""A plan before it becomes promises: what rules or a model say, not yet judged."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core import UNSET
from mayfly.promise._promise import Combine


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One step as somebody proposes it.

    *uses* names the capability that a rule means for it, and *plain* is its intent without the words of the user, by
    which that is judged. A step *by_example* can be written without a model once there is data; one that is *fed* gets
    some from what comes before its plan, and one that *takes* nothing works on what its own words name. *open* asks for
    a plan of its own; *note* is kept as a reason.
    """

    name: str
    intent: str
    needs: tuple[str, ...] = ()
    combine: Combine = "last"
    argument: object = UNSET
    uses: str = ""
    plain: str = ""
    by_example: bool = False
    fed: bool = False
    takes: bool = True
    steps: tuple[Draft, ...] = ()
    open: bool = False
    note: str = ""
