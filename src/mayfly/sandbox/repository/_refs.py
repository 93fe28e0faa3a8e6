"""What a repository names: its refs, its HEAD, and the commits its reflogs remember."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import NamedTuple

from mayfly.core import InputError
from mayfly.sandbox.repository._directory import GitDirectory

ID = r"(?:[0-9a-f]{40}|[0-9a-f]{64})"
# One line of a reflog: old, new, who, when, and what was done.
LOG_LINE = re.compile(rf"({ID}) ({ID}) [^<>\n]*<[^<>\n]*> (\d+) [+-]\d{{4}}(?:\t[^\n]*)?")
_PACKED = re.compile(rf"({ID}) (\S+)")
_ONE_REF = re.compile(rf"(?:({ID})|ref: *(\S+))\s*")
_BAD_IN_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|[./]$")
# `git gc` itself forgets entries of this age of which the branch knows nothing more (gc.reflogExpireUnreachable).
_LOG_SECONDS = 30 * 86_400
# Refs that lead to refs; git gives up after as many.
_MOST_STEPS = 5


class Anchors(NamedTuple):
    """What keeps commits from being forgotten."""

    refs: dict[str, str]
    """The id of each ref and HEAD, by name; a HEAD whose branch has no commit yet is not among them."""
    logged: frozenset[str]
    """The ids that reflogs name, as long as git keeps entries that nothing else leads to."""

    stashed: frozenset[str] = frozenset()
    """Those of them that are stashes."""

    @property
    def ids(self) -> set[str]:
        """All of them."""
        return {*self.refs.values(), *self.logged}


def is_ref_name(name: str) -> bool:
    """Whether git could have made a ref of this name."""
    return name.startswith("refs/") and len(name) > len("refs/") and not _BAD_IN_REF.search(name)


def read_anchors(directory: GitDirectory) -> Anchors:
    """Return what the files of a git directory name."""
    refs = _packed(directory)
    for name in directory.files("refs"):
        refs[name] = _text(directory, name)
    tops = ["", *(f"{name}/" for name in _work_trees(directory))]
    own = [name for top in tops[1:] for name in directory.files(f"{top}refs")]
    refs |= {name: _text(directory, name) for name in (*(f"{top}HEAD" for top in tops), *own)}
    found = {name: id for name in refs if (id := _follow(lambda one: refs.get(one, ""), name))}
    # Git itself forgets what the log of a ref says that is no longer there.
    logs = [f"{top}logs/HEAD" for top in tops]
    logs += [f"logs/{name}" for name in found if name.startswith("refs/")]
    recent = time.time() - _LOG_SECONDS
    logged = {id for name in logs for id in _logged(_decode(directory.read(name)), since=recent)}
    # Git keeps stashes whatever their age.
    stashes = _decode(directory.read("logs/refs/stash")) if "refs/stash" in found else ""
    stashed = {id for name, id in found.items() if name == "refs/stash"} | _logged(stashes, since=0)
    return Anchors(found, frozenset(logged | stashed), frozenset(stashed))


def resolve_ref(directory: GitDirectory, name: str) -> str:
    """Return the id that a ref has, nothing where there is none."""
    refs = _packed(directory)

    def read(one: str) -> str:
        if one != name and not is_ref_name(one):
            raise InputError(f"nobody can tell which commit {name} is")
        return _text(directory, one) or refs.get(one, "")

    found = _follow(read, name)
    if found is None:
        raise InputError(f"nobody can tell which commit {name} is")
    return found


def _follow(read: Callable[[str], str], name: str) -> str | None:
    """Return the id that a ref leads to, an empty one where it leads to nothing, None where it never ends."""
    for _ in range(_MOST_STEPS):
        found = _ONE_REF.fullmatch(read(name))
        if found is None or found[1]:
            return found[1] if found else ""
        name = found[2]
    return None


def _work_trees(directory: GitDirectory) -> list[str]:
    names = {name.split("/")[1] for name in directory.files("worktrees") if name.count("/") > 1}
    return [f"worktrees/{name}" for name in sorted(names)]


def _packed(directory: GitDirectory) -> dict[str, str]:
    lines = _decode(directory.read("packed-refs")).splitlines()
    return {found[2]: found[1] for line in lines if (found := _PACKED.fullmatch(line))}


def _text(directory: GitDirectory, name: str) -> str:
    return _decode(directory.read(name)[:4096])


def _logged(text: str, *, since: float) -> set[str]:
    entries = (found for line in text.splitlines() if (found := LOG_LINE.fullmatch(line)))
    recent = {id for found in entries if int(found[3]) >= since for id in (found[1], found[2])}
    return {id for id in recent if id.strip("0")}


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
