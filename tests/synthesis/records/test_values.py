"""What cells hold: words and signs for nothing, durations on a clock, and units that look like others."""

import pytest

from mayfly.synthesis.records._model import Field

from .agreement import read, rows


def column(cells: list[str], name: str = "value") -> tuple[Field, list[object]]:
    """Return the field of a column, and its values."""
    lines = [f"no;{name}", *(f"{at};{cell}" for at, cell in enumerate(cells))]
    return read(lines).fields[name], [row[name] for row in rows(lines)]


DATES = ["14 Apr 2023", "02 Mar 2022", "28 Apr 2024"]


@pytest.mark.parametrize("word", ["never", "not yet", "unknown", "n/a", "none", "—", "?", "-"])
def test_one_word_among_moments_says_that_there_is_none(word: str) -> None:
    field, values = column([word, *DATES, word, word])
    assert (field.kind, field.optional) == ("time", True)
    assert values == [None, *DATES, None, None]


def test_several_words_among_moments_are_told_where_they_are_asked_for() -> None:
    dates = [f"2025-{month:02}-{day:02}" for month in (1, 2) for day in range(1, 29)]
    lines = ["no,shipped", *(f"{at},{cell}" for at, cell in enumerate([*dates, "not yet", "cancelled"]))]
    assert read(lines).fields["shipped"].kind == "time"
    assert read(lines).asked_for(["shipped"]).not_understood == 2


def test_a_few_moments_among_words_are_words() -> None:
    assert column(["ok"] * 20 + ["2025-01-02"])[0].kind == "text"


@pytest.mark.parametrize("sign", ["-", "--", "–", "—", "?", "n/a", "N/A"])
def test_signs_for_nothing_stand_for_nothing_among_words_too(sign: str) -> None:
    assert column(["oak", "elm", sign, "oak"])[1] == ["oak", "elm", None, "oak"]


def test_a_word_for_nothing_is_a_value_among_words() -> None:
    assert column(["celadon", "none", "unknown", "none"])[1] == ["celadon", "none", "unknown", "none"]


def test_a_clock_that_runs_on_may_count_days() -> None:
    field, values = column(["0:00", "12:41:52", "2-12:19:06", "9:07"], "took")
    assert (field.kind, field.unit) == ("float", "s")
    assert values == [0, 45712, 2 * 86400 + 12 * 3600 + 19 * 60 + 6, 547]


def test_a_clock_now_with_hours_and_now_without_tells_how_long() -> None:
    assert column(["3:20", "1:02:03", "12:10"], "took")[1] == [200, 3723, 730]
    assert column(["03:20", "11:02", "12:10"], "at")[0].kind == "time"


@pytest.mark.parametrize(
    ("cells", "unit"), [(["17.8 mi", "3 mi"], "mi"), (["12 t", "3.5 t"], "t"), (["2 Mi", "3 Gi"], "B")]
)
def test_miles_and_tonnes_are_no_sizes(cells: list[str], unit: str) -> None:
    assert column(cells)[0].unit == unit


def test_a_sign_for_nothing_in_a_learned_place_does_not_lose_the_line() -> None:
    lines = [f"gate {at % 3} <{'?' if at % 4 == 0 else at}> opened by {who}" for at, who in enumerate("abcdefgh" * 3)]
    assert read(lines).not_understood == 0
