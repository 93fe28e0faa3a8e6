"""Keep what a command did in the ledger, after its answer is out and never at its cost."""

from typing import TYPE_CHECKING

from mayfly.cli._output import flush, note
from mayfly.core import MayflyError, Settings, content_hash, one_line

if TYPE_CHECKING:
    from mayfly.sandbox import Result
    from mayfly.store import Payload


def ran(result: "Result", source: bytes) -> "Payload":
    """Return the event of one job; the source is kept as its hash alone."""
    from mayfly.store import SandboxRan

    return SandboxRan(
        status=result.status,
        level=result.level,
        lane=result.lane,
        milliseconds=round(result.milliseconds, 3),
        source_hash=content_hash(source),
        error=one_line(result.error) if result.error else None,
    )


def record(settings: Settings, events: list["Payload"], *, subject: str) -> None:
    """Append *events* together; a ledger that cannot be written is said, and changes nothing else."""
    from mayfly.store import Ledger

    flush()
    try:
        with Ledger.open(settings) as ledger:
            ledger.append_many(events, subject=subject)
    except MayflyError as error:
        note(f"mayfly: not recorded in the ledger: {one_line(str(error))}")
