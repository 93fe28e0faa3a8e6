"""An observer of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mayfly.promise import Promise


@dataclass(kw_only=True)
class RunWatch:
    """An observer that knows which leaves began and how often, and lets a test act in the middle of a run."""

    when: Callable[[RunWatch], None] | None = None
    after: int = 2
    run: Promise[Any] | None = None
    began: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    other: list[tuple[str, Any]] = field(default_factory=list)

    def __call__(self, what: str, about: Any) -> None:
        """Note what happened, and act once when *after* parts are proven."""
        if what == "planned":
            self.run = about
        if what != "node":
            self.other.append((what, about))
            return
        if about.state == "resolving":
            self.began.append(about.id)
        elif about.state == "resolved" and (about.needs or about.work.kind == "run"):
            self.ended.append(about.id)
            if self.when is not None and len(self.ended) == self.after:
                act, self.when = self.when, None
                act(self)
