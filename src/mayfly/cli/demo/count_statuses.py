"""Count the answers of a web server by class."""

import re
from collections import Counter

LINE = re.compile(r'"[A-Z]+ \S+ [^"]*" (?P<status>\d{3}) ')


def count(lines: list[str]) -> dict[str, int]:
    """Read access log lines; those that do not look like one are counted as unread."""
    found = map(LINE.search, lines)
    classes = Counter(f"{line['status'][0]}xx" if line else "unread" for line in found)
    return dict(sorted(classes.items()))
