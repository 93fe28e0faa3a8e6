"""Packages for tools: an agent asks for one by name, and the operator's list or a person says whether it comes."""

from __future__ import annotations

from collections.abc import Callable

from mayfly.core import Asked, InputError, Invocation
from mayfly.library import Installed, package_name
from mayfly.world import TEXT, said, takes, tool

# Install what is named; who puts a session together hands it in.
Install = Callable[[str, Invocation], Installed]


def _asked(call: Invocation) -> Asked:
    """Return what the rules decide about: the package by its name, however it is written."""
    wanted = str(call.arguments["package"]).strip()
    if wanted.endswith(".whl"):
        raise InputError("an agent names a package, a file is installed by a person", fix="write NAME or NAME==VERSION")
    return Asked("package_install", package_name(wanted), wanted)


@tool(
    takes("package", package=said(TEXT, "NAME or NAME==VERSION", minLength=1, maxLength=200)),
    # Fetching the same again changes nothing.
    effect="idempotent",
    asks=lambda call: (_asked(call),),
    seconds=900.0,
)
def package_install(install: Install, call: Invocation) -> str:
    """Have a package installed that tools of the library may import, in a place of its own and never in the environment
    of the project. The answer says which versions came.
    """
    made = install(call.arguments["package"], call)
    came = ", ".join(f"{one.name} {one.version} (sha256 {one.sha256[:12]})" for one in made.distributions)
    return f"installed: {came}. Tools with the grant package can import it."
