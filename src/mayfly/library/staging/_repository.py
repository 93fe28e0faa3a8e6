"""`Repository`: the product's own repository; every step leaves its branch, its work tree and its index old or new."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from mayfly.core import ConflictError, InputError, MachineError, content_hash
from mayfly.sandbox.repository import WHO, Git, GitFailed

BRANCHES = "agent/builtin-mod"
# Directories of worktrees are called so and by their repository, and nobody else's are touched.
_PLACE = "mayfly-worktree-"
_LOCK = "mayfly-staging.lock"
_PART = "mayfly-staging-"
# What git leaves in its directory while somebody is in the middle of something.
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply")


@dataclass(frozen=True, kw_only=True)
class GitEntry:
    """A file as git has it: its mode and the hash of its content."""

    mode: str
    blob: str


@dataclass(frozen=True, kw_only=True)
class BranchHead:
    """The branch that the running tree is on, and its newest commit."""

    ref: str
    commit: str

    @property
    def name(self) -> str:
        """What the branch is called."""
        return self.ref.removeprefix("refs/heads/")


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """What a killed process left: a branch of ours, a worktree, or both."""

    branch: str
    place: str

    def told(self) -> str:
        """Name it."""
        parts = [f"branch {self.branch}" if self.branch else "", f"worktree {self.place}" if self.place else ""]
        return ", ".join(part for part in parts if part)


class Repository:
    """A repository with a work tree that programs run from."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.git = Git(self.root)
        self.directory = Path(self.git.text("rev-parse", "--absolute-git-dir"))
        self.common = (self.root / self.git.text("rev-parse", "--git-common-dir")).resolve()
        self._places = f"{_PLACE}{content_hash(str(self.common))[:12]}-"

    @classmethod
    def of(cls, package: Path) -> Repository:
        """Return the repository that *package*, a directory, is tracked in; an installed one is in none."""
        for above in (package, *package.parents):
            if (above / ".git").exists():
                found = cls(above)
                if found.git.lines("ls-files", "--", str(package / "__init__.py")):
                    return found
                break
        raise MachineError(
            f"staging needs the git repository, and {package} is in none",
            fix="clone the repository and run ./mayfly stage there",
        )

    def lock(self) -> AbstractContextManager[None]:
        """Be the only one who stages here; a killed one holds nothing any more."""
        return self.git.locked(self.common / _LOCK, busy="something else is being staged here")

    def head(self) -> BranchHead:
        """Return where the running tree stands; somebody in the middle of a merge is not disturbed."""
        ref = self.git.text("symbolic-ref", "-q", "HEAD", allowed=(0, 1))
        if not ref:
            raise ConflictError("the repository is on no branch", fix="git switch main")
        for name in _UNDER_WAY:
            if (self.directory / name).exists():
                what = name.partition("_")[0].partition("-")[0].lower()
                raise ConflictError(f"a {what} is under way in the repository", fix="finish or abort it first")
        return BranchHead(ref=ref, commit=self.git.text("rev-parse", "--verify", f"{ref}^{{commit}}"))

    def entry(self, commit: str, path: str) -> GitEntry | None:
        """Return a file as a commit has it."""
        return _entry(self.git.text("ls-tree", commit, "--", path))

    def dirty(self, path: str, known: GitEntry) -> str:
        """Say how *path* differs from what the branch has, in the index or on disk; nothing where it does not."""
        listed = self.git.lines("ls-files", "-s", "--", path)
        parted = [line.partition("\t")[0].split() for line in listed]
        if [(mode, blob, stage) for mode, blob, stage in parted] != [(known.mode, known.blob, "0")]:
            return "it has changes in the index"
        return "" if self._on_disk(path) == known.blob else "it has changes that are not committed"

    def _on_disk(self, path: str) -> str:
        """Return the hash of the file in the running tree; nothing where it is no regular file."""
        place = self.root / path
        try:
            if not stat.S_ISREG(os.lstat(place).st_mode) or place.resolve() != place:
                return ""
            data = place.read_bytes()
        except OSError:
            return ""
        return self.git("hash-object", "--stdin", input=data).decode().strip()

    def commit_file(self, path: str, data: bytes, *, parent: str, message: str) -> str:
        """Make a commit that changes one file of *parent*; it is on no branch yet."""
        mode = (self.entry(parent, path) or GitEntry(mode="100644", blob="")).mode
        change = f"{mode} {self.git.blob(data)}\t{path}"
        index = self.common / f"{_PART}{secrets.token_hex(8)}"
        return self.git.commit([change], parent=parent, message=message, index=index)

    def add_worktree(self, branch: str, commit: str) -> Path:
        """Make *branch* at *commit* with a worktree of its own, outside the running tree."""
        place = Path(tempfile.mkdtemp(prefix=self._places, dir=self._outside()))
        self.git("worktree", "add", "--quiet", "-b", branch, str(place / "tree"), commit)
        return place / "tree"

    def add_branch(self, branch: str, commit: str) -> None:
        """Make *branch* at *commit* where there is none of that name."""
        self.git("update-ref", f"refs/heads/{branch}", commit, "")

    def _outside(self) -> str:
        for place in (tempfile.gettempdir(), "/var/tmp", "/tmp"):
            real = Path(os.path.realpath(place))
            if os.access(real, os.W_OK) and real != self.root and self.root not in real.parents:
                return str(real)
        raise MachineError("there is no temporary place outside the repository", fix="set TMPDIR")

    def advance(self, head: BranchHead, commit: str, path: str) -> None:
        """Let the branch go on to *commit*, which follows *head*, and the running tree with it for *path* alone.

        A branch that is somewhere else by now is a `ConflictError`, and nothing has changed.
        """
        old, new = self.entry(head.commit, path), self.entry(commit, path)
        if old is None or new is None:
            raise ConflictError(f"{path} is not a file of both commits")
        if self.head() != head:
            raise ConflictError(f"{head.name} moved meanwhile", fix="stage it again on what is there now")
        if wrong := self.dirty(path, old):
            raise ConflictError(f"{path} was changed meanwhile: {wrong}", fix="commit or stash it, and stage again")
        try:
            self.git("update-ref", "-m", "mayfly stage", head.ref, commit, head.commit)
        except GitFailed as error:
            raise ConflictError(f"{head.name} moved meanwhile ({error.message})", fix="stage it again") from None
        self.refresh(path, old, new)

    def refresh(self, path: str, old: GitEntry, new: GitEntry) -> None:
        """Bring *path* in the running tree and in the index from *old* to *new*; what is neither is left alone."""
        if self._on_disk(path) == old.blob:
            self._put(path, self.git.content(new.blob), new.mode)

        def is_old() -> bool:
            listed = self.git.lines("ls-files", "-s", "--", path)
            return bool(listed) and listed[0].split()[1] == old.blob

        self.git.change_index([f"{new.mode} {new.blob}\t{path}"], still=is_old)

    def _put(self, path: str, data: bytes, mode: str) -> None:
        """Replace a file at once: whoever reads it has the old content or the new one."""
        place = self.root / path
        for directory in (self.common, place.parent):
            part = directory / f"{_PART}{secrets.token_hex(8)}"
            with open(part, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(part, stat.S_IMODE(place.stat().st_mode) | (0o111 if mode == "100755" else 0))
            try:
                os.replace(part, place)
                return
            except OSError as error:
                part.unlink()
                if error.errno != errno.EXDEV or directory == place.parent:
                    raise

    def remove(self, branch: str, place: Path | None = None) -> None:
        """Remove a branch of ours and its worktree, whatever is left of them."""
        if place is not None:
            with contextlib.suppress(GitFailed):
                self.git("worktree", "remove", "--force", "--force", str(place))
            if place.parent.name.startswith(self._places):
                shutil.rmtree(place.parent, ignore_errors=True)
        if branch:
            commit = self.git.text("rev-parse", "-q", "--verify", f"refs/heads/{branch}", allowed=(0, 1))
            if commit:
                self.git("update-ref", "-d", f"refs/heads/{branch}", commit)

    def leftovers(self) -> list[Leftover]:
        """Return what of ours is there; while somebody stages, that is what they work with."""
        branches = self.git.lines("for-each-ref", "--format=%(refname)", f"refs/heads/{BRANCHES}")
        ours = {ref.removeprefix("refs/heads/") for ref in branches if self._is_ours(ref)}
        places: dict[str, str] = {}
        loose: list[str] = []
        for block in self.git.text("worktree", "list", "--porcelain").split("\n\n"):
            fields = dict(line.partition(" ")[::2] for line in block.split("\n"))
            place, branch = fields.get("worktree", ""), fields.get("branch", "").removeprefix("refs/heads/")
            if not Path(place).parent.name.startswith(self._places):
                continue
            if branch in ours:
                places[branch] = place
            else:
                loose.append(place)
        found = [Leftover(branch=branch, place=places.get(branch, "")) for branch in sorted(ours)]
        return found + [Leftover(branch="", place=place) for place in loose]

    def _is_ours(self, ref: str) -> bool:
        """Whether a branch is one commit of the agent's on one file: what a person put there is not touched."""
        said = self.git.text("log", "-1", "--format=%an%x00%s%x00%P", ref).split("\0")
        return said[0] == WHO and said[1].startswith("agent: ") and len(said[2].split()) == 1

    def clean_up(self, leftover: Leftover) -> None:
        """Finish or take back what a killed process began, and remove what it left; to be called under the lock."""
        if leftover.branch:
            self._finish(leftover.branch)
        self.remove(leftover.branch, Path(leftover.place) if leftover.place else None)

    def remove_parts(self) -> None:
        """Remove files and directories that a killed process had not put to use; to be called under the lock."""
        for part in self.common.glob(f"{_PART}*"):
            part.unlink(missing_ok=True)
        for place in Path(self._outside()).glob(f"{self._places}*"):
            shutil.rmtree(place, ignore_errors=True)

    def _finish(self, branch: str) -> None:
        """Where the branch of the running tree took the commit in already, let the running tree follow."""
        commit = self.git.text("rev-parse", f"refs/heads/{branch}")
        head = self.git.text("rev-parse", "-q", "--verify", "HEAD", allowed=(0, 1))
        paths = self.git.lines("diff-tree", "-r", "--no-commit-id", "--name-only", commit)
        if not head or len(paths) != 1 or self.git.text("merge-base", commit, head, allowed=(0, 1)) != commit:
            return
        old, new = self.entry(f"{commit}^", paths[0]), self.entry(commit, paths[0])
        if old is not None and new is not None and self.entry(head, paths[0]) == new:
            self.refresh(paths[0], old, new)

    def relative(self, file: Path) -> str:
        """Return the path of a file as the repository names it."""
        try:
            return str(file.resolve().relative_to(self.root.resolve()))
        except ValueError:
            raise InputError(f"{file} is not in the repository {self.root}") from None


def _entry(line: str) -> GitEntry | None:
    fields = line.partition("\t")[0].split()
    if len(fields) != 3 or fields[1] != "blob" or fields[0] not in ("100644", "100755"):
        return None
    return GitEntry(mode=fields[0], blob=fields[2])
