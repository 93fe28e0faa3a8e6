"""`mayfly sandbox`: run Python behind the wall alone, with no gates before it; and what ran, kept in the ledger."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from mayfly.cli._frame import Shown, show
from mayfly.cli._inputs import read_bytes, why_not, workspace_of
from mayfly.cli._output import AsJson, answer_json, foreign, group, note, to_json
from mayfly.core import (
    InputError,
    MachineError,
    MayflyError,
    SandboxSettings,
    Settings,
    content_hash,
    load_json,
    one_line,
)
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.sandbox import Result
    from mayfly.store import Payload


def ran(result: Result, source: bytes) -> Payload:
    """Return the event of one job; the source is kept as its hash alone."""
    from mayfly.store import SandboxRan

    return SandboxRan(
        status=result.status,
        level=result.level,
        lane=result.lane,
        milliseconds=round(result.milliseconds, 3),
        source_hash=content_hash(source),
        error=one_line(result.error) if result.error else None,
    )


def record(settings: Settings, events: list[Payload], *, subject: str) -> None:
    """Append *events* together; a ledger that cannot be written is said, and changes nothing else."""
    from mayfly.store import Ledger

    sys.stdout.flush()
    try:
        with Ledger.open(settings) as ledger:
            ledger.append_many(events, subject=subject)
    except MayflyError as error:
        note(f"mayfly: not recorded in the ledger: {one_line(str(error))}")


app = group("Run Python behind the wall.")

Lane = Literal["one-shot", "pinned"]
Per = Literal["item", "batch"]
Level = Literal["best", "namespaces", "landlock"]
# What ran is recorded so often: an event alone takes longer than its job.
_RECORD_SECONDS = 0.5


Each = Annotated[
    str | None,
    typer.Option(
        metavar="FILE.jsonl",
        help="Call it with each line of this file, as JSON, on all cores; - is standard input. One line of JSON is "
        "printed for each: a fresh worker each, or with --lane pinned one a core.",
    ),
]


@app.command(name="exec")
def execute(
    file: Annotated[str, typer.Argument(metavar="FILE.py", help="The source to run; - is standard input.")],
    *,
    entry: Annotated[str, typer.Option(metavar="NAME", help="The function, or class with invoke, to call.")],
    argument: Annotated[
        str, typer.Option("--input", metavar="JSON", help="What it is called with; - is standard input.")
    ] = "null",
    timeout: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds on the wall clock.", show_default="sandbox.timeout")
    ] = None,
    grant: Annotated[
        list[str] | None,
        typer.Option(metavar="G", help="Open a door: fs:workspace, net:HOST[:PORT], package. May be repeated."),
    ] = None,
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The directory that fs:workspace opens.")
    ] = None,
    lane: Annotated[Lane, typer.Option(help="A fresh worker, or one kept for this source.")] = "one-shot",
    imports: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Guard imports and builtins; permit these modules only.")
    ] = None,
    tier: Annotated[
        Literal["ephemeral", "memo"] | None, typer.Option(help="Guard imports and builtins as for this tier.")
    ] = None,
    level: Annotated[Level | None, typer.Option(help="Which wall to use.", show_default="sandbox.level")] = None,
    lines: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Call it with the lines of this file, streamed.")
    ] = None,
    each: Each = None,
    traceback: Annotated[bool, typer.Option("--traceback", help="Show the traceback of the job's error.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run one function of FILE.py behind the wall, with no gates before it, and print what it returns."""
    settings = Settings.load()
    _check(file, argument, each, imports=imports, tier=tier, lines=lines)
    read = partial(read_bytes, what="a file of Python source", most=settings.sandbox.source)
    source = read(file)
    value = _parse(read(argument) if argument == "-" else argument)
    options: dict[str, Any] = {
        "timeout": _seconds(timeout, settings.sandbox),
        "grants": tuple(grant or ()),
        "imports": _allowed(imports, tier),
    }
    from mayfly.sandbox import Sandbox

    try:
        with Sandbox(settings.sandbox, level=level, workspace=workspace_of(workspace)) as box:
            if each is not None:
                per: Per = "item" if lane == "one-shot" else "batch"
                worst = _run_each(partial(box.map, source, entry, per=per, **options), each, settings, source)
            else:
                if lines is not None:
                    read_bytes(str(lines), "a file of lines", most=0)
                worst = box.run(source, entry, value, lane=lane, lines=lines, **options)
                show(_shown(worst, traceback=traceback), as_json=as_json)
                record(settings, [ran(worst, source)], subject=content_hash(source)[:12])
    except MachineError as error:
        _refused(error, as_json=as_json)
    if worst.status != "ok":
        raise typer.Exit(4 if worst.status == "refused" and worst.level == "none" else 1)


def _check(
    file: str, argument: str, each: str | None, *, imports: str | None, tier: str | None, lines: Path | None
) -> None:
    if imports is not None and tier is not None:
        raise InputError("--imports and --tier exclude each other", fix="give one of them")
    if [file, argument, each].count("-") > 1:
        raise InputError("FILE, --input and --each cannot share standard input", fix="name a file for one of them")
    if each is not None and (argument != "null" or lines is not None):
        raise InputError("--each says what it is called with", fix="leave out --input and --lines")


def _run_each(call: Callable[[_Items], Iterator[Result]], each: str, settings: Settings, source: bytes) -> Result:
    items = _Items(each)
    worst = _show_each(call(items), settings, source)
    if items.error is not None:
        raise items.error
    if worst is None:
        raise InputError("--each has no line to call it with", fix="give JSON, one value in each line")
    return worst


class _Items:
    """What the lines of a file say, as JSON; where one says nothing it ends, and the error waits for the others."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.error: InputError | None = None

    def __iter__(self) -> Iterator[object]:
        shown = "standard input" if self._name == "-" else self._name
        try:
            with contextlib.nullcontext(sys.stdin.buffer) if self._name == "-" else open(self._name, "rb") as stream:
                for number, line in enumerate(stream, 1):
                    if line.strip():
                        yield _parse(line, f"line {number} of {shown}")
        except InputError as error:
            self.error = error
        except (OSError, ValueError) as error:
            self.error = InputError(f"cannot read {shown}: {why_not(error)}", fix="name a file of JSON lines")


def _show_each(results: Iterator[Result], settings: Settings, source: bytes) -> Result | None:
    """Print each result as it comes, and return one that is not well if there is one."""
    worst, failed, done = None, 0, 0
    events: list[Payload] = []
    due = time.monotonic() + _RECORD_SECONDS
    try:
        for result in results:
            answer_json(_as_data(result))
            events.append(ran(result, source))
            done += 1
            failed += result.status != "ok"
            worst = result if worst is None or worst.status == "ok" else worst
            if time.monotonic() > due:
                record(settings, events, subject=content_hash(source)[:12])
                events, due = [], time.monotonic() + _RECORD_SECONDS
    finally:
        if events:
            record(settings, events, subject=content_hash(source)[:12])
    if failed:
        note(f"mayfly: {failed} of {done} did not end well")
    return worst


def _parse(text: str | bytes, what: str = "--input") -> object:
    try:
        return load_json(text)
    except (ValueError, RecursionError) as error:
        shown = f": {one_line(text, limit=60)}" if isinstance(text, str) else ""
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        fix = "quote text twice: --input '\"text\"'" if what == "--input" else "give JSON, one value in each line"
        raise InputError(f"{what} is not JSON{shown} ({reason})", fix=fix) from None


def _seconds(timeout: float | None, settings: SandboxSettings) -> float:
    if timeout is None:
        return settings.timeout
    if not math.isfinite(timeout) or timeout <= 0:
        raise InputError(f"--timeout must be a number of seconds above 0, not {timeout:g}", fix="try: --timeout 5")
    return timeout


def _allowed(imports: str | None, tier: str | None) -> frozenset[str] | None:
    from mayfly.sandbox import EPHEMERAL_IMPORTS, MEMO_IMPORTS

    if tier is not None:
        return EPHEMERAL_IMPORTS if tier == "ephemeral" else MEMO_IMPORTS
    if imports is None:
        return None
    return frozenset(name.strip() for name in imports.split(",") if name.strip())


def _refused(error: MachineError, *, as_json: bool) -> NoReturn:
    if not as_json:
        raise error
    shown = {"status": "refused", "value": None, "error": str(error), "level": "none", "milliseconds": 0.0}
    answer_json({**shown, "output": "", "traceback": None})
    raise typer.Exit(error.exit_status)


def _shown(result: Result, *, traceback: bool) -> Shown:
    hints = [foreign(result.output.removesuffix("\n"), sys.stderr)] if result.output else []
    if traceback and result.traceback:
        hints.append(foreign(result.traceback.rstrip(), sys.stderr))
    if result.status != "ok":
        hints.append(f"mayfly: {result.status}: {one_line(result.error or 'no reason given')}")
    if sys.stderr.isatty():
        hints.append(f"{result.status} in {result.milliseconds:.1f} ms behind {result.level}")
    return Shown(_as_data(result), to_json(result.value) if result.status == "ok" else (), "\n".join(hints))


def _as_data(result: Result) -> dict[str, object]:
    milliseconds = round(result.milliseconds, 3)
    return {**pick_fields(result, "status value error level output traceback"), "milliseconds": milliseconds}
