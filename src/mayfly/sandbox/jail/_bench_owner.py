"""Whose files a command works with: how the owners of the workspace's files are seen behind the wall.

Root never works as root. Its commands run as a uid nobody has, in a user namespace where that uid is called 0, and the
workspace is mounted with its owners shifted alike: inside everything looks as it does outside, all owners included, yet
what is not of the workspace belongs to strangers, so that only what everybody may read can be read. It is also the
kernel's own root that mounts the overlay, which is how directories can be renamed in it.

An ordinary user keeps the own uid, the only one that can be mapped.
"""

from __future__ import annotations

import ctypes
import os
import struct

from . import _kernel

# From here on up nobody has uids; half of all there are, so that every owner on the disk finds a place.
_SHIFT = 0x70000000
_PR_SET_KEEPCAPS, _PR_CAPBSET_READ, _PR_CAPBSET_DROP = 8, 23, 24
# CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID NET_BIND_SERVICE: what root does to its own files
# and children. It holds for files whose owners are mapped, so for those of the workspace.
_KEPT = (0, 1, 2, 3, 4, 5, 6, 7, 10)
_NAMESPACES = (
    _kernel.CLONE_NEWNS
    | _kernel.CLONE_NEWNET
    | _kernel.CLONE_NEWIPC
    | _kernel.CLONE_NEWUTS
    | _kernel.CLONE_NEWCGROUP
    | _kernel.CLONE_NEWPID
)


class Owner:
    """How one launcher deals with owners; an ordinary user's by default."""

    # Whether directories of the workspace can be renamed on the overlay.
    renames = False

    def __init__(self) -> None:
        self.user, self.group = os.getuid(), os.getgid()

    def enter(self) -> None:
        """Move to namespaces of our own; the next child is the first process of its pid namespace."""
        _kernel.unshare(_kernel.CLONE_NEWUSER | _NAMESPACES)
        texts = {
            "setgroups": "deny",
            "uid_map": f"{self.user} {self.user} 1",
            "gid_map": f"{self.group} {self.group} 1",
        }
        for name, text in texts.items():
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)

    def bind(self, source: int, target: str) -> None:
        """Show a directory of the user's at *target*."""
        _kernel.bind(source, target)

    def mount_overlay(self, target: str, options: str) -> None:
        """Mount the overlay: where only the kernel's own root could keep its notes, they are kept as the user's."""
        flags = _kernel.MS_NOSUID | _kernel.MS_NODEV
        _kernel.mount("overlay", target, "overlay", flags, f"{options},userxattr")

    def step_down(self) -> None:
        """Give up every privilege; to be called last."""
        _capset(0)


class ShiftedOwner(Owner):
    """Root's way."""

    renames = True

    def __init__(self) -> None:
        super().__init__()
        every = f"0 {_SHIFT} {_SHIFT}"
        # Every uid of this machine's disks has a place in it.
        self._namespace = _kernel.make_user_namespace(every, every)

    def enter(self) -> None:
        """Move to namespaces that belong to the kernel's own root: whoever steps down later has no say in them."""
        _kernel.unshare(_NAMESPACES)

    def bind(self, source: int, target: str) -> None:
        """Show a directory with its owners shifted as the command's own are."""
        flags = _kernel.OPEN_TREE_CLONE | os.O_CLOEXEC | _kernel.AT_EMPTY_PATH
        tree = _kernel.syscall("open_tree", source, b"", flags)
        try:
            _kernel.mount_attributes(tree, "", set_=_kernel.MOUNT_ATTR_IDMAP, userns=self._namespace, recursive=False)
            moving = _kernel.MOVE_MOUNT_F_EMPTY_PATH
            _kernel.syscall("move_mount", tree, b"", -100, target.encode(), moving)
        finally:
            os.close(tree)

    def mount_overlay(self, target: str, options: str) -> None:
        """Mount the overlay as the shifted root with all capabilities: only a shifted uid can write there."""
        held = _permitted()
        _kernel.prctl(_PR_SET_KEEPCAPS, 1)
        os.setresgid(-1, _SHIFT, -1)
        os.setresuid(-1, _SHIFT, -1)
        _capset(held)
        flags = _kernel.MS_NOSUID | _kernel.MS_NODEV
        try:
            _kernel.mount("overlay", target, "overlay", flags, f"{options},redirect_dir=on,index=off,metacopy=off")
        finally:
            os.setresuid(-1, 0, -1)
            os.setresgid(-1, 0, -1)
            _capset(held)

    def step_down(self) -> None:
        """Become the shifted root for good, with what capabilities ordinary work as root takes."""
        os.setgroups([])
        _kernel.setns(self._namespace, _kernel.CLONE_NEWUSER)
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
        for number in range(64):
            if number not in _KEPT and _has_capability(number):
                _kernel.prctl(_PR_CAPBSET_DROP, number)
        _capset(sum(1 << number for number in _KEPT))


def _has_capability(number: int) -> bool:
    return bool(ctypes.CDLL(None).prctl(_PR_CAPBSET_READ, number, 0, 0, 0) == 1)


def _permitted() -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1], 16) for line in file if line.startswith("CapPrm:"))


def _capset(held: int) -> None:
    """Have the capabilities *held*, and no others, permitted and in force."""
    header = ctypes.create_string_buffer(struct.pack("=II", 0x20080522, 0), 8)
    low, high = held & 0xFFFFFFFF, held >> 32
    _kernel.syscall("capset", header, ctypes.create_string_buffer(struct.pack("=6I", low, low, 0, high, high, 0), 24))
