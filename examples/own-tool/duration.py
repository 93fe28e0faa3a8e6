"""A tool of one's own."""

import re


def duration_seconds(text: str) -> int:
    """Turn a duration such as 1h30m or 45s into seconds."""
    units = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    found = re.findall(r"(\d+)([dhms])", text)
    if not found or "".join(number + unit for number, unit in found) != text.strip():
        raise ValueError(f"{text!r} is no duration")
    return sum(int(number) * units[unit] for number, unit in found)
