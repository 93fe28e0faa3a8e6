"""`mayfly packages`: what tools of the library may import beside what this environment has."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._busy import busy
from mayfly.cli._output import AsJson, answer, answer_json, command, group, note, table
from mayfly.cli._who import By, who
from mayfly.core import Settings

if TYPE_CHECKING:
    from mayfly.library import Installed

app = group("Packages for tools of the library, in a place of their own.")


@app.command("list")
def show(*, as_json: AsJson = False) -> None:
    """List what is installed, the newest first, with the hashes of what came."""
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        found = runtime.parts.packages.list()
    if as_json:
        answer_json([_told(one) for one in found])
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
        for line in table(rows):
            answer(line)


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
    if as_json:
        answer_json(_told(made))
    else:
        answer(", ".join(f"{one.name} {one.version}" for one in made.distributions))


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
    if as_json:
        answer_json({"removed": gone.name})
    else:
        answer(f"removed {gone.requirement or gone.name}")


def _told(one: Installed) -> dict[str, object]:
    return {**asdict(one), "place": one.name}
