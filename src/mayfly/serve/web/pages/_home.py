"""*Home* and *Runs*: ask something, of a file or of nothing, keep what came of it; and all that was run."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.datastructures import FormData, UploadFile

from mayfly import operations
from mayfly.core import InputError, MayflyError, Outcome, ending_of, one_line, without_secrets_in
from mayfly.operations import outcome_data, search_runs
from mayfly.serve.web._answer import ITEMS, JsonAnswer
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._served import Site
from mayfly.serve.web.api._running import Work
from mayfly.serve.web.api._running import begin as begin_work
from mayfly.serve.web.pages._frame import HERE, page, see, word_in
from mayfly.serve.web.pages._library import examples_in
from mayfly.store import JSON, as_payload, event

if TYPE_CHECKING:
    from mayfly.serve.web._served import ServedRuntime
    from mayfly.store import Ledger

router = APIRouter()
# As many as fit on two screens; further ones are a page away.
_PAGE = 30


@router.get("/runs")
def list_runs(
    request: Request,
    served: Site,
    status: str = "",
    search: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
) -> HTMLResponse:
    """Show runs that stand so and whose words have the text."""
    wanted = (status,) if status in operations.STATUSES else ()
    # What was only compiled has a story and no end: its tool tells the rest.
    found = operations.search_runs(
        served.ledger, last=_PAGE, status=wanted, before=before, search=search, compilations=False
    )
    kept = {name: value for name, value in (("status", "".join(wanted)), ("search", search)) if value}
    older = f"/runs?{urlencode({**kept, 'before': found.next})}" if found.next is not None else ""
    return page(
        request,
        "runs.html",
        runs=found.runs,
        older=older,
        newest=f"/runs?{urlencode(kept)}" if before is not None else "",
        statuses=[("", "all"), *((one, ending_of(one)) for one in operations.STATUSES)],
        chosen="".join(wanted),
        search=search,
        narrowed=bool(kept) or before is not None,
    )


# Runs that are shown beside the question: enough to find the one from a minute ago.
_RECENT = 5
# Characters of pasted lines; more belongs into a file, which is streamed.
_PASTED = 2_000_000


class Sample(NamedTuple):
    """One question that can be asked with a click, and the file it is about."""

    key: str
    intent: str
    file: str


SAMPLES = (
    Sample("statuses", "count requests by status", "access.log"),
    Sample("logins", "count POST requests to /login by status", "access.log"),
    Sample("paths", "top 5 paths by number of requests", "access.log"),
    Sample("revenue", "sum of amount by country", "orders.csv"),
    Sample("minutes", "calculate 365 * 24 * 60", ""),
)


@router.get("/")
def home(request: Request, served: Site, of: str = "") -> HTMLResponse:
    """Show the question, and what was asked last; *of* is a run whose file is asked about once more."""
    ledger = served.ledger
    kept = kept_answer(ledger, of) if of else None
    task = kept[1] if kept else None
    return page(
        request,
        "home.html",
        samples=SAMPLES,
        recent=search_runs(ledger, last=_RECENT, compilations=False).runs,
        figures=ledger.totals(),
        model=served.runtime.settings.models.name,
        of=of if task and task.path else "",
        of_name=task.name if task else "",
    )


@router.post("/ask")
async def ask(request: Request, served: Site) -> RedirectResponse:
    """Begin what was asked for, and show its run."""
    form = await checked_form(request)
    sample = next((one for one in SAMPLES if one.key == word_in(form, "sample")), None)
    if sample is not None:
        path = str(HERE / "samples" / sample.file) if sample.file else ""
        task = PageTask(intent=sample.intent, path=path, name=sample.file)
    else:
        task = await _typed(served, form)
    return see(f"/runs/{await begin(served, task.work(served), task)}")


async def _typed(served: ServedRuntime, form: FormData) -> PageTask:
    intent = word_in(form, "intent")
    if not intent:
        raise InputError("nothing was asked", fix="type what you want to know, such as: count requests by status")
    path, name = await _file(served, form)
    return PageTask(
        intent=intent,
        path=path,
        name=name,
        examples=examples_in(word_in(form, "examples", most=_PASTED)),
        accept_weak=word_in(form, "accept_weak") == "on",
    )


async def _file(served: ServedRuntime, form: FormData) -> tuple[str, str]:
    """Return where the file lies that a question is about, and what it is called."""
    given, pasted = form.get("file"), form.get("lines", "")
    if isinstance(given, UploadFile) and given.filename:
        kept = await asyncio.to_thread(served.uploads.keep, given.filename, given.file)
        return str(kept), one_line(given.filename, limit=200)
    if isinstance(pasted, str) and pasted.strip():
        if len(pasted) > _PASTED:
            raise InputError(f"more than {_PASTED:,} characters were pasted", fix="send them as a file")
        data = io.BytesIO(pasted.replace("\r\n", "\n").encode("utf-8", "replace"))
        return str(await asyncio.to_thread(served.uploads.keep, "lines.txt", data)), "lines.txt"
    if of := word_in(form, "of"):
        kept_before = kept_answer(served.ledger, of)
        task = kept_before[1] if kept_before else None
        if task is not None and task.path:
            return task.path, task.name
    return "", ""


@event("page.answered")
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

    def work(self, served: ServedRuntime) -> Work:
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
            return served.runtime.run(self.intent, **given._replace(name=self.name).options(), **options)

        return done


async def begin(served: ServedRuntime, work: Work, again: PageTask | None = None) -> str:
    """Begin *work* and return the id of its run as soon as it has one; what it gives is kept with the run."""

    def keep(what: str, about: Any) -> None:
        # Not when the work returns: whoever follows the run reads it as soon as its end is recorded.
        if what == "ended" and isinstance(about, Outcome):
            keep_answer(served.ledger, about, again)

    begun = await begin_work(served, work, keep)
    return begun.id if isinstance(begun, Outcome) else begun


def keep_answer(ledger: Ledger, outcome: Outcome[Any], again: PageTask | None) -> None:
    """Keep what a page shows of an outcome."""
    data = JsonAnswer(without_secrets_in(outcome_data(outcome, most=ITEMS))).body
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
