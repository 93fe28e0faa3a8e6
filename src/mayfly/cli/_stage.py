"""`mayfly stage`: change a built-in tool by a branch, a worktree, stages behind the wall and a fast forward."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, show
from mayfly.cli._inputs import read_bytes
from mayfly.cli._output import AsJson, answer, command, foreign, note, table
from mayfly.core import InputError, Settings, harmless, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.library.staging import Report, StageResult
    from mayfly.runtime import Stager

STATUS = {"passed": 0, "promoted": 0}


def stage(
    tool: Annotated[str | None, typer.Argument(help="A built-in tool, as --list names it.", metavar="TOOL")] = None,
    file: Annotated[
        Path | None, typer.Argument(help="The new source of the file it is written in.", metavar="FILE")
    ] = None,
    *,
    path: Annotated[
        str, typer.Option(help="Which file of the repository, where two define TOOL.", metavar="PATH")
    ] = "",
    message: Annotated[str, typer.Option("--message", "-m", help="What the change is for.", metavar="TEXT")] = "",
    check: Annotated[bool, typer.Option("--check", help="Try it, and take nothing in.")] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the built-in tools and their files.")] = False,
    as_json: AsJson = False,
) -> None:
    """Change a built-in tool, once its change has passed all stages.

    The change is committed on a branch with a worktree of its own and tried there behind the wall: it compiles, the
    tests about it pass, the product starts. Then your branch is fast-forwarded, and of your work tree that one file is
    renewed. Whatever fails leaves all as it was. A crash of the tool in the health window takes the change back.
    """
    from mayfly.runtime import Stager
    from mayfly.store import Ledger

    settings = Settings.load()
    with Ledger.open(settings) as ledger:
        stager = Stager(settings, ledger, tell=None if as_json else _tell)
        if list_them:
            show(_list(stager), as_json=as_json)
            return
        if tool is None or file is None:
            raise InputError("name a tool and a file with its new source", fix="see: mayfly stage --list")
        report = stager.stage(tool, read_bytes(str(file), "a file of Python"), path=path, why=message, merge=not check)
    show(Shown(_fields(report), lambda: _tell_report(report), status=STATUS.get(report.status, 1)), as_json=as_json)


def _list(stager: "Stager") -> Shown:
    # Named as in the repository, also where there is none: nothing but --list works there.
    homes = {name: [f"src/{file}" for file in files] for name, files in sorted(stager.listed().items())}
    rows = [("TOOL", "FILE"), *((name, ", ".join(files)) for name, files in homes.items())]
    return Shown([{"tool": name, "files": files} for name, files in homes.items()], table(rows))


def _tell(result: "StageResult") -> None:
    mark = "ok    " if result.ok else "FAILED"
    note(f"{result.stage:8}  {mark}  {one_line(result.told, limit=300)} ({result.seconds:.1f} s)")


def _tell_report(report: "Report") -> None:
    import sys

    answer(foreign(report.diff, sys.stdout).rstrip("\n"))
    if report.note:
        note(f"judge     {one_line(report.note, limit=500)}")
    for name in report.not_tried:
        note(f"not tried behind the wall: {one_line(name)}")
    match report.status:
        case "passed":
            note(f"passed: {report.path} may be changed; to do it leave --check out")
        case "promoted":
            until = datetime.fromtimestamp(report.until, UTC).strftime("%H:%M:%S UTC")
            note(f"promoted  {report.path} by commit {report.commit[:12]}, watched until {until}")
            note("restart needed: processes that run already have the old one")
        case "rolled_back":
            note(f"taken back: {harmless(report.reason)}")
        case _:
            note(f"mayfly: not taken in: {harmless(report.reason)}; see: {command()} log show {report.id}")


def _fields(report: "Report") -> dict[str, object]:
    stages = [{**pick_fields(one, "stage ok told"), "seconds": round(one.seconds, 3)} for one in report.stages]
    return {
        **pick_fields(report, "status id tool path branch reason diff commit"),
        "stages": stages,
        "judge": report.note,
        "not_tried": list(report.not_tried),
        "watched_until": report.until or None,
    }
