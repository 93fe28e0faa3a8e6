"""What a zygote gives its workers, and how it fails to."""

from __future__ import annotations

from typing import NamedTuple

from mayfly.sandbox._grants import Grants


class ZygoteFailed(Exception):
    """A zygote did not start; the message says which step failed.

    *permanent* is the kernel's answer that this level cannot be had here. Everything else (no memory, no descriptor, a
    killed or a stopped process) says nothing about the level: the same may work the next moment.
    """

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class ZygoteGone(Exception):
    """The zygote died or does not answer; a new one has to be started."""


class SpawnFailed(Exception):
    """The zygote lives, but there was not the process or the descriptor for another worker."""


class Outfit(NamedTuple):
    """What a worker is given: its openings in the wall, and whether only the modules that most jobs import."""

    grants: Grants
    lean: bool
