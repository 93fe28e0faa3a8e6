"""`PromotedShelf`: the directory `promoted/`, in git: what proved itself, with tests, votes and provenance.

What lies there is trusted for its signatures alone, never for lying there: whoever loads it checks the votes and has it
pass the gates again. The branch is the truth. A commit is made first, then files and index follow; what a killed
process left undone is done by the next one that changes something, or says `mend`.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mayfly.core import ConflictError, InputError, StoreError, content_hash
from mayfly.library._checkout import read_regular, write_folder
from mayfly.library.promotion._votes import Ballot, Vote, powers_of
from mayfly.sandbox.repository import Git, GitFailed

SOURCE, TESTS, READABLE, RECORD = "tool.py", "tests.json", "test_tool.py", "provenance.json"
FILES = (SOURCE, TESTS, READABLE, RECORD)
# A directory: what the program is called, and the beginning of the hash of its source.
_PLACE = re.compile(r"[a-z][a-z0-9_]{0,63}-[0-9a-f]{12}")
_ASIDE = ".aside-"
_LOCK = "mayfly-promotion.lock"
# Larger files were not written here; the gates refuse far smaller programs.
_LARGEST = 5_000_000


@dataclass(frozen=True, kw_only=True)
class Promoted:
    """One promoted program: the ballot that was voted on, its source and tests, who voted, and where it comes from."""

    ballot: Ballot
    name: str
    source: str
    tests: str
    readable: str
    about: Mapping[str, Any]
    votes: tuple[Vote, ...]
    provenance: Mapping[str, Any]

    @property
    def place(self) -> str:
        """The directory it lies in."""
        return f"{self.name}-{self.ballot.source_hash[:12]}"

    def files(self) -> dict[str, bytes]:
        """Return the content of each file."""
        record = {
            "kind": self.ballot.kind,
            "asked": self.ballot.asked,
            "name": self.name,
            "source_hash": self.ballot.source_hash,
            "tests_hash": self.ballot.tests_hash,
            "about": dict(self.about),
            "votes": [one.to_json() for one in self.votes],
            "provenance": dict(self.provenance),
        }
        told = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        texts = {SOURCE: self.source, TESTS: self.tests, READABLE: self.readable, RECORD: told}
        return {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}

    @classmethod
    def read(cls, place: Path) -> Promoted:
        """Read a directory; a `StoreError` says what is wrong with it."""
        try:
            texts = {name: read_regular(place / name, most=_LARGEST, errors="surrogatepass") for name in FILES}
            record = json.loads(texts[RECORD])
            ballot = Ballot(
                kind=record["kind"],
                asked=str(record["asked"]),
                source_hash=str(record["source_hash"]),
                tests_hash=str(record["tests_hash"]),
                powers=powers_of(record["about"]),
            )
            found = cls(
                ballot=ballot,
                name=str(record["name"]),
                source=texts[SOURCE],
                tests=texts[TESTS],
                readable=texts[READABLE],
                about=dict(record["about"]),
                votes=tuple(Vote.from_json(one) for one in record["votes"]),
                provenance=dict(record["provenance"]),
            )
            if ballot.kind not in ("tool", "agent") or found.place != place.name:
                raise ValueError("its record is that of something else")
            if content_hash(found.source) != ballot.source_hash:
                raise ValueError(f"{SOURCE} was changed since it was voted for")
            # The tests are there as text for people and as data for us: the data is what is signed, and what is run.
            if content_hash(found.tests) != ballot.tests_hash:
                raise ValueError(f"{TESTS} was changed since it was voted for")
        except OSError as error:
            raise StoreError(f"{place.name}: {error.strerror or error}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            said = str(error) if isinstance(error, ValueError) and str(error) else "its record cannot be read"
            raise StoreError(f"{place.name}: {said}") from None
        return found


class PromotedShelf:
    """Read what is promoted, and change it in steps of which each leaves the old state or the new one."""

    def __init__(self, folder: Path, *, own: bool) -> None:
        """Take the directory; an *own* one is a repository of its own, another is part of the one it lies in."""
        self.folder = folder.absolute()
        self._own = own
        self._seen: tuple[int, tuple[Promoted, ...], tuple[str, ...]] | None = None

    # Looking: files alone, no git.

    def entries(self) -> tuple[Promoted, ...]:
        """Return what lies there and is whole; whether its votes count is another question."""
        return self._look()[0]

    def problems(self) -> tuple[str, ...]:
        """Return what lies there and cannot be read."""
        return self._look()[1]

    def with_source(self, source_hash: str) -> Promoted | None:
        """Return the entry for a program."""
        return next((one for one in self.entries() if one.ballot.source_hash == source_hash), None)

    def _look(self) -> tuple[tuple[Promoted, ...], tuple[str, ...]]:
        try:
            moment = os.stat(self.folder).st_mtime_ns
        except OSError:
            return (), ()
        if self._seen is None or self._seen[0] != moment:
            found, wrong = [], []
            for name in sorted(os.listdir(self.folder)):
                if not _PLACE.fullmatch(name):
                    continue
                try:
                    found.append(Promoted.read(self.folder / name))
                except StoreError as error:
                    wrong.append(error.message)
            self._seen = moment, tuple(found), tuple(wrong)
        return self._seen[1], self._seen[2]

    # Changing.

    def put(self, entry: Promoted, message: str) -> str:
        """Commit a program and lay its files down; return the commit."""
        if not _PLACE.fullmatch(entry.place):
            raise InputError(f"{entry.name[:80]!r} is no name for a promoted program")
        with self._changing():
            if entry.place in self._places_in("HEAD"):
                raise ConflictError(f"{entry.place} is promoted already")
            if (self.folder / entry.place).exists():
                raise ConflictError(
                    f"{self.folder / entry.place} is there and not in git", fix="move it away, or commit it yourself"
                )
            files = entry.files()
            changes = [f"100644 {self._git.blob(data)}\t{self._path(entry, name)}" for name, data in files.items()]
            commit = self._commit(changes, message)
            self._mend()
        return commit

    def remove(self, entry: Promoted, message: str) -> str:
        """Commit that a program is gone and take its files away; return the commit. The history keeps it."""
        with self._changing():
            if entry.place not in self._places_in("HEAD"):
                raise ConflictError(f"{entry.place} is not promoted")
            # Out of sight first: where this is all that happened, the next one puts it back from the branch.
            with suppress(FileNotFoundError):
                os.rename(self.folder / entry.place, self._aside())
            changes = [f"0 {self._nothing}\t{self._path(entry, name)}" for name in FILES]
            commit = self._commit(changes, message)
            self._mend()
        return commit

    def mend(self) -> None:
        """Finish what a killed process began; nothing happens where there is no repository yet."""
        if self.folder.is_dir():
            with self._changing():
                pass

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Be the only one who changes it, on a state that is whole."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._begin()
            with self._git.locked(self._directory / _LOCK):
                self._mend()
                yield
        except OSError as error:
            raise StoreError(f"{self.folder}: {error.strerror or error}") from None
        finally:
            self._seen = None

    def _begin(self) -> None:
        """Make the repository where there is none; a second `git init` finishes a first one that was killed."""
        here = Git(self.folder)
        if self._own:
            there = (self.folder / ".git" / "HEAD").exists() and (self.folder / ".git" / "refs").exists()
        else:
            there = here.text("rev-parse", "--is-inside-work-tree", allowed=(0, 128)) == "true"
        if not there:
            here("init", "--quiet", "--template=", "--initial-branch=main")

    @cached_property
    def _git(self) -> Git:
        return Git(self.folder)

    @cached_property
    def _directory(self) -> Path:
        return Path(self._git.text("rev-parse", "--absolute-git-dir"))

    @cached_property
    def _prefix(self) -> str:
        """The directory as the repository names it, with a slash at its end, or nothing."""
        return self._git.text("rev-parse", "--show-prefix")

    @cached_property
    def _nothing(self) -> str:
        """What git writes for no object at all: as many zeros as a hash has digits here."""
        long = self._git.text("rev-parse", "--show-object-format") == "sha256"
        return "0" * (64 if long else 40)

    def _path(self, entry: Promoted, name: str) -> str:
        return f"{self._prefix}{entry.place}/{name}"

    def _aside(self) -> Path:
        return self.folder / f"{_ASIDE}{secrets.token_hex(8)}"

    def _head(self) -> str:
        return self._git.text("rev-parse", "-q", "--verify", "HEAD^{commit}", allowed=(0, 1))

    def _commit(self, changes: Iterable[str], message: str) -> str:
        """Put *changes* of the index on top of the branch."""
        head = self._head()
        index = self._directory / f"mayfly-promotion-{secrets.token_hex(8)}"
        commit = self._git.commit(changes, parent=head, message=message, index=index)
        try:
            self._git("update-ref", "-m", "mayfly promotion", "HEAD", commit, head or self._nothing)
        except GitFailed as error:
            raise ConflictError(f"the branch moved meanwhile ({error.message})", fix="try again") from None
        return commit

    def _places_in(self, commit: str) -> dict[str, dict[str, str]]:
        """Return the files of each program as a commit has them, as name and blob."""
        if not self._head():
            return {}
        listed = self._git.lines(
            "ls-tree", "-r", "--full-tree", commit, "--", *([self._prefix] if self._prefix else [])
        )
        return _by_place((line.partition("\t")[2], line.split()[2]) for line in listed if self._is_ours(line))

    def _places_staged(self) -> dict[str, dict[str, str]]:
        listed = self._git.lines("ls-files", "-s", "--full-name")
        return _by_place((line.partition("\t")[2], line.split()[1]) for line in listed if self._is_ours(line))

    def _is_ours(self, line: str) -> bool:
        path = line.partition("\t")[2]
        if not path.startswith(self._prefix):
            return False
        place, _, name = path[len(self._prefix) :].partition("/")
        return name in FILES and bool(_PLACE.fullmatch(place))

    def _mend(self) -> None:
        """Let files and index follow the branch."""
        for left in self.folder.glob(f"{_ASIDE}*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in self._directory.glob("mayfly-promotion-*"):
            left.unlink(missing_ok=True)
        kept, staged = self._places_in("HEAD"), self._places_staged()
        for place, blobs in kept.items():
            if not (self.folder / place).exists():
                self._lay_down(place, blobs)
        changes = [
            f"100644 {blob}\t{self._prefix}{place}/{name}"
            for place, blobs in kept.items()
            for name, blob in blobs.items()
            if staged.get(place, {}).get(name) is None
        ]
        changes += [
            f"0 {self._nothing}\t{self._prefix}{place}/{name}"
            for place, blobs in staged.items()
            for name in blobs
            if place not in kept and not (self.folder / place).exists()
        ]
        if changes:
            self._git.change_index(changes)

    def _lay_down(self, place: str, blobs: Mapping[str, str]) -> None:
        aside = self._aside()
        write_folder(aside, {name: self._git.content(blob) for name, blob in blobs.items()})
        os.rename(aside, self.folder / place)


def _by_place(files: Iterator[tuple[str, str]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for path, blob in files:
        place, _, name = path.rpartition("/")
        found.setdefault(place.rpartition("/")[2], {})[name] = blob
    return found
