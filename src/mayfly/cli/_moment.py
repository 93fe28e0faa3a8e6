"""Moments as people type them: a day, a day and a time, or how long ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from mayfly.core import InputError, one_line

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
# A number that a span of days can hold: about 2,700 years.
_AGO = re.compile(r"([0-9]{1,6})([mhdw])")
HELP = "such as 2026-01-31, 2026-01-31T08:00, or 90d for 90 days ago (m, h, d, w)"


def moment_of(text: str) -> datetime:
    """Return the moment that *text* names; one without a zone is in UTC, as everything in the ledger."""
    ago = _AGO.fullmatch(text.strip())
    try:
        if ago:
            return datetime.now(UTC) - int(ago[1]) * _UNITS[ago[2]]
        found = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise InputError(f"{one_line(text, limit=60)!r} is no moment", fix=f"say one {HELP}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
