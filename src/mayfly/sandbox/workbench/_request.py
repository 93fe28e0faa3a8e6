"""What a process behind the wall is told about its command: what to show, what to mount, what to run."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mayfly.core import InputError, WorkbenchSettings
from mayfly.sandbox import _cgroup
from mayfly.sandbox._zygote import NEWEST_LANDLOCK
from mayfly.sandbox.workbench._doors import Openings
from mayfly.sandbox.workbench._programs import Seen, environment, home_directory

_CLEAN = """#!/bin/sh
# What git stores for a file: of a masked one, what it has; of any other, its contents.
if grep -qxF -e "$(pwd -P)/$1" {here}/masked; then
    exec git cat-file blob ":$1"
fi
exec cat
"""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/")
# Where Landlock is all there is, root's commands run as one of so many uids from this one on, which nobody has.
_NOBODY, _MANY = 0x6FFE0001, 0xFFFE


def unused_user(level: str) -> int:
    """Return a uid for the commands of one workbench and for nothing else; 0 where they have the uid of this user."""
    return _NOBODY + secrets.randbelow(_MANY) if level == "landlock" and os.geteuid() == 0 else 0


def make_request(
    *,
    words: list[str],
    cwd: str,
    workspace: str,
    alias: str,
    place: Path,
    level: str,
    copy: bool,
    user: int,
    openings: Openings,
    masked: Mapping[str, str],
    variables: Mapping[str, str],
    seen: Seen,
    settings: WorkbenchSettings,
) -> dict[str, Any]:
    """Return one command and the workbench it runs on as plain data."""
    alone = level == "landlock"
    if alone and (openings.hosts or openings.targets):
        raise InputError("hosts cannot be granted at the level landlock", fix="see: mayfly doctor")
    layer = str(place / "copy") if copy else str(place)
    root = layer if alone else workspace
    scratch = {
        "/tmp": str(place / "tmp"),
        "/var/tmp": str(place / "var-tmp"),
        home_directory(): str(place / "home"),
    }
    added = dict(variables)
    files = {"/etc/hosts": _hosts(openings)}
    here = str(place / "run") if alone else "/run/mayfly"
    if masked:
        files |= _files_for_git(root, masked, here)
        added = _variables_for_git(here) | added
    if alone:
        _write_files(files, here)
        added = {"HOME": scratch[home_directory()], "TMPDIR": scratch["/tmp"]} | added
    return {
        "command": words,
        "cwd": _directory(root, cwd),
        "environment": environment(seen, added),
        "workspace": workspace,
        "alias": alias,
        "overlay": layer,
        "mode": "copy" if copy else "overlay",
        "shown": seen.system,
        "links": seen.links,
        "tools": seen.tools,
        "covered": seen.covered,
        "granted": openings.directories,
        "mounts": mounts_below(workspace),
        "scratch": scratch,
        "files": files,
        "ports": [port for _, port in openings.targets],
        "memory": settings.memory,
        "readable": [here] if alone and masked else [],
        "limits": _limits(settings),
        "tasks": settings.tasks,
        "user": user,
        "newest_landlock": NEWEST_LANDLOCK,
    }


def _limits(settings: WorkbenchSettings) -> dict[str, int]:
    """Return limits of each process, and of the number of all of them in a user namespace of their own."""
    limits = {
        "RLIMIT_NPROC": settings.tasks,
        "RLIMIT_CORE": 1,  # not 0, with which a crash handler of the host's would still be given the memory
        "RLIMIT_FSIZE": max(settings.disk, 1),
    }
    try:
        _cgroup.find()
    except _cgroup.NoGroups:
        limits["RLIMIT_DATA"] = settings.memory  # of each process: what it may write to, not what it reserves
    return limits


def _directory(root: str, cwd: str) -> str:
    here = os.path.normpath(os.path.join(root, cwd))
    if here != root and not here.startswith(root + "/"):
        raise InputError(f"{cwd!r} is not below the workspace")
    return here


def _write_files(files: Mapping[str, str], here: str) -> None:
    """Write what a room of its own would hold to the disk, where a command without one can read it."""
    os.makedirs(here, exist_ok=True)
    for path, text in files.items():
        if path.startswith(here + "/"):
            Path(path).write_text(text, encoding="utf-8", errors="surrogateescape")
            os.chmod(path, 0o755)


def _hosts(openings: Openings) -> str:
    """Return the names of hosts behind the wall: granted ones are behind doors on the loopback."""
    granted = "".join(f"127.0.0.1 {host}\n" for host, _ in openings.targets if host != "localhost")
    return f"127.0.0.1 localhost mayfly\n::1 localhost\n{granted}"


def mounts_below(workspace: str) -> list[str]:
    """Return what is mounted below the workspace, the outermost only: an overlay does not cover it."""
    found: list[str] = []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            path = line.split()[4].encode("utf-8", "surrogateescape").decode("unicode_escape")
            path = path.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
            if path.startswith(workspace + "/") and os.path.exists(path):
                found.append(path)
    return sorted({path for path in found if not any(path.startswith(other + "/") for other in found)})


def _files_for_git(workspace: str, masked: Iterable[str], here: str) -> dict[str, str]:
    """Return the files that keep git from taking what stands in the place of a masked file for a change of it.

    They are *here* behind the wall. Git goes by sizes and times, which are the file's own; but where it is not sure (a
    file as young as its index) it reads. So what it would store for a masked file is what it has stored, and one it
    does not know yet is ignored.
    """
    paths = sorted(masked)
    names = sorted({os.path.basename(path) for path in paths})
    ends = sorted({end for path in paths for end in _ends(path)})
    return {
        f"{here}/masked": "".join(f"{workspace}/{path}\n" for path in paths if "\n" not in path),
        f"{here}/clean": _CLEAN.format(here=shlex.quote(here)),
        f"{here}/attributes": "".join(f"{_pattern(name)} filter=mayfly\n" for name in names),
        f"{here}/ignore": "".join(f"/{_pattern(end)}\n" for end in ends),
    }


def _variables_for_git(here: str) -> dict[str, str]:
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
