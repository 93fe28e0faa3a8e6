"""What a change below a git directory is: what git itself writes there, judged by place and content, or something else.

Only places that are listed here, with a content that belongs there, are git's own. Everything else may be something
that git runs or trusts: a person looks at it. What would be a repository or hooks inside of git's own files is never
right.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, Literal, NamedTuple

from mayfly.core import InputError, open_plain
from mayfly.sandbox.repository._directory import GitDirectory, read_plain
from mayfly.sandbox.repository._refs import ID, LOG_LINE, is_ref_name
from mayfly.sandbox.workbench._changes import Change

GitKind = Literal["data", "index", "never", ""]
# Bytes of objects of one set that are decompressed to see that they are what they are called; a small file may hold
# gigabytes. More takes seconds, and is then shown to a person.
_MOST_UNPACKED: Final = 1 << 30
_CHUNK: Final = 1 << 20
# What follows a listed name: a state file of git is short.
_SMALL: Final = 1 << 20

_HEX = r"[0-9a-f]+"
_ONE_ID = rf"{ID}\n"
_ANY = None
# Files with a place of their own: which content is git's, None where every content is only shown.
_STATES: Final = tuple(
    (re.compile(name), None if content is None else re.compile(content.encode()))
    for name, content in (
        (r"(?:ORIG|CHERRY_PICK|REVERT|REBASE|BISECT)_HEAD|BISECT_EXPECTED_REV|AUTO_MERGE|MERGE_AUTOSTASH", _ONE_ID),
        ("NOTES_MERGE_PARTIAL", _ONE_ID),
        ("MERGE_HEAD", rf"(?:{ID}\n)+"),
        ("FETCH_HEAD", rf"(?:{ID}\t(?:not-for-merge)?\t[^\n]*\n)*"),
        ("MERGE_MODE", r"(?:no-ff)?\n?"),
        (r"MERGE_MSG|SQUASH_MSG|COMMIT_EDITMSG|TAG_EDITMSG|NOTES_EDITMSG|MERGE_RR|description|gc\.log", _ANY),
        ("BISECT_LOG|BISECT_RUN|info/exclude", _ANY),
        ("BISECT_START", r"[\w./-]+\n"),
        ("BISECT_TERMS", r"[\w-]+\n[\w-]+\n"),
        # An old git reads the names with the shell: nothing but words in quotation marks.
        ("BISECT_NAMES", r"(?: ?'[^'\n]*')*\n"),
        ("BISECT_ANCESTORS_OK|BISECT_FIRST_PARENT", rf"(?:{_ONE_ID})?"),
        ("info/refs", rf"(?:{ID}\t[^\n]+\n)*"),
        ("objects/info/packs", rf"(?:P pack-{_HEX}\.pack\n|\n)*"),
        ("objects/info/commit-graphs/commit-graph-chain", rf"(?:{_ONE_ID})*"),
        (rf"rr-cache/{_HEX}/(?:pre|post|this)image(?:\.\d+)?", _ANY),
        # Picks and reverts only: a line that runs something is read in a rebase, which is not listed.
        ("sequencer/todo", r"(?:(?:pick|revert) [0-9a-f]{4,64}(?: [^\n]*)?\n|#[^\n]*\n|\n)*"),
        ("sequencer/(?:head|abort-safety)", rf"(?:{ID}\n?)?"),
        (
            "sequencer/opts",
            r"\[options\]\n(?:\t(?:no-commit|edit|signoff|record-origin|mainline|allow-[a-z-]+) = \w+\n)*",
        ),
        # What is left of a git that was killed; no git reads it.
        (r"gc\.pid|objects/pack/(?:\.tmp-\d+-|tmp_)[\w.-]+|objects/[0-9a-f]{2}/tmp_obj_\w+", _ANY),
        (r"hooks/[\w.-]+\.sample", _ANY),
    )
)
# Files that are known by how they begin; that they hold what they say is seen when the history is checked.
_BEGINS: Final = (
    (re.compile(rf"index|sharedindex\.{_HEX}"), b"DIRC"),
    (re.compile(rf"objects/pack/pack-{_HEX}\.pack"), b"PACK"),
    (re.compile(rf"objects/pack/pack-{_HEX}\.idx"), b"\xfftOc"),
    (re.compile(rf"objects/pack/pack-{_HEX}\.rev"), b"RIDX"),
    (re.compile(rf"objects/pack/pack-{_HEX}\.mtimes"), b"MTME"),
    (re.compile(rf"objects/pack/pack-{_HEX}\.keep"), b""),
    (re.compile(rf"objects/info/(?:commit-graph|commit-graphs/graph-{_HEX}\.graph)"), b"CGPH"),
)
_DIRECTORIES: Final = re.compile(
    rf"objects|objects/(?:[0-9a-f]{{2}}|pack|info|info/commit-graphs)|(?:refs|logs|modules)(?:/.+)?|worktrees(?:/[^/]+)?"
    rf"|info|hooks|branches|sequencer|rr-cache(?:/{_HEX})?|lfs(?:/.*)?"
)
_HEAD: Final = re.compile(rf"(?:{ID}|ref: (refs/heads/\S+))\n".encode())
_REF: Final = re.compile(rf"(?:{ID}|ref: (refs/\S+))\n".encode())
_PACKED: Final = re.compile(rf"#.*|\^{ID}|{ID} (\S+)".encode())
_OBJECT: Final = re.compile(r"objects/([0-9a-f]{2})/([0-9a-f]{38}|[0-9a-f]{62})")
_OBJECT_HEAD: Final = re.compile(rb"(?:blob|tree|commit|tag) (\d{1,19})\0")
_LFS: Final = re.compile(r"lfs/objects/([0-9a-f]{2})/([0-9a-f]{2})/(\1\2[0-9a-f]{60})")
# What may be gone, whether or not git would have written it; the history is checked where something is.
_MAY_GO: Final = re.compile(
    r"(?:objects|refs|logs|rr-cache|sequencer|lfs)/.+|packed-refs|sharedindex\..+|.*\.lock|gc\.pid"
)
_STAYS: Final = re.compile(r"objects/(?:info|pack)|objects/info/(?:http-)?alternates")
_PARTS_OF_ONE: Final = frozenset({"hooks", "objects", "refs", "HEAD"})
_OF_A_REPOSITORY: Final = frozenset({"config", "config.worktree", "commondir", "gitdir", ".git", "hooks"})


@dataclass(kw_only=True)
class _Budget:
    """How much may still be decompressed."""

    left: int = _MOST_UNPACKED


class _Place(NamedTuple):
    """A change of one path, by its name below the git directory."""

    name: str
    change: Change
    budget: _Budget

    @property
    def gone(self) -> bool:
        return self.change.after is None

    @property
    def kind(self) -> str:
        entry = self.change.after or self.change.before
        return "" if entry is None else entry.kind

    @property
    def content(self) -> str:
        """Where what it is now can be read."""
        return self.change.now


def kinds_of(workspace: str, changes: Iterable[Change]) -> dict[str, GitKind]:
    """Return what each changed path is that lies below a `.git`; one that was renamed is there by both its names."""
    whole, budget = tuple(changes), _Budget()
    found: dict[str, GitKind] = {}
    with contextlib.ExitStack() as opened:

        @cache
        def directory(root: str) -> GitDirectory:
            return opened.enter_context(GitDirectory(workspace, root, whole))

        for change in (part for one in whole for part in one.parts()):
            parts = change.path.split("/")
            if ".git" not in parts:
                continue
            at = parts.index(".git") + 1
            has = partial(_is_there, directory, "/".join(parts[:at]))
            kind = _kind(_Place("/".join(parts[at:]), change, budget), has)
            # What is deleted and made again under one name is both.
            found[change.path] = kind if found.get(change.path, kind) == kind else ""
    return found


def _is_there(directory: Callable[[str], GitDirectory], root: str, name: str) -> bool:
    return bool(directory(root).kind(name))


def _kind(place: _Place, has: Callable[[str], bool]) -> GitKind:
    parts = place.name.split("/")
    if parts[0] == "modules":
        return _in_module(place, parts)
    if parts[0] == "worktrees" and len(parts) > 2:
        return _in_other(place, "/".join(parts[2:]))
    try:
        kind = _plain(place, place.name)
    except (OSError, InputError, zlib.error):
        kind = ""
    if not place.gone and (_is_misplaced(place, parts, kind) or _is_repository(parts, has)):
        return "never"
    return kind


def _in_module(place: _Place, parts: list[str]) -> GitKind:
    """Judge a file of a submodule's own repository as one of this one; its name may have several parts."""
    if place.kind == "directory":
        return "data" if "hooks" not in parts else ""
    for at in range(2, len(parts)):
        if _in_other(place, "/".join(parts[at:])):
            return "data"
        if parts[at] in _PARTS_OF_ONE | _OF_A_REPOSITORY:
            break
    return ""


def _in_other(place: _Place, name: str) -> GitKind:
    return "data" if _kind(place._replace(name=name), lambda _: False) in ("data", "index") else ""


def _is_misplaced(place: _Place, parts: list[str], kind: GitKind) -> bool:
    """Whether this would be read as a part of a repository, or be hooks, where git keeps nothing like that."""
    if parts[0] in ("branches", "remotes"):
        return len(parts) > 1 or place.kind != "directory"
    below = parts[1:]
    if place.kind == "directory" or kind:
        # Branches may have such names: of a file with nothing but a ref in it nothing can be taken.
        return ("hooks" in below and (place.kind == "directory" or "hooks" in below[:-1])) or ".git" in below
    return bool(_OF_A_REPOSITORY & set(below))


def _is_repository(parts: list[str], has: Callable[[str], bool]) -> bool:
    """Whether some directory on the way has all that git knows a repository by."""
    found = (at for at in range(1, len(parts)) if parts[at] in _PARTS_OF_ONE)
    return any(all(has("/".join([*parts[:at], one])) for one in ("HEAD", "objects", "refs")) for at in found)


def _plain(place: _Place, name: str) -> GitKind:
    if place.gone:
        return "data" if _may_go(place, name) else ""
    if place.kind == "directory":
        # Hooks in a directory that nobody may enter are none any more.
        locked = name == "hooks" and place.change.before is not None
        return "data" if not locked and (not name or _DIRECTORIES.fullmatch(name)) else ""
    if place.kind != "file":
        return ""
    if not _is_written_by_git(place, name):
        return ""
    return "index" if name == "index" else "data"


def _may_go(place: _Place, name: str) -> bool:
    if place.kind == "directory":
        return ("/" in name and not _STAYS.fullmatch(name)) or name in ("logs", "sequencer", "rr-cache", "branches")
    known = any(pattern.fullmatch(name) for pattern, _ in _STATES)
    return known or bool(_MAY_GO.fullmatch(name) and not _STAYS.fullmatch(name))


def _is_written_by_git(place: _Place, name: str) -> bool:
    if name == "HEAD":
        return _is_ref(place, _HEAD)
    if name.startswith("refs/"):
        return is_ref_name(name) and not name.startswith("refs/replace/") and _is_ref(place, _REF)
    if name.startswith("logs/"):
        logged = name.removeprefix("logs/")
        return (logged == "HEAD" or is_ref_name(logged)) and _is_log(place)
    if name == "packed-refs":
        return _is_packed_refs(place)
    if found := _OBJECT.fullmatch(name):
        return _is_object(place, found[1] + found[2])
    if found := _LFS.fullmatch(name):
        return place.change.after is not None and place.change.after.digest == found[3]
    for pattern, begin in _BEGINS:
        if pattern.fullmatch(name):
            return _begins(place.content, len(begin)) == begin
    for pattern, content in _STATES:
        if pattern.fullmatch(name):
            return content is None or bool(content.fullmatch(read_plain(place.content, most=_SMALL)))
    return False


def _begins(path: str, count: int) -> bytes:
    with open_plain(path) as file:
        return file.read(count)


def _is_ref(place: _Place, pattern: re.Pattern[bytes]) -> bool:
    found = pattern.fullmatch(read_plain(place.content, most=_SMALL))
    return found is not None and (found[1] is None or is_ref_name(found[1].decode("utf-8", "surrogateescape")))


def _is_log(place: _Place) -> bool:
    text = read_plain(place.content).decode("utf-8", "surrogateescape")
    return all(LOG_LINE.fullmatch(line) for line in text.split("\n") if line)


def _is_packed_refs(place: _Place) -> bool:
    """Whether all lines are refs in the order in which git finds them, and none has git show an object for another."""
    lines = read_plain(place.content).splitlines()
    found = [_PACKED.fullmatch(line) for line in lines]
    names = [one[1] for one in found if one is not None and one[1]]
    if None in found or names != sorted(set(names)):
        return False
    replaced = {line for line in lines if b" refs/replace/" in line}
    before = read_plain(place.change.was).splitlines() if replaced and place.change.before is not None else []
    return replaced <= set(before) and all(is_ref_name(name.decode("utf-8", "surrogateescape")) for name in names)


def _is_object(place: _Place, id: str) -> bool:
    """Whether a loose object is what it is called: the hash of what it holds."""
    hashed = hashlib.sha1(usedforsecurity=False) if len(id) == 40 else hashlib.sha256()
    packed = zlib.decompressobj()
    head, size = b"", 0
    with open_plain(place.content) as file:
        while not packed.eof:
            data = packed.unconsumed_tail or file.read(_CHUNK)
            if not data:
                return False
            plain = packed.decompress(data, _CHUNK)
            place.budget.left -= len(plain)
            if place.budget.left < 0:
                return False
            head = head or plain[:32]
            size += len(plain)
            hashed.update(plain)
        rest = packed.unused_data or file.read(1)
    begin = _OBJECT_HEAD.match(head)
    right = begin is not None and size == begin.end() + int(begin[1])
    return right and not rest and hashed.hexdigest() == id
