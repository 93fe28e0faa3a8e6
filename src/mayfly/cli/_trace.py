"""`mayfly trace`: a tree as the ledger has it, finished or not, and the order in which it came about."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer, answer_json, busy, command, note
from mayfly.cli._why import tell
from mayfly.core import InputError, Settings, harmless, one_line

if TYPE_CHECKING:
    from mayfly.cli._tree_rows import Branch, Row
    from mayfly.operations import Trace
    from mayfly.store import Ledger

# More of the order than this is read by programs only.
ORDER = 200
KINDS = len("effect.unknown")


def trace(
    id: Annotated[str, typer.Argument(help="A run, or a promise of it such as r-7f3a0b12/0.2.1.", metavar="ID")],
    *,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            help="Write one file that any browser opens, with tree, timeline, programs beside their tests and reasons, "
            "and without secrets; - is stdout.",
            metavar="FILE",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the tree of a run, finished or interrupted.

    States, reasons, proofs, seconds and costs of its promises, and the order in which things happened.
    """
    if html is not None:
        _check_target(html, as_json=as_json)
    from mayfly.operations import Trace
    from mayfly.operations import trace as find
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    if ledger is None:
        raise InputError("nothing has been run yet", fix="try: mayfly demo")
    with ledger:
        if html is not None:
            _write_html(ledger, id, html, as_json=as_json)
            return
        found = find(ledger, id)
    if as_json:
        answer_json(found.to_json())
    elif isinstance(found, Trace):
        _show(found)
    else:
        for line in tell(found.events):
            answer(line)


def _check_target(html: str, *, as_json: bool) -> None:
    """Refuse a place that nothing can be written to before anything is read."""
    if html == "-" and as_json:
        raise InputError("--html - and --json both print on stdout: choose one, or name a file")
    if html != "-" and (not html or Path(html).is_dir()):
        raise InputError(f"--html {one_line(html, limit=200)!r} is not a file", fix="name one: --html run.html")


def _write_html(ledger: Ledger, id: str, html: str, *, as_json: bool) -> None:
    from mayfly.serve.trace import trace_page

    with busy("writing the page"):
        page = trace_page(ledger, id)
    if html == "-":
        answer(page)
        return
    written = page.encode()
    _replace(Path(html), written)
    if as_json:
        answer_json({"id": id, "file": html, "bytes": len(written)})
    else:
        note(f"wrote {one_line(html)} ({len(written):,} bytes); it opens in any browser")


def _replace(path: Path, data: bytes) -> None:
    """Put *data* in the place of a file at once: there is the old one or the new one."""
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name[:50]}.", delete=False) as file:
            aside = Path(file.name)
            file.write(data)
        # What a person writes with an editor may be read by whom the directory lets in, and so may this.
        mask = os.umask(0)
        os.umask(mask)
        aside.chmod(0o666 & ~mask)
        aside.replace(path)
    except OSError as error:
        with suppress(OSError, UnboundLocalError):
            aside.unlink()
        raise InputError(f"cannot write {one_line(str(path))}: {error.strerror or error}") from None


def _show(traced: Trace) -> None:
    from mayfly.cli._plan import print_rows
    from mayfly.cli._tree_rows import branches

    saved = traced.saved
    calls = f"{saved.cost.model_calls} model call{'s' if saved.cost.model_calls != 1 else ''}"
    spent = f" · {saved.cost.money}" if saved.cost.money else ""
    when = saved.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    answer(f"{one_line(traced.run)}  {traced.ending}  {when}  {calls}{spent}")
    costs = traced.costs()
    print_rows([_row(branch, traced, costs) for branch in branches(traced.tree)])
    if traced.node:
        _show_node(traced)
    _show_order(traced)
    if saved.status in ("interrupted", "cancelled", "killed"):
        note(f"go on: {command()} resume {one_line(traced.run)}")


def _row(branch: Branch, traced: Trace, costs: dict[str, dict[str, Any]]) -> Row:
    from mayfly.cli._tree_rows import STYLES, Row, proven_words, served_by, short_ending

    promise = branch.promise
    state = promise.state.value
    middle = f"budget {promise.budget:.2f}  {short_ending(promise):<9}"
    if state in ("collapsed", "failed"):
        return Row(branch, middle, promise.code or "ground", one_line(promise.reason), STYLES[state])
    if state != "resolved":
        return Row(branch, middle, served_by(promise), "", STYLES[state])
    timing = traced.saved.timings.get(promise.id)
    calls = int(costs.get(promise.id, {}).get("model_calls") or 0)
    words = proven_words(promise, timing, again=promise.id in traced.saved.again)
    return Row(branch, middle, f"{f'{calls} model calls · ' if calls else ''}{words}", "", STYLES[state])


def _show_node(traced: Trace) -> None:
    """Print what is known of one promise alone: its value, its proof, and the story of the leaf that did it."""
    from mayfly.cli._output import to_json

    promise = traced.tree
    kept = promise.proof is None or traced.saved.has_value(promise)
    shown = one_line(to_json(promise.value), limit=500) if kept else "it was not kept"
    answer(f"value: {shown}" + ("" if promise.proof else "  (ground)"))
    if promise.proof is not None:
        answer(f"proof: {promise.proof.strength}, confidence {promise.proof.confidence:g}: {promise.proof.check}")
        for line in promise.proof.source.splitlines():
            answer(f"  {harmless(line)}")
    for line in tell(traced.story):
        answer(line)


def _show_order(traced: Trace) -> None:
    from mayfly.cli._tree_rows import columns, cut
    from mayfly.operations import event_words, how_long

    start, terminal = traced.saved.at, sys.stdout.isatty()
    since = 0.0
    for event in traced.events[:ORDER]:
        # The order is that of the ledger; a clock that was set back does not make a later event an earlier one.
        since = max(since, (event.at - start).total_seconds())
        node = event.payload.get("node") or event.subject.partition("/")[2]
        happened = event.kind.removeprefix("promise.")
        words = one_line(event_words(event), limit=200)
        line = f"{how_long(since):>9}  {happened:<{KINDS}}  {one_line(str(node or '')):<8}  {words}".rstrip()
        answer(cut(line, columns(sys.stdout)) if terminal else line)
    left = len(traced.events) - ORDER
    if left > 0:
        note(f"and {left:,} more events: {command()} trace {one_line(traced.run)} --json")
