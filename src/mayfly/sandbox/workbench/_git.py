"""Keep git from taking what stands in the place of a masked file for a change of it.

Git goes by sizes and times, which are the file's own; but where it is not sure (a file as young as its index) it reads.
So what it would store for a masked file is what it has stored, and one it does not know yet is ignored.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable

_CLEAN = """#!/bin/sh
# What git stores for a file: of a masked one, what it has; of any other, its contents.
if grep -qxF -e "$(pwd -P)/$1" {here}/masked; then
    exec git cat-file blob ":$1"
fi
exec cat
"""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/")


def files_for_git(workspace: str, masked: Iterable[str], here: str) -> dict[str, str]:
    """Return the files that git is pointed to, by their paths behind the wall, which are *here*."""
    paths = sorted(masked)
    names = sorted({os.path.basename(path) for path in paths})
    ends = sorted({end for path in paths for end in _ends(path)})
    return {
        f"{here}/masked": "".join(f"{workspace}/{path}\n" for path in paths if "\n" not in path),
        f"{here}/clean": _CLEAN.format(here=shlex.quote(here)),
        f"{here}/attributes": "".join(f"{_pattern(name)} filter=mayfly\n" for name in names),
        f"{here}/ignore": "".join(f"/{_pattern(end)}\n" for end in ends),
    }


def variables_for_git(here: str) -> dict[str, str]:
    """Return the variables that point git to them."""
    settings = {
        "core.checkStat": "minimal",
        "core.attributesFile": f"{here}/attributes",
        "core.excludesFile": f"{here}/ignore",
        "filter.mayfly.clean": f"{shlex.quote(here + '/clean')} %f",
        "filter.mayfly.required": "true",
    }
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def _ends(path: str) -> list[str]:
    """Return the path as it is from each directory above it: which of them holds the repository is not known here."""
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _pattern(name: str) -> str:
    """Return a pattern of git's that fits *name*; a byte that would mean something in it stands for any."""
    return "".join(chr(byte) if byte in _PLAIN else "?" for byte in os.fsencode(name))
