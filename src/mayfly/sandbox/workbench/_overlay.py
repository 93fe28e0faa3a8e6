"""Read and write the upper layer of an overlay while it is not mounted: what differs from the workspace, and where.

The layer holds copies of what was changed, whiteouts (character devices 0:0) for what was deleted, directories marked
opaque that hide what lies below them, and, where the kernel's own root mounted it, directories that say of which
directory of the workspace they are the new name (redirect).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mayfly.core import InputError
from mayfly.sandbox.workbench._changes import Change
from mayfly.sandbox.workbench._files import (
    dress,
    is_directory,
    link_or_copy,
    look,
    remove,
    remove_tree,
    set_owner,
)

# Links on the way to one path, as the kernel counts them.
_MOST_LINKS = 40


class Place(NamedTuple):
    """Where something of the merged tree really is: in the upper layer, in the workspace, or (a directory) in both."""

    upper: str
    base: str

    @property
    def real(self) -> str:
        """The path that has its contents and mode."""
        return self.upper or self.base


class Difference(NamedTuple):
    """A path that may differ from the workspace, and where its contents are now; nothing where it is gone."""

    path: str
    now: str


class OverlayTree:
    """The merged tree of one workspace and one upper layer."""

    def __init__(self, workspace: str, place: Path, *, hidden: str = "") -> None:
        self.workspace = workspace
        self.place = place
        self.upper = str(place / "upper")
        # A part of the workspace that is not shown: our own state, where it lies inside.
        self._hidden = hidden
        self._root = Place(self.upper, workspace)
        self._prefix = "trusted.overlay." if os.geteuid() == 0 else "user.overlay."
        for name in ("upper", "work", "mask"):
            (place / name).mkdir(exist_ok=True)
        dress(self.upper, workspace)

    def refresh(self) -> None:
        """Follow what happened to the workspace: it lies below, so there is nothing to do."""

    def settle(self, changes: Iterable[Change]) -> None:
        """Give what is to be committed its owners: it has them."""

    def wipe(self) -> None:
        """Forget every change."""
        for name in ("upper", "work"):
            remove_tree(str(self.place / name))
            (self.place / name).mkdir()
        dress(self.upper, self.workspace)

    def differences(self) -> Iterator[Difference]:
        """Yield every path that may differ, parents before what is in them."""
        yield from self._directory("", self._root)

    def _directory(self, path: str, place: Place, *, new: bool = False) -> Iterator[Difference]:
        """Compare one directory of the merged tree with the one in the workspace; a *new* one has none."""
        lower = os.path.join(self.workspace, path) if path else self.workspace
        # Where a link stood, or in a directory that is new, nothing was: what a link leads to is elsewhere.
        if new or (path and os.path.islink(lower)):
            lower = ""
        plain = place.base == lower
        if not place.upper and plain:
            return
        below = _kinds(lower)
        names = _kinds(place.upper)
        merged = dict(names) if plain else _kinds(place.base) | names
        for name in sorted(merged):
            inside = f"{path}/{name}" if path else name
            if inside == self._hidden:
                continue
            child = self._child(place, name)
            yield from self._compare(inside, child, was_directory=below.get(name) == "d", new=not lower)
        if not plain:
            for name in sorted(below.keys() - merged.keys()):
                yield from self._gone(f"{path}/{name}" if path else name)

    def _compare(
        self, path: str, place: Place | None, *, was_directory: bool, new: bool = False
    ) -> Iterator[Difference]:
        if place is None:
            yield from self._gone(path)
            return
        yield Difference(path, place.real)
        if is_directory(place.real):
            yield from self._directory(path, place, new=new)
        elif was_directory:
            yield from self._below(path)

    def _gone(self, path: str) -> Iterator[Difference]:
        yield Difference(path, "")
        yield from self._below(path)

    def _below(self, path: str) -> Iterator[Difference]:
        """Yield all that the workspace has in a directory that is no longer one."""
        for name, kind in sorted(_kinds(os.path.join(self.workspace, path)).items()):
            inside = f"{path}/{name}"
            if inside != self._hidden:
                yield Difference(inside, "")
                if kind == "d":
                    yield from self._below(inside)

    def _child(self, place: Place, name: str) -> Place | None:
        """Return where *name* of a merged directory is, or nothing if it is not there or was deleted."""
        upper = f"{place.upper}/{name}" if place.upper else ""
        base = f"{place.base}/{name}" if place.base else ""
        found = look(upper) if upper else None
        if found is None:
            return Place("", base) if base and look(base) is not None else None
        if is_whiteout(found):
            return None
        if not stat.S_ISDIR(found.st_mode):
            return Place(upper, "")
        return Place(upper, self._base_of(upper, place.base, base))

    def _base_of(self, upper: str, parent: str, base: str) -> str:
        """Return the directory of the workspace that a directory of the upper layer is merged with."""
        if self._attribute(upper, "opaque") == b"y":
            return ""
        redirect = os.fsdecode(self._attribute(upper, "redirect"))
        if redirect.startswith("/"):
            base = self.workspace + redirect
        elif redirect and parent:
            base = f"{parent}/{redirect}"
        return base if base and is_directory(base) else ""

    def _attribute(self, path: str, name: str) -> bytes:
        try:
            return os.getxattr(path, self._prefix + name, follow_symlinks=False)
        except OSError:
            return b""

    def locate(self, path: str, *, follow: bool = True) -> tuple[str, Place | None]:
        """Return the path with its links resolved beneath the workspace, and where it is; nothing if it is not."""
        todo = _parts(path)
        done: list[str] = []
        places: list[Place] = [self._root]
        links = 0
        while todo:
            name = todo.pop(0)
            if name == "..":
                if not done:
                    raise InputError(f"{path!r} leads out of the workspace")
                done.pop()
                places.pop()
                continue
            if not is_directory(places[-1].real):
                raise InputError(f"{'/'.join(done)!r} is no directory")
            child = self._child(places[-1], name)
            if child is None:
                if ".." in todo:
                    raise InputError(f"{path!r} leads through what is not there")
                return "/".join([*done, name, *todo]), None
            if os.path.islink(child.real) and (todo or follow):
                links += 1
                if links > _MOST_LINKS:
                    raise InputError(f"{path!r} leads through more than {_MOST_LINKS} links")
                target = self._inside(os.readlink(child.real), path)
                if target.startswith("/"):
                    done, places = [], places[:1]
                todo = [*_parts(target), *todo]
                continue
            done.append(name)
            places.append(child)
        return "/".join(done), places[-1]

    def _inside(self, target: str, path: str) -> str:
        """Return a link's target as the workspace sees it: from its own root where it is absolute."""
        if not target.startswith("/"):
            return target
        if target != self.workspace and not target.startswith(self.workspace + "/"):
            raise InputError(f"{path!r} is reached by a link that leaves the workspace")
        return "/" + target[len(self.workspace) :].strip("/")

    def names(self, place: Place) -> dict[str, Place]:
        """Return what a merged directory holds."""
        merged = _kinds(place.base) | _kinds(place.upper)
        found = {name: self._child(place, name) for name in merged}
        return {name: child for name, child in sorted(found.items()) if child is not None}

    def keep_only(self, changes: Iterable[Change]) -> None:
        """Make the layer anew from *changes*, whose contents it holds itself or finds in the workspace."""
        old = str(self.place / "upper.old")
        remove_tree(old)
        os.rename(self.upper, old)
        os.mkdir(self.upper)
        dress(self.upper, self.workspace)
        for change in changes:
            moved = change.now.startswith(self.upper + "/")
            now = old + change.now[len(self.upper) :] if moved else change.now
            if change.old_path:
                self.remove(change.old_path)
            if change.after is None:
                self.remove(change.path)
            elif change.after.kind == "directory":
                self._keep_directory(change.path, change.after.mode)
            elif change.after.kind == "special":
                os.rename(now, self._prepare(change.path))
            else:
                place = self._prepare(change.path)
                if change.after.kind == "link":
                    os.symlink(os.readlink(now), place)
                    set_owner(place, os.lstat(now))
                else:
                    link_or_copy(now, place, shared=moved)
        remove_tree(old)

    def _keep_directory(self, path: str, mode: int) -> None:
        _, place = self.locate(path, follow=False)
        if place is None or not is_directory(place.real):
            self._new_directory(path, self._prepare(path))
        target = f"{self._parent(path + '/x').upper}"
        os.chmod(target, mode)

    def put_bytes(self, path: str, data: bytes, mode: int) -> None:
        """Put a file with *data* at *path* of the upper layer."""
        _, before = self.locate(path, follow=False)
        found = os.lstat(before.real) if before is not None else None
        place = self._prepare(path)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
            if found is not None and stat.S_ISREG(found.st_mode):
                set_owner(file.fileno(), found)
                mode = stat.S_IMODE(found.st_mode) & 0o777
            os.fchmod(file.fileno(), mode)

    def make_parents(self, path: str) -> None:
        """Make the directories on the way to *path* that the merged tree does not have."""
        self._parent(path)

    def remove(self, path: str) -> None:
        """Delete *path* from the merged tree."""
        _, place = self.locate(path, follow=False)
        if place is None:
            return
        parent = self._parent(path)
        target = f"{parent.upper}/{path.rpartition('/')[2]}"
        remove(target)
        if parent.base and look(f"{parent.base}/{path.rpartition('/')[2]}") is not None:
            os.mknod(target, stat.S_IFCHR, os.makedev(0, 0))

    def _prepare(self, path: str) -> str:
        """Make the directories on the way and clear the place itself."""
        parent = self._parent(path)
        target = f"{parent.upper}/{path.rpartition('/')[2]}"
        remove(target)
        return target

    def _new_directory(self, path: str, target: str) -> None:
        os.mkdir(target)
        # What the workspace has of that name must not shine through.
        if os.path.lexists(os.path.join(self.workspace, path)):
            os.setxattr(target, self._prefix + "opaque", b"y")

    def _parent(self, path: str) -> Place:
        """Return the directory of *path* with an upper layer of its own, made where it has none."""
        place = self._root
        walked: list[str] = []
        for name in path.split("/")[:-1]:
            walked.append(name)
            child = self._child(place, name)
            if child is None:
                target = f"{place.upper}/{name}"
                remove(target)
                self._new_directory("/".join(walked), target)
                child = Place(target, "")
            elif not is_directory(child.real):
                raise InputError(f"{'/'.join(walked)!r} is no directory")
            elif not child.upper:
                target = f"{place.upper}/{name}"
                os.mkdir(target)
                dress(target, child.base)
                child = Place(target, child.base)
            place = child
        return place


def is_whiteout(found: os.stat_result) -> bool:
    """Say whether this stands for something deleted."""
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == 0


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _kinds(path: str) -> dict[str, str]:
    """Return the names in a directory, each with whether it is one itself; nothing for what is no directory."""
    if not path:
        return {}
    try:
        with os.scandir(path) as entries:
            return {entry.name: "d" if entry.is_dir(follow_symlinks=False) else "-" for entry in entries}
    except (FileNotFoundError, NotADirectoryError):
        return {}
