"""The facts of a set of changes: what a command or a file tool did to the files of the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from mayfly.core import InputError, secret_path
from mayfly.mangle import Name
from mayfly.policy.kernel.facts._paths import INSIDE, LONGEST, UNCLEAR, names_of_path, place_in_git, suffixes_of
from mayfly.policy.kernel.facts._symbols import Fact, symbol

KINDS: Final = frozenset({"created", "changed", "deleted", "renamed", "mode", "link", "replaced"})
ENTRIES: Final = frozenset({"file", "directory", "link", "special"})
IN_GIT: Final = frozenset({"", "data", "index", "never"})
_PENDING, _PATH, _SECRET = symbol("pending_change"), symbol("action_path"), symbol("path_secret")
_PART, _SUFFIX = symbol("action_path_part"), symbol("action_path_suffix")
_WORDS: Final = {text: Name(f"/{text}") for text in (*KINDS, *ENTRIES, "tracked", "ignored", "untracked")}
_STEPS: Final = frozenset({"", ".", ".."})
_SETUID, _SETGID = 0o4000, 0o2000
# Where a machine keeps programs and libraries; a virtual environment links to its interpreter there.
_PROGRAMS: Final = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/opt/", "/nix/store/")


class FileChange(NamedTuple):
    """One change of a file of the workspace, as plain data; paths are relative to the workspace."""

    kind: str
    """created, changed, deleted, renamed, mode, link or replaced (one kind of entry by another)."""
    path: str
    old_path: str = ""
    """Where it was, of something renamed."""
    entry: str = "file"
    """file, directory, link or special: what is there now, or was there where it is deleted."""
    target: str = ""
    """Where a link leads."""
    to_program: bool = False
    """Whether a link leads to programs that the workbench shows besides those of the system."""
    mode_bits: int = 0
    tracked: bool = False
    """Whether git tracks the file (the old path of one that is renamed)."""
    ignored: bool = False
    """Whether the project has git leave the path out."""
    empty: bool = False
    """Whether the file has nothing in it now."""
    same_code: bool = False
    """Whether a changed file of exact versions names the same code as before, word for word."""
    git: str = ""
    """What it is below a .git by place and content: "data" of git, its "index", "never" right, or none of these."""
    old_git: str = ""
    """The same of the old path, of something renamed."""

    @property
    def removes(self) -> bool:
        """Whether a file is gone afterwards, or all that was in it."""
        return self.kind in ("deleted", "replaced") or (self.kind == "changed" and self.entry == "file" and self.empty)


class SetFacts(NamedTuple):
    """What is known of a set of changes as a whole, by who looked at the repository and at what undo keeps."""

    removed: int | None = None
    """How many files that git tracks are gone with it in the whole session; else those of the set are counted."""
    lost: tuple[str, ...] = ()
    """What of git's history would be lost."""
    unkept: int = 0
    """How many bytes more than undo keeps would be needed to take it back."""


class ChangeFacts(NamedTuple):
    """A set of changes for the rules: the facts of the whole set, and each path with what happens there."""

    whole: list[Fact]
    rows: list[tuple[str, FileChange]]
    """By the name under which rules know the path; one that is renamed is there with both its paths."""
    only: frozenset[str] | None = None
    """Where given, other names and suffixes are left out: no rule can tell them apart."""

    def of(self, first: int, last: int) -> list[Fact]:
        """Return the facts of some of the rows."""
        facts: list[Fact] = []
        for name, change in self.rows[first:last]:
            facts += _facts(name, change, self.only)
        return facts


def changes_of(
    changes: Iterable[FileChange],
    *,
    id: str,
    spoken_of: frozenset[str],
    every_name: bool = True,
    whole: SetFacts = SetFacts(),  # noqa: B008 -- it cannot be changed
) -> ChangeFacts:
    """Check a set of changes and put it in order, so that the same set gives the same facts.

    *spoken_of* is every text that the rules have among their facts: only such names are facts of the whole set, and
    without *every_name* of each path as well.
    """
    rows: list[tuple[str, FileChange]] = []
    names: set[str] = set()
    removed = 0
    for change in changes:
        _check(change)
        removed += change.tracked and change.removes
        if change.kind == "renamed" and change.old_path:
            gone = change._replace(kind="deleted", path=change.old_path, old_path="", git=change.old_git)
            rows.append((_name(change.old_path), gone))
            # What git knows is the old path; the new one is a file that it does not know yet.
            change = change._replace(old_path="", tracked=False)
        if change.kind != "deleted":
            names.add(change.path.rpartition("/")[2].lower())
        rows.append((_name(change.path), change))
    rows.sort(key=lambda row: (row[0], row[1]))
    facts: list[Fact] = [(symbol("changed_name"), (name,)) for name in sorted(names & spoken_of)]
    facts.append((symbol("removed_tracked"), (id, removed if whole.removed is None else whole.removed)))
    facts += [(symbol("history_lost"), (id, _name(what))) for what in whole.lost]
    if whole.unkept:
        facts.append((symbol("beyond_undo"), (id, whole.unkept)))
    return ChangeFacts(facts, rows, None if every_name else spoken_of)


def _check(change: FileChange) -> None:
    if change.kind not in KINDS or change.entry not in ENTRIES or not {change.git, change.old_git} <= IN_GIT:
        raise InputError(f"a change is not {change.kind[:40]!r} of a {change.entry[:40]!r}")


def _name(path: str) -> str:
    """Return a path as text that can be written anywhere: what is no text in it is spelled out."""
    return path if path.isascii() else path.encode("utf-8", "backslashreplace").decode("utf-8")


def _facts(name: str, change: FileChange, only: frozenset[str] | None) -> list[Fact]:
    path = change.path
    names = names_of_path(path)
    tracked = "tracked" if change.tracked else "ignored" if change.ignored else "untracked"
    facts: list[Fact] = [
        (_PENDING, (name, _WORDS[change.kind], _WORDS[change.entry], _WORDS[tracked])),
        (_PATH, (name, name, Name(_where(path)))),
    ]
    facts += [(_PART, (name, part)) for part in dict.fromkeys(names) if only is None or part in only]
    facts += [(_SUFFIX, (name, suffix)) for suffix in suffixes_of(names) if only is None or suffix in only]
    secret = secret_path(path)
    if secret:
        facts.append((_SECRET, (name, secret)))
    if ".git" in names:
        facts.append((symbol("git_file"), (name, *(place_in_git(names) or ("", "")))))
        if change.git:
            facts.append((symbol("git_holds"), (name, Name(f"/{change.git}"))))
    if change.kind != "deleted":
        facts += _now(name, change)
    return facts


def _now(name: str, change: FileChange) -> Iterator[Fact]:
    """Yield what is only true of something that is there afterwards."""
    if change.mode_bits & _SETUID:
        yield symbol("change_mode"), (name, Name("/setuid"))
    # A directory hands its group on to what is made in it; that gives nobody any rights.
    if change.mode_bits & _SETGID and change.entry != "directory":
        yield symbol("change_mode"), (name, Name("/setgid"))
    if change.same_code:
        yield symbol("change_same_code"), (name,)
    if change.entry == "link":
        yield symbol("change_link"), (name, _name(change.target), Name(_link_leads(change)))
        secret = secret_path(change.target)
        if secret:
            yield symbol("path_secret"), (name, secret)


def _where(path: str) -> str:
    bad = len(path) > LONGEST or "\0" in path or not _STEPS.isdisjoint(path.split("/"))
    return UNCLEAR if bad else INSIDE


def _link_leads(change: FileChange) -> str:
    """Say where a link leads, by its text alone.

    Steps up count only where the text begins with them: after a name that is itself a link they would lead elsewhere
    than they seem to.
    """
    path, target = change.path, change.target
    steps = [step for step in target.split("/") if step not in ("", ".")]
    up = next((at for at, step in enumerate(steps) if step != ".."), len(steps))
    if not target or "\0" in target or ".." in steps[up:]:
        return "/outside"
    if target.startswith("/"):
        shown = change.to_program or f"{target}/".startswith(_PROGRAMS)
        return "/programs" if up == 0 and shown else "/outside"
    return "/inside" if up <= path.count("/") else "/outside"
