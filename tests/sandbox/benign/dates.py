"""strptime, strftime, timedelta and iso formats."""

from datetime import UTC, date, datetime, time, timedelta, timezone

ARGUMENT = ["2024-02-28 23:59:59", "1999-12-31 00:00:01"]


def main(argument):
    moments = [datetime.strptime(text, "%Y-%m-%d %H:%M:%S") for text in argument]
    later = [moment + timedelta(days=1, seconds=1) for moment in moments]
    zone = timezone(timedelta(hours=5, minutes=30))
    return {
        "later": [moment.isoformat() for moment in later],
        "text": [moment.strftime("%d %b %Y, %A, week %V, day %j") for moment in moments],
        "difference": (moments[0] - moments[1]).days,
        "zone": moments[0].replace(tzinfo=UTC).astimezone(zone).isoformat(),
        "parsed": datetime.fromisoformat("2024-05-06T07:08:09+02:00").timestamp(),
        "weekday": date(2024, 2, 29).weekday(),
        "time": time(13, 5).isoformat("minutes"),
        "nginx": datetime.strptime("10/Oct/2000:13:55:36 -0700", "%d/%b/%Y:%H:%M:%S %z").isoformat(),
    }
