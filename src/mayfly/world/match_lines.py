"""Say which lines fit a regular expression; run behind the wall, where it can be stopped."""

import re
from typing import Any


def match_lines(argument: dict[str, Any]) -> list[int]:
    """Return the places of the lines that fit."""
    fits = re.compile(argument["regex"], re.IGNORECASE if argument["ignore_case"] else 0).search
    return [place for place, line in enumerate(argument["lines"]) if fits(line)]
