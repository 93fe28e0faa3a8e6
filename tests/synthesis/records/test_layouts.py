"""Formats nobody has seen: random fields, order, separators and brackets, and every value is found again."""

import random

import pytest

from .programs import answer, planned, proven

WORDS = ["quick", "brown", "fox", "jumps", "over", "lazy", "dog", "while", "rain", "falls", "on", "old", "stones"]
WRAPS = (("", ""), ("", ""), ("", ""), ("[", "]"), ("<", ">"), ("(", ")"), ('"', '"'), ("{", "}"), ("key=", ""))
SEPARATORS = (" ", "\t", " | ", "|", ";", ",", " :: ", " - ", "~")
MOMENTS = (
    "{y}-{m:02}-{d:02}T{h:02}:{n:02}:{s:02}Z",
    "{y}-{m:02}-{d:02} {h:02}:{n:02}:{s:02}",
    "{d:02}/Mar/{y}:{h:02}:{n:02}:{s:02} +0000",
)
CHOICES = {
    "level": ("INFO", "WARN", "ERROR", "DEBUG"),
    "user": ("alice", "bob", "carol", "user-12", "erin_7", "frank"),
    "method": ("GET", "POST", "PUT"),
    "path": ("/", "/api/v1/items", "/api/v1/items/7", "/static/a.css"),
    "status": ("200", "301", "404", "500"),
    "flag": ("true", "false"),
    "email": ("alice@example.com", "bob@example.com"),
    "colour": ("red", "green", "blue", "grey"),
}


def value(kind: str, source: random.Random, moment: str) -> str:
    if kind in CHOICES:
        return source.choice(CHOICES[kind])
    if kind == "time":
        return moment.format(
            y=2025,
            m=source.randint(1, 12),
            d=source.randint(1, 28),
            h=source.randint(0, 23),
            n=source.randint(0, 59),
            s=source.randint(0, 59),
        )
    if kind == "ip":
        return ".".join(str(source.randint(1, 254)) for _ in range(4))
    if kind == "id":
        digits = f"{source.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    if kind == "float":
        return f"{source.uniform(0, 1000):.2f}"
    return str(source.randint(0, 100_000))


def layout(seed: int) -> tuple[list[list[str]], list[str]]:
    """Return rows of values, and the same rows as lines of one random format."""
    source = random.Random(seed)
    kinds = source.sample([*CHOICES, "time", "ip", "id", "float", "int", "took"], source.randint(4, 8))
    separator, moment = source.choice(SEPARATORS), source.choice(MOMENTS)
    wraps = [(f"{kind}=", "") if wrap[0] == "key=" else wrap for kind in kinds for wrap in [source.choice(WRAPS)]]
    wraps = [
        source.choice((("took ", "ms"), ("", "ms"))) if kind == "took" else wrap
        for kind, wrap in zip(kinds, wraps, strict=True)
    ]
    rows = [[value(kind, source, moment) for kind in kinds] for _ in range(40)]
    text = separator != " " and source.random() < 0.5
    for row in rows:
        row.extend([" ".join(source.choice(WORDS) for _ in range(source.randint(1, 6)))] if text else [])
    wraps += [("", "")] if text else []
    cells = ([before + cell + after for (before, after), cell in zip(wraps, row, strict=True)] for row in rows)
    return rows, [separator.join(row) for row in cells]


def shown(found: object) -> str:
    if isinstance(found, bool):
        return str(found).lower()
    return f"{found:.2f}" if isinstance(found, float) else str(found)


@pytest.mark.parametrize("seed", range(1000, 1025))
def test_every_value_of_an_unknown_format_is_found(seed: int) -> None:
    rows, sample = layout(seed)
    found = answer("parse the lines", sample)
    assert isinstance(found, list)
    assert [[shown(cell) for cell in record.values()] for record in found] == rows


@pytest.mark.parametrize("seed", range(1000, 1005))
def test_the_independent_tests_agree_on_an_unknown_format(seed: int) -> None:
    proven("parse the lines", layout(seed)[1])


def test_names_come_from_keys_units_and_kinds() -> None:
    sample = [
        f"[2025-01-01 12:00:{second:02}] <{level}> user={user} took {second}ms from 192.0.2.{second}"
        for second, (level, user) in enumerate([("INFO", "alice"), ("WARN", "bob"), ("ERROR", "carol")] * 3)
    ]
    made = planned("parse the lines", sample)
    assert [field.name for field in made.format.fields] == ["timestamp", "level", "user", "took_ms", "ip"]
    assert made.format.named("took_ms").unit == "ms"


def test_a_dash_stands_for_nothing() -> None:
    sample = [f"192.0.2.{n} | {'-' if n % 3 else n * 10} | ok" for n in range(1, 13)]
    found = answer("parse the lines", sample)
    assert isinstance(found, list)
    assert [record["number"] for record in found] == [None if n % 3 else n * 10 for n in range(1, 13)]


def test_a_message_of_any_length_is_one_field() -> None:
    sample = [f"2025-01-01T10:00:0{n}Z worker-{n} {'very ' * n}long story" for n in range(9)]
    found = answer("parse the lines", sample)
    assert isinstance(found, list)
    assert all(record["message"].endswith("long story") for record in found)
