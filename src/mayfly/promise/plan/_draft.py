"""A plan before it becomes promises: what rules or a model say, not yet judged."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from mayfly.core import UNSET
from mayfly.promise._promise import Combine


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One step as somebody proposes it.

    It is served by the *capability* with the *argument*, by its *steps*, by one copy of *template* for every item of
    *each*, or else has to be written: *by_example* where data is enough for that; one that is *fed* gets some from
    what comes before its plan. *open* asks for a plan of its own; *note* is kept as a reason.
    """

    name: str
    intent: str
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    combine: Combine = "last"
    capability: str = ""
    argument: object = UNSET
    steps: tuple[Draft, ...] = ()
    each: object = UNSET
    template: Draft | None = None
    by_example: bool = False
    fed: bool = False
    open: bool = False
    # What a model wants to call that there is not, which may be made.
    missing: str = ""
    note: str = ""


def served_here(draft: Draft, there: Container[str]) -> Draft:
    """Return a step that names only capabilities that are *there*: some come with a model, or with a program."""
    draft = replace(draft, steps=tuple(served_here(step, there) for step in draft.steps))
    if not draft.capability or draft.capability in there:
        return draft
    told = f"the plan names a capability {draft.capability!r}, which there is not"
    return replace(draft, capability="", argument=UNSET, note=f"{draft.note}; {told}".strip("; "))
