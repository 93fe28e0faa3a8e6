"""Programs of the machine: where they are, and what to type where one is missing."""

from __future__ import annotations

import shutil

from mayfly.core.errors import MachineError

# What brings a program; any other is named in a package of its own name.
_BROUGHT_BY = {
    "cc": "apt install gcc",
    "gcc": "apt install gcc",
    "initdb": "apt install postgresql",
    "mypy": "python -m pip install mypy",
    "postgres": "apt install postgresql",
    "psql": "apt install postgresql-client",
    "pytest": "python -m pip install pytest",
    "ruff": "python -m pip install ruff",
}


def find_program(name: str, needed_for: str) -> str:
    """Return the path of a program, or raise what says how to get it: a tool that is missing is no empty answer."""
    found = shutil.which(name)
    if found is None:
        raise missing_program(name, needed_for)
    return found


def missing_program(name: str, needed_for: str) -> MachineError:
    """Return the error for a program that is not here."""
    return MachineError(f"{name} is not installed: {needed_for}", fix=_BROUGHT_BY.get(name, f"apt install {name}"))
