"""What a run keeps of how it was asked for, so that another process can go on with the same."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, InputError
from mayfly.promise import Options, Promise, part_of

if TYPE_CHECKING:
    from mayfly.store import JSON


def kept_options(options: Options, nodes: Sequence[Promise[Any]]) -> dict[str, JSON]:
    """Return what a later process needs to go on, and by what it sees that a file is another one now."""
    parts = [part for promise in nodes if (part := part_of(promise))]
    files: dict[str, JSON] = {part.path: list(_look(part.path)) for part in parts}
    return {
        "model": options.model,
        "tier": options.tier,
        "accept_weak": options.accept_weak,
        "hints": list(options.hints),
        "workspace": str(options.workspace),
        "files": files,
    }


def check_files(files: Mapping[str, Any]) -> None:
    """Refuse to go on where a file is another one than when the run began: half of the answer would be about each."""
    for path, seen in files.items():
        if list(_look(path)) != list(seen):
            raise ConflictError(f"{path} has changed since the run began", fix="run it again from the beginning")


def _look(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    return found.st_size, found.st_mtime_ns
