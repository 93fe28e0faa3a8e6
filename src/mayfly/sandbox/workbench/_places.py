"""Which directories can be a workspace, and where its overlay lies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import tempfile
import time
from pathlib import Path

from mayfly.core import InputError
from mayfly.sandbox.workbench import _journal
from mayfly.sandbox.workbench._files import remove_tree
from mayfly.sandbox.workbench._programs import home_directory


def recover(state: Path) -> None:
    """Finish or take back what a killed process left half done, and remove what it left behind."""
    state = Path(os.path.realpath(state))
    _journal.recover(state)
    for claim in (state / "overlays").glob("*.place"):
        descriptor = os.open(claim, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            place = Path(claim.read_text(encoding="utf-8", errors="surrogateescape") or "/nowhere")
            if place.name.startswith("mayfly-"):
                remove_tree(str(place))
            claim.unlink()
        except (BlockingIOError, FileNotFoundError):
            pass  # somebody works with it
        finally:
            os.close(descriptor)
    for part in (state / "held").glob(".h-*"):
        if time.time() - part.stat().st_mtime > 3600:  # nobody takes so long to hold something
            remove_tree(str(part))


def claim_place(state: Path, workspace: str, *, elsewhere: bool) -> tuple[Path, int]:
    """Return a directory for an overlay, and the lock that says it is in use.

    A layer cannot lie inside the workspace that it covers, so it is made elsewhere where our state does.
    """
    overlays = state / "overlays"
    overlays.mkdir(exist_ok=True, mode=0o700)
    name = f"mayfly-{secrets.token_hex(8)}"
    claim = os.open(overlays / f"{name}.place", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(claim, fcntl.LOCK_EX)
    if elsewhere:
        place = Path(tempfile.mkdtemp(prefix="mayfly-", dir=_outside(workspace)))
    else:
        place = overlays / name
        place.mkdir(mode=0o700)
    os.write(claim, os.fsencode(place))
    return place, claim


def _outside(workspace: str) -> str:
    for path in (tempfile.gettempdir(), "/var/tmp", "/tmp", home_directory()):
        real = os.path.realpath(path)
        if os.access(real, os.W_OK) and real != workspace and not real.startswith(workspace + "/"):
            return real
    raise InputError("the state directory lies in the workspace, and there is no other place", fix="set TMPDIR")


def release_place(place: Path, claim: int) -> None:
    remove_tree(str(place))
    with contextlib.suppress(OSError):
        os.unlink(os.readlink(f"/proc/self/fd/{claim}"))
    os.close(claim)


def check_workspace(workspace: Path) -> str:
    """Return the real path of a directory that can be a workspace."""
    real = os.path.realpath(workspace)
    if not os.path.isdir(real):
        raise InputError(f"workspace {str(workspace)!r} is not a directory")
    home = os.path.realpath(home_directory())
    if real == "/" or home == real or home.startswith(real + "/"):
        raise InputError(
            f"the workspace cannot be {real}: the home with its keys would be part of it",
            fix="name the directory of one project",
        )
    if real in _OWN or any(real.startswith(path + "/") for path in ("/proc", "/sys", "/dev")):
        raise InputError(f"the workspace cannot be {real}", fix="name the directory of one project")
    return real


_OWN = ("/tmp", "/var", "/var/tmp", "/usr", "/etc", "/bin", "/lib", "/lib64", "/sbin", "/proc", "/sys", "/dev", "/run")
