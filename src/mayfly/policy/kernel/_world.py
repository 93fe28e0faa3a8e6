"""The predicates that are asked of the disk: confined to the workspace, limited in size, never through a link out."""

import os
import stat
from collections.abc import Iterable, Mapping
from typing import Final

from mayfly.core import open_below
from mayfly.mangle import External, MangleError, Row, Symbol, Value
from mayfly.policy.kernel.facts import locate

LARGEST: Final = 1024 * 1024


class World:
    """Answer what rules ask about files of one workspace; each answer is looked up when it is wanted."""

    def __init__(self, workspace: str) -> None:
        self._workspace = os.path.realpath(workspace)

    @property
    def externals(self) -> Mapping[Symbol, External]:
        """The predicates with their answers, as an evaluation takes them."""
        return {Symbol("file_exists", 1): self.file_exists, Symbol("file_contains", 2): self.file_contains}

    def file_exists(self, bound: tuple[Value | None, ...]) -> Iterable[Row]:
        """Say whether a file of the workspace exists."""
        path = bound[0]
        descriptor = self._open(path) if isinstance(path, str) else None
        if descriptor is None or path is None:
            return ()
        os.close(descriptor)
        return ((path,),)

    def file_contains(self, bound: tuple[Value | None, ...]) -> Iterable[Row]:
        """Say whether a regular file of the workspace contains a text; one that is too large is an error."""
        path, text = bound
        descriptor = self._open(path) if isinstance(path, str) and isinstance(text, str) else None
        if descriptor is None or not isinstance(path, str) or not isinstance(text, str):
            return ()
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return ()
        with open(descriptor, "rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            fix = f"rules may look into files of at most {LARGEST} bytes"
            raise MangleError(f"{path} is too large to look into", stage="eval", fix=fix)
        return ((path, text),) if text.encode() in content else ()

    def _open(self, path: str) -> int | None:
        """Open a file of the workspace; None where there is none, or where it leads out."""
        located = locate(path, self._workspace)
        if located.where != "/inside":
            return None
        real = os.path.realpath(os.path.join(self._workspace, located.path))
        try:
            return open_below(self._workspace, os.path.relpath(real, self._workspace))
        except OSError:
            return None
