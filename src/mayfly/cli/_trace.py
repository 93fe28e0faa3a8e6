"""`mayfly trace` and `plan`: the tree of a run as the ledger has it, and the tree that an intent would become."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._desk import tell
from mayfly.cli._frame import Shown, ledger_with, opened, show, shows
from mayfly.cli._inputs import given_input, read_context, read_examples, read_ground
from mayfly.cli._output import AsJson, answer, busy, command, note
from mayfly.cli._run import ContextOption, ExamplesOption, InputOption, ModelOption
from mayfly.core import InputError, harmless, one_line, write_whole

if TYPE_CHECKING:
    from mayfly.cli._tree_rows import StyledLine, TreeBranch, TreeRow
    from mayfly.operations import Trace
    from mayfly.promise import Promise
    from mayfly.store import Ledger


@shows
def plan(
    intent: Annotated[str, typer.Argument(help="What to do, in words.", metavar="INTENT")],
    *,
    input: InputOption = None,
    examples: ExamplesOption = None,
    ground: Annotated[
        str | None, typer.Option(help="The value to give where nothing is proven.", metavar="JSON")
    ] = None,
    model: ModelOption = None,
    context: ContextOption = None,
) -> Shown:
    """Print the tree of promises that INTENT would become.

    Budgets, what is to be expected of each promise and what would serve it; nothing is run and no effect happens.
    """
    from mayfly.promise.plan import plan_json

    if not intent.strip():
        raise InputError("the intent is empty", fix='say what to do: mayfly plan "fix the bug in auth module"')
    known, fallback, told = read_examples(examples), read_ground(ground), read_context(context)
    with given_input(input) as given, opened() as runtime:
        tree = runtime.plan(
            intent,
            **given.options(),
            examples=known,
            ground=fallback,
            model=model,
            context=told,
        )
    return Shown(lambda: plan_json(tree), lambda: show_plan(tree))


def show_plan(tree: Promise[Any]) -> None:
    """Print the tree, and on stderr how to have it resolved."""
    from mayfly.cli._tree_rows import branches

    rows = [planned_row(branch) for branch in branches(tree)]
    print_rows(rows)
    idle = sum(row.style == "dim" for row in rows)
    size = f"{len(rows):,} promise{'s' if len(rows) != 1 else ''}"
    grounded = f", {idle} of them ground" if idle else ""
    note(f"{size}{grounded} · nothing was run; to run it: {command()} run INTENT")


def planned_row(branch: TreeBranch) -> TreeRow:
    """Return the line of one promise as it is planned."""
    from mayfly.cli._tree import served_by
    from mayfly.cli._tree_rows import TreeRow
    from mayfly.operations import ground_reason, is_ground

    promise = branch.promise
    middle = f"budget {promise.budget:.2f}"
    if promise.reality is not None:
        middle += f"  {promise.reality.kind} {promise.reality.confidence:.1f}"
    if is_ground(promise):
        return TreeRow(branch, middle, "nothing", one_line(ground_reason(promise)), "dim")
    served, _, missing = served_by(promise).partition(": ")
    return TreeRow(branch, middle, served, missing, "dim" if missing else "")


def print_rows(rows: list[TreeRow]) -> None:
    """Print a tree on stdout: grey and coloured on a terminal, whole lines in a pipe."""
    from mayfly.cli._tree_rows import columns, fitted

    terminal = sys.stdout.isatty()
    print_lines(fitted(rows, columns(sys.stdout), whole=not terminal))


def print_lines(lines: Iterable[StyledLine]) -> None:
    """Print lines on stdout, in their styles where there is a terminal."""
    if not sys.stdout.isatty():
        for line in lines:
            answer(line.text)
        return
    from mayfly.cli._output import Screen

    screen = Screen()
    for line in lines:
        screen.line((line.text, line.style))


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
    from mayfly.operations import Trace
    from mayfly.operations import trace as find

    if html is not None:
        _check_target(html, as_json=as_json)
    with ledger_with() as ledger:
        if html is not None:
            _write_html(ledger, id, html, as_json=as_json)
            return
        found = find(ledger, id)
    if isinstance(found, Trace):
        show(Shown(found.to_json, partial(_show_trace, found)), as_json=as_json)
    else:
        show(Shown(found.to_json, tell(found.events)), as_json=as_json)


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
    hint = f"wrote {one_line(html)} ({len(written):,} bytes); it opens in any browser"
    show(Shown({"id": id, "file": html, "bytes": len(written)}, hint=hint), as_json=as_json)


def _replace(path: Path, data: bytes) -> None:
    """Put *data* in the place of a file at once: there is the old one or the new one."""
    try:
        write_whole(path, data, durable=False, private=False)
    except OSError as error:
        raise InputError(f"cannot write {one_line(str(path))}: {error.strerror or error}") from None


def _show_trace(traced: Trace) -> None:
    from mayfly.cli._tree_rows import branches

    saved = traced.saved
    calls = f"{saved.cost.model_calls} model call{'s' if saved.cost.model_calls != 1 else ''}"
    spent = f" · {saved.cost.money}" if saved.cost.money else ""
    when = saved.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    answer(f"{one_line(traced.run)}  {traced.ending}  {when}  {calls}{spent}")
    costs = traced.costs()
    print_rows([_traced_row(branch, traced, costs) for branch in branches(traced.tree)])
    if traced.node:
        _show_node(traced)
    _show_order(traced)
    if saved.status in ("interrupted", "cancelled", "killed"):
        note(f"go on: {command()} resume {one_line(traced.run)}")


def _traced_row(branch: TreeBranch, traced: Trace, costs: dict[str, dict[str, Any]]) -> TreeRow:
    from mayfly.cli._tree import STYLES, proven_words, served_by, short_ending
    from mayfly.cli._tree_rows import TreeRow

    promise = branch.promise
    state = promise.state.value
    middle = f"budget {promise.budget:.2f}  {short_ending(promise):<9}"
    if state in ("collapsed", "failed"):
        return TreeRow(branch, middle, promise.code or "ground", one_line(promise.reason), STYLES[state])
    if state != "resolved":
        return TreeRow(branch, middle, served_by(promise), "", STYLES[state])
    timing = traced.saved.timings.get(promise.id)
    calls = int(costs.get(promise.id, {}).get("model_calls") or 0)
    words = proven_words(promise, timing, again=promise.id in traced.saved.again)
    return TreeRow(branch, middle, f"{f'{calls} model calls · ' if calls else ''}{words}", "", STYLES[state])


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
