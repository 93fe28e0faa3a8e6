"""Working days, overlapping ranges, merging and quarters."""

from datetime import date, timedelta

ARGUMENT = [["2024-01-01", "2024-01-10"], ["2024-01-08", "2024-01-20"], ["2024-02-01", "2024-02-03"]]


def days(start, end):
    while start <= end:
        yield start
        start += timedelta(days=1)


def merge(ranges):
    merged = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + timedelta(days=1):
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def main(argument):
    ranges = [tuple(map(date.fromisoformat, pair)) for pair in argument]
    return {
        "merged": [[day.isoformat() for day in pair] for pair in merge(ranges)],
        "working": [sum(day.weekday() < 5 for day in days(*pair)) for pair in ranges],
        "quarters": [(start.month - 1) // 3 + 1 for start, _ in ranges],
        "iso": [list(start.isocalendar()) for start, _ in ranges],
        "easter": _easter(2024).isoformat(),
    }


def _easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - ((b - (b + 8) // 25 + 1) // 3) + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)
