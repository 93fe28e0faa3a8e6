"""The calendar module and month arithmetic."""

import calendar
from datetime import date

ARGUMENT = [2023, 2024, 1900, 2000]


def add_months(day, months):
    index = day.month - 1 + months
    year, month = day.year + index // 12, index % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def main(argument):
    print(calendar.month(2024, 2))
    return {
        "leap": [calendar.isleap(year) for year in argument],
        "moved": [add_months(date(2024, 1, 31), months).isoformat() for months in (1, 2, 13, -2)],
        "weeks": calendar.monthcalendar(2024, 2),
        "names": list(calendar.day_abbr),
    }
