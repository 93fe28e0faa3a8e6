"""Take one line of an access log apart: the kind of small tool that is called again and again."""

import re

LINE = re.compile(r'(?P<host>\S+) .*"(?P<method>[A-Z]+) (?P<path>\S+) [^"]*" (?P<status>\d{3}) (?P<bytes>\d+|-)')


def parse(line: str) -> dict[str, str] | None:
    """Return the fields of *line*, or None if it is not one."""
    found = LINE.match(line)
    return found.groupdict() if found else None
