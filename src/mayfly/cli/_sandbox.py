"""`mayfly sandbox`: run Python behind the wall alone, with no gates before it."""

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

from mayfly.cli import _typer as typer
from mayfly.cli._inputs import workspace_of
from mayfly.cli._output import AsJson, answer, answer_json, foreign, group, note, to_json
from mayfly.cli._record import ran, record
from mayfly.core import InputError, MachineError, SandboxSettings, Settings, content_hash, one_line

if TYPE_CHECKING:
    from mayfly.sandbox import Result

app = group("Run Python behind the wall.")

Lane = Literal["one-shot", "pinned"]
Level = Literal["best", "namespaces", "landlock"]


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
    traceback: Annotated[bool, typer.Option("--traceback", help="Show the traceback of the job's error.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run one function of FILE.py behind the wall, with no gates before it, and print what it returns."""
    if imports is not None and tier is not None:
        raise InputError("--imports and --tier exclude each other", fix="give one of them")
    settings = Settings.load()
    if file == "-" and argument == "-":
        raise InputError("FILE and --input cannot both be standard input", fix="name a file for one of them")
    source = _read(file, settings.sandbox)
    value = _parse(_read(argument, settings.sandbox) if argument == "-" else argument)
    from mayfly.sandbox import Sandbox

    try:
        with Sandbox(settings.sandbox, level=level, workspace=workspace_of(workspace)) as box:
            result = box.run(
                source,
                entry,
                value,
                timeout=_seconds(timeout, settings.sandbox),
                grants=tuple(grant or ()),
                lane=lane,
                imports=_allowed(imports, tier),
                lines=_readable(lines),
            )
    except MachineError as error:
        _refused(error, as_json=as_json)
    _show(result, as_json=as_json, traceback=traceback)
    record(settings, [ran(result, source)], subject=content_hash(source)[:12])
    if result.status != "ok":
        raise typer.Exit(4 if result.status == "refused" and result.level == "none" else 1)


def _read(name: str, settings: SandboxSettings) -> bytes:
    """Read a file or standard input, one byte further than the sandbox takes, so that it can say what is too much."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(settings.source + 1)
        with open(name, "rb") as stream:
            return stream.read(settings.source + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {name}: {_reason(error)}", fix="name a file of Python source") from None


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def _parse(text: str | bytes) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        shown = text if isinstance(text, str) else "standard input"
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InputError(
            f"--input is not JSON: {one_line(shown, limit=60)} ({reason})", fix="quote text twice: --input '\"text\"'"
        ) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _seconds(timeout: float | None, settings: SandboxSettings) -> float:
    if timeout is None:
        return settings.timeout
    if not math.isfinite(timeout) or timeout <= 0:
        raise InputError(f"--timeout must be a number of seconds above 0, not {timeout:g}", fix="try: --timeout 5")
    return timeout


def _readable(lines: Path | None) -> Path | None:
    try:
        if lines is not None:
            lines.open("rb").close()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {lines}: {_reason(error)}", fix="name a file of lines") from None
    return lines


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


def _show(result: "Result", *, as_json: bool, traceback: bool) -> None:
    if as_json:
        answer_json(
            {
                "status": result.status,
                "value": result.value,
                "error": result.error,
                "level": result.level,
                "milliseconds": round(result.milliseconds, 3),
                "output": result.output,
                "traceback": result.traceback,
            }
        )
    else:
        _show_plain(result, traceback=traceback)


def _show_plain(result: "Result", *, traceback: bool) -> None:
    if result.output:
        printed = foreign(result.output, sys.stderr)
        sys.stderr.write(printed if printed.endswith("\n") else printed + "\n")
    if traceback and result.traceback:
        note(foreign(result.traceback.rstrip(), sys.stderr))
    if result.status == "ok":
        answer(to_json(result.value))
    else:
        note(f"mayfly: {result.status}: {one_line(result.error or 'no reason given')}")
    if sys.stderr.isatty():
        note(f"{result.status} in {result.milliseconds:.1f} ms behind {result.level}")
