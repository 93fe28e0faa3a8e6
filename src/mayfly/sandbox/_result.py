"""`Result`: status, value and error of one sandbox job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "error", "timeout", "memory", "died", "refused"]
Level = Literal["namespaces", "landlock", "none"]
Lane = Literal["one-shot", "pinned"]


@dataclass(frozen=True, kw_only=True)
class Result:
    """How one job ended; `value` means something only where `status` is "ok"."""

    status: Status
    value: object = None
    error: str | None = None
    level: Level = "none"
    milliseconds: float = 0.0
    output: str = ""
    traceback: str | None = None
    lane: Lane = "one-shot"

    @property
    def ok(self) -> bool:
        """Whether the entry returned a value."""
        return self.status == "ok"
