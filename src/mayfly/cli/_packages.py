"""`mayfly packages` and `cache`: what tools may import beside what is here, and the agents that are remembered."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, opened, shows
from mayfly.cli._output import (
    By,
    command,
    group,
    table,
    who,
)
from mayfly.core import one_line

if TYPE_CHECKING:
    from mayfly.library import Installed

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
