"""`ObjectStore`: git on the objects of a repository, and on nothing else of it.

The configuration, hooks, refs, replacements and grafts of a repository are read by every git that runs in it, and may
have git run anything. So git runs in an empty repository of our own that borrows the objects.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from mayfly.core import InputError, MachineError, one_line
from mayfly.sandbox.workbench._beneath import Beneath

# Files that say something of objects which git believes without a look at them: whoever wrote them may have lied.
_NO_SHORTCUTS = ("core.commitGraph=false", "core.multiPackIndex=false", "pack.useBitmaps=false")
SAFELY = ("--no-pager", *(word for key in _NO_SHORTCUTS for word in ("-c", key)))
_SECONDS = 30.0


class ObjectStore:
    """An empty repository over the objects of the one in *workspace*; a context manager."""

    def __init__(self, workspace: Path, root: str = ".git", *, ids: str = "sha1", shallow: bytes = b"") -> None:
        """Borrow the objects; *ids* is how they are hashed, *shallow* says where the history was cut off."""
        objects = os.path.join(os.path.realpath(workspace), root, "objects")
        with Beneath(os.path.realpath(workspace)) as beneath:
            found = beneath.look(f"{root}/objects")
        if found is None or not os.path.isdir(objects) or os.path.islink(objects) or "\n" in objects:
            raise InputError(f"the workspace has no {root} with objects of its own")
        self._workspace = workspace
        self.place = Path(tempfile.mkdtemp(prefix="mayfly-git-"))
        (self.place / "refs").mkdir()
        (self.place / "objects" / "info").mkdir(parents=True)
        (self.place / "objects" / "info" / "alternates").write_bytes(os.fsencode(objects) + b"\n")
        (self.place / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        (self.place / "config").write_text(config_for(ids), encoding="ascii")
        if shallow:
            (self.place / "shallow").write_bytes(shallow)

    def __enter__(self) -> ObjectStore:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.place, ignore_errors=True)

    def git(self, *words: str, stdin: str = "", seconds: float = _SECONDS) -> str:
        """Run git with nobody's configuration and return what it prints; a failure is an error."""
        done = self.run(words, own_environment(self._workspace), stdin=stdin, seconds=seconds)
        if done.returncode:
            raise InputError(f"git {words[0]} failed: {one_line(done.stderr, limit=300)}")
        return done.stdout

    def run(
        self, words: Sequence[str], environment: Mapping[str, str], *, stdin: str = "", seconds: float = _SECONDS
    ) -> subprocess.CompletedProcess[str]:
        """Run git with an environment of the caller's."""
        try:
            return subprocess.run(
                ["git", *SAFELY, *words],
                cwd=self.place,
                env={**environment, "GIT_DIR": str(self.place), "GIT_NO_REPLACE_OBJECTS": "1"},
                input=stdin,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                timeout=seconds,
                check=False,
            )
        except FileNotFoundError:
            raise MachineError("git is not installed") from None
        except subprocess.TimeoutExpired:
            raise MachineError(f"git {words[0]} did not end within {seconds:g} s") from None


def config_for(ids: str) -> str:
    """Return the whole configuration of a repository of our own."""
    if ids == "sha1":
        return "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
    return f"[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = {ids}\n"


def own_environment(workspace: Path) -> dict[str, str]:
    """Return an environment in which git reads no settings of anybody's."""
    nobody = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": "/nonexistent"}
    return {"PATH": path_outside(workspace), "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **nobody}


def path_outside(workspace: Path) -> str:
    """Return PATH without what lies in the workspace: a virtual environment there may hold a git of its own."""
    inside = os.path.realpath(workspace)
    places = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(place)]
    return os.pathsep.join(place for place in places if not f"{os.path.realpath(place)}/".startswith(f"{inside}/"))
