"""`mayfly packages` and `cache`: what tools may import beside what is here, and the agents that are remembered."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import (
    AsJson,
    By,
    answer_either,
    answer_json,
    answer_table,
    busy,
    command,
    group,
    note,
    who,
)
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.library import Installed

app = group("Packages for tools of the library, in a place of their own.")


@app.command("list")
def list_packages(*, as_json: AsJson = False) -> None:
    """List what is installed, the newest first, with the hashes of what came."""
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        found = runtime.parts.packages.list()
    if as_json:
        answer_json([_package_fields(one) for one in found])
    elif not found:
        note(f"nothing is installed; to begin: {command()} packages install NAME")
    else:
        rows = [("package", "version", "sha256", "with", "place")]
        rows += [
            (part.name, part.version, part.sha256[:12], one.requirement, one.name)
            for one in found
            for part in one.distributions
        ]
        rows += [("?", "", "", "its record is lost", one.name) for one in found if not one.distributions]
        answer_table(rows)


@app.command()
def install(
    requirement: Annotated[str, typer.Argument(help="NAME, NAME==VERSION or the path of a wheel.")],
    *,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Install a package for tools with the grant `package`; wheels only, and never into this environment."""
    from mayfly.runtime import Runtime

    with busy("installing"), Runtime(Settings.load()) as runtime:
        made = runtime.parts.packages.install(requirement, by=who(by))
    answer_either(
        _package_fields(made), ", ".join(f"{one.name} {one.version}" for one in made.distributions), as_json=as_json
    )


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The package that was asked for, or its place.")],
    *,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Remove an installation; tools that need it say so from now on."""
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        gone = runtime.parts.packages.remove(name, by=who(by))
    answer_either({"removed": gone.name}, f"removed {gone.requirement or gone.name}", as_json=as_json)


def _package_fields(one: Installed) -> dict[str, object]:
    return {**asdict(one), "place": one.name}


cache_app = group("What is remembered: proven agents, by what was asked.")


@cache_app.command("show")
def show_cache(*, as_json: AsJson = False) -> None:
    """List the remembered agents, the most recently used first."""
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        entries = runtime.parts.memo.entries()
    if as_json:
        answer_json(
            [
                {
                    "key": key,
                    "intent": agent.intent,
                    "source_hash": agent.artifact.hash,
                    "author": agent.artifact.author,
                }
                for key, agent in entries
            ]
        )
    elif not entries:
        note("nothing is remembered")
    else:
        rows = [("key", "source", "author", "intent")]
        rows += [
            (key[:12], agent.artifact.hash[:12], agent.artifact.author, one_line(agent.intent, limit=80))
            for key, agent in entries
        ]
        answer_table(rows)


@cache_app.command("clear")
def clear_cache(*, as_json: AsJson = False) -> None:
    """Forget every remembered agent; the ledger keeps its record."""
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        number = runtime.parts.memo.clear()
    answer_either({"forgotten": number}, f"forgot {number} agent{'s' if number != 1 else ''}", as_json=as_json)
