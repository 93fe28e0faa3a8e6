"""What happens to the tools of the library, as the ledger keeps it; the subject of each is ``tool:NAME``."""

from __future__ import annotations

from collections.abc import Mapping

from mayfly.store import JSON, event


@event("tool.written")
class ToolWritten:
    """Record a version that was proven and serves from now on; *before* is the one that served until then, or 0.

    *head* is what lists show of it, *words* are what it is found by, *shape* is the same for the same types.
    """

    version: int
    before: int
    source_blob: str
    tests_blob: str
    card_blob: str
    size: int
    shape: str
    head: Mapping[str, JSON]
    words: tuple[str, ...]
    seal: str
    by: str


@event("tool.served")
class ToolServed:
    """Record that a version which was there before serves again: a rollback, or a tool that is wanted after all."""

    version: int
    before: int
    by: str
    why: str = ""


@event("tool.deleted")
class ToolDeleted:
    """Record that nothing serves under the name any more; its versions stay."""

    before: int
    by: str


@event("tool.retired")
class ToolRetired:
    """Record that a tool nobody has used for long is no longer offered or found."""

    before: int
    days: float


@event("tool.refused")
class ToolRefused:
    """Record what was handed in and did not become a version, so that the same file is not tried again and again."""

    what: str
    source_hash: str
    reason: str
    by: str


@event("tool.verified")
class ToolVerified:
    """Record that a version passed all gates again, those of today, with the tests on its card."""

    version: int
    versions: str
    seal: str


@event("tool.called")
class ToolCallBegan:
    """Record a call of a version before anything is done for it."""

    version: int
    key: str
    arguments: JSON


@event("tool.returned")
class ToolCallEnded:
    """Record how a call ended; *whole_blob* is its value where that is too long to stand here."""

    version: int
    key: str
    status: str
    milliseconds: float
    error: str = ""
    value: JSON = None
    whole_blob: str = ""
