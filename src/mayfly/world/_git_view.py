"""What git knows of some paths: which it tracks, which the project has it leave out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mayfly.core import MayflyError
from mayfly.sandbox.repository import GitDirectory, GitKind, ObjectStore, path_outside, read_anchors

# Arguments of one command line; more paths than this and all of them are asked for.
_FEW = 500
_SECONDS = 30
# Nothing of the repository's own settings that runs a program; looking takes no lock.
_SAFELY = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--literal-pathspecs")


class GitView(NamedTuple):
    """The paths that git tracks, those that it leaves out, and what changed paths below a .git are."""

    tracked: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    git: Mapping[str, GitKind] = {}


def look_at_git(workspace: Path, paths: Sequence[str]) -> GitView:
    """Ask git about *paths* of the workspace; where there is no repository, or no git, it knows of none."""
    if not paths or not (workspace / ".git").exists():
        return GitView()
    named = paths if len(paths) <= _FEW else ()
    tracked = _ask(workspace, ["ls-files", "-z", "--", *named])
    ignored = _ask(workspace, ["check-ignore", "-z", "--stdin", "--no-index"], given=paths)
    return GitView(frozenset(tracked), frozenset(ignored))


def tracked_files(workspace: Path) -> set[str]:
    """Return the paths that the index or HEAD has; none where there is no repository."""
    if not (workspace / ".git").is_dir():
        return set()
    found = set(_ask(workspace, ["ls-files", "-z"]))
    try:
        with GitDirectory(str(workspace.resolve())) as directory:
            head = read_anchors(directory).refs.get("HEAD", "")
        if head:
            with ObjectStore(workspace, ids="sha1" if len(head) == 40 else "sha256") as store:
                found |= set(store.git("ls-tree", "-r", "-z", "--name-only", head).split("\0"))
    except (MayflyError, OSError):
        # What cannot be read, such as a history that was not fetched whole, the index has.
        pass
    return found - {""}


def _ask(workspace: Path, words: Sequence[str], given: Iterable[str] = ()) -> list[str]:
    environment = {"PATH": path_outside(workspace), "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": "/nonexistent"}
    # Git looks after others' repositories only where it is told to; what is asked here runs nothing of theirs.
    environment |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    try:
        done = subprocess.run(
            ["git", *_SAFELY, *words],
            cwd=workspace,
            env=environment,
            input=b"".join(os.fsencode(path) + b"\0" for path in given),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]
