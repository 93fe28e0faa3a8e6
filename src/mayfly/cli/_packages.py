"""`mayfly packages`, `cache` and `stage`: what tools may import, remembered agents, changes of built-in tools."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, opened, show, shows
from mayfly.cli._inputs import read_bytes
from mayfly.cli._output import (
    AsJson,
    By,
    answer,
    command,
    foreign,
    group,
    note,
    table,
    who,
)
from mayfly.core import InputError, Settings, harmless, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.library import Installed
    from mayfly.library.staging import StageResult, StagingReport
    from mayfly.session import Stager

app = group("Packages for tools of the library, in a place of their own.")


@app.command("list")
@shows
def list_packages() -> Shown:
    """List what is installed, the newest first, with the hashes of what came."""
    with opened() as runtime:
        found = runtime.parts.packages.list()
    if not found:
        return Shown([], hint=f"nothing is installed; to begin: {command()} packages install NAME")
    rows = [("package", "version", "sha256", "with", "place")]
    rows += [
        (part.name, part.version, part.sha256[:12], one.requirement, one.name)
        for one in found
        for part in one.distributions
    ]
    rows += [("?", "", "", "its record is lost", one.name) for one in found if not one.distributions]
    return Shown([_package_fields(one) for one in found], table(rows))


@app.command()
@shows
def install(
    requirement: Annotated[str, typer.Argument(help="NAME, NAME==VERSION or the path of a wheel.")],
    *,
    by: By = None,
) -> Shown:
    """Install a package for tools with the grant `package`; wheels only, and never into this environment."""
    with opened("installing") as runtime:
        made = runtime.parts.packages.install(requirement, by=who(by))
    return Shown(_package_fields(made), ", ".join(f"{one.name} {one.version}" for one in made.distributions))


@app.command()
@shows
def remove(
    name: Annotated[str, typer.Argument(help="The package that was asked for, or its place.")], *, by: By = None
) -> Shown:
    """Remove an installation; tools that need it say so from now on."""
    with opened() as runtime:
        gone = runtime.parts.packages.remove(name, by=who(by))
    return Shown({"removed": gone.name}, f"removed {gone.requirement or gone.name}")


def _package_fields(one: Installed) -> dict[str, object]:
    return {**asdict(one), "place": one.name}


cache_app = group("What is remembered: proven agents, by what was asked.")


@cache_app.command("show")
@shows
def show_cache() -> Shown:
    """List the remembered agents, the most recently used first."""
    with opened() as runtime:
        entries = runtime.parts.memo.entries()
    if not entries:
        return Shown([], hint="nothing is remembered")
    data = [
        {"key": key, "intent": agent.intent, "source_hash": agent.artifact.hash, "author": agent.artifact.author}
        for key, agent in entries
    ]
    rows = [
        (one["key"][:12], one["source_hash"][:12], one["author"], one_line(one["intent"], limit=80)) for one in data
    ]
    return Shown(data, table([("key", "source", "author", "intent"), *rows]))


@cache_app.command("clear")
@shows
def clear_cache() -> Shown:
    """Forget every remembered agent; the ledger keeps its record."""
    with opened() as runtime:
        number = runtime.parts.memo.clear()
    return Shown({"forgotten": number}, f"forgot {number} agent{'s' if number != 1 else ''}")


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
    from mayfly.session import Stager
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


def _list(stager: Stager) -> Shown:
    # Named as in the repository, also where there is none: nothing but --list works there.
    homes = {name: [f"src/{file}" for file in files] for name, files in sorted(stager.listed().items())}
    rows = [("TOOL", "FILE"), *((name, ", ".join(files)) for name, files in homes.items())]
    return Shown([{"tool": name, "files": files} for name, files in homes.items()], table(rows))


def _tell(result: StageResult) -> None:
    mark = "ok    " if result.ok else "FAILED"
    note(f"{result.stage:8}  {mark}  {one_line(result.told, limit=300)} ({result.seconds:.1f} s)")


def _tell_report(report: StagingReport) -> None:
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


def _fields(report: StagingReport) -> dict[str, object]:
    stages = [{**pick_fields(one, "stage ok told"), "seconds": round(one.seconds, 3)} for one in report.stages]
    return {
        **pick_fields(report, "status id tool path branch reason diff commit"),
        "stages": stages,
        "judge": report.note,
        "not_tried": list(report.not_tried),
        "watched_until": report.until or None,
    }
