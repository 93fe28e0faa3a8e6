"""zoneinfo across a change of the clocks."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

ARGUMENT = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"]


def main(argument):
    found = {}
    for name in argument:
        start = datetime(2024, 3, 30, 12, tzinfo=ZoneInfo(name))
        after = start + timedelta(days=1)
        found[name] = [start.isoformat(), after.isoformat(), after.tzname(), str(after.utcoffset())]
    return found
