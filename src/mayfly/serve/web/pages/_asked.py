"""Ask something from a page: the task goes on by itself, and what came of it is kept for the page that shows it.

A run of one agent leaves its story in the ledger and no value; who asked on a page comes back to an address, perhaps in
another process of the server, so the answer is kept beside the story.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, MayflyError, Outcome, without_secrets_in
from mayfly.operations import outcome_data
from mayfly.serve.web._answer import ITEMS, Answer
from mayfly.serve.web.api._running import Work
from mayfly.serve.web.api._running import begin as begin_work
from mayfly.store import JSON, as_payload, event

if TYPE_CHECKING:
    from mayfly.serve.web._served import Served
    from mayfly.store import Ledger


@event("page.answered")
@dataclass(frozen=True, kw_only=True)
class PageAnswered:
    """Record what a page shows of a run that was asked for on one: the blob of its outcome, and how to ask again."""

    answer: str
    again: JSON = None


@dataclass(frozen=True, kw_only=True)
class PageTask:
    """A task as a page asks for it: what, of which file, and what a person has settled about it."""

    intent: str
    path: str = ""
    name: str = ""
    examples: tuple[Mapping[str, Any], ...] = ()
    reading: str = ""
    bad_lines: str = "ask"
    accept_weak: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**vars(self), "examples": list(self.examples)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PageTask:
        """Read it back."""
        kept = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**{**kept, "examples": tuple(kept.get("examples", ()))})

    def work(self, served: Served) -> Work:
        """Return what does it."""
        from mayfly.core import UNSET, read_input_file

        options: dict[str, Any] = {"examples": self.examples, "reading": self.reading, "bad_lines": self.bad_lines}
        # A reading that was chosen leaves nothing for a model to decide.
        options |= {"accept_weak": self.accept_weak, "model": "" if self.reading else None}
        model = served.runtime.settings.models.name

        def done() -> Outcome[Any]:
            if not self.path:
                return served.runtime.run(self.intent, input=UNSET, **options)
            if not Path(self.path).exists():
                raise InputError(f"the file {self.name} is not kept any more", fix="send it again")
            given = read_input_file(Path(self.path), "the file", objects_as_lines=not model and not self.examples)
            return served.runtime.run(self.intent, input=given.value, lines=given.lines, name=self.name, **options)

        return done


async def begin(served: Served, work: Work, again: PageTask | None = None) -> str:
    """Begin *work* and return the id of its run as soon as it has one; what it gives is kept with the run."""

    def keep(what: str, about: Any) -> None:
        # Not when the work returns: whoever follows the run reads it as soon as its end is recorded.
        if what == "ended" and isinstance(about, Outcome):
            keep_answer(served.ledger, about, again)

    begun = await begin_work(served, work, keep)
    return begun.id if isinstance(begun, Outcome) else begun


def keep_answer(ledger: Ledger, outcome: Outcome[Any], again: PageTask | None) -> None:
    """Keep what a page shows of an outcome."""
    data = Answer(without_secrets_in(outcome_data(outcome, most=ITEMS))).body
    task = None if again is None else as_payload(without_secrets_in(again.to_json()))
    ledger.append(PageAnswered(answer=ledger.put_blob(bytes(data)), again=task), subject=outcome.id)


def kept_answer(ledger: Ledger, run: str) -> tuple[dict[str, Any], PageTask | None] | None:
    """Return the outcome that was kept of a run and the task it came from; None where none was asked for on a page."""
    found = ledger.last(kind="page.answered", subject=run)
    if found is None or not isinstance(found.data, PageAnswered):
        return None
    try:
        data: dict[str, Any] = json.loads(ledger.get_blob(found.data.answer))
    except (MayflyError, ValueError):  # an archive or a copy without its blobs
        return None
    again: Any = found.data.again
    return data, PageTask.from_json(again) if isinstance(again, dict) else None
