"""What git knows of the workspace and of some paths; nothing is changed, and nothing that a repository names is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mayfly.core import Asked, Invocation, LimitError, MayflyError
from mayfly.sandbox.repository import Git, GitDirectory, GitKind, ObjectStore, path_outside, read_anchors
from mayfly.world._declare import Schema, takes, tool
from mayfly.world._paths import root_of

_SECONDS = 30.0
_LARGEST = 4 * 1024 * 1024
# What is missing in a clone without all objects is not fetched: a remote may name programs too.
_NOTHING_FETCHED = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
_LISTS: Schema = {"type": "array", "items": {"type": "object", "required": ["path", "change"]}}


def _git(call: Invocation, *arguments: str) -> str:
    git = Git(Path(root_of(call)), "it reads the history of the workspace", seconds=_SECONDS, stop=call.stop)
    told = git(*arguments, variables=_NOTHING_FETCHED)
    if len(told) > _LARGEST:
        raise LimitError("bytes of what git says", used=len(told), limit=_LARGEST)
    return told.decode(errors="replace")


@tool(
    takes(),
    output_schema=_LISTS,
    does="read git status, list git status, list changed file",
    grants=("fs:workspace", "exec"),
    asks=lambda call: (Asked("git_status", "git status"),),
    again=True,
    proves="git says the same a second time",
)
def git_status(call: Invocation) -> list[dict[str, str]]:
    """Show the git status: which files of the workspace are changed, new or deleted."""
    # What is changed inside of a submodule is left out: git would run there with the submodule's own settings.
    words = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
    fields = _git(call, *words).split("\0")
    return [{"change": field[:2].strip(), "path": field[3:]} for field in fields if field]


@tool(
    takes(count={"type": "integer", "minimum": 1, "maximum": 1000, "default": 20}),
    output_schema={"type": "array", "items": {"type": "object", "required": ["commit", "subject"]}},
    does="read git log, list git log, list commit, list last commit, read last commit",
    grants=("fs:workspace", "exec"),
    asks=lambda call: (Asked("git_log", "git log"),),
    again=True,
    proves="git says the same a second time",
)
def git_log(call: Invocation) -> list[dict[str, str]]:
    """Show the git log: the last commits with their authors, dates and subjects."""
    count = int(call.arguments.get("count", 20))
    lines = _git(call, "log", f"-{count}", "--format=%H%x1f%an%x1f%aI%x1f%s").splitlines()
    names = ("commit", "author", "date", "subject")
    return [dict(zip(names, line.split("\x1f"), strict=True)) for line in lines if line]


# Arguments of one command line; more paths than this and all of them are asked for.
_FEW = 500
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
