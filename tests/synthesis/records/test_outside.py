"""Lines that belong to no record: comments that name columns, remarks between records, and what is told of others."""

import pytest

from mayfly.synthesis.records._detect import detect

from .agreement import read, rows


def titles(lines: list[str]) -> list[str]:
    return [field.title for field in detect(lines).fields]


TOWED = [
    "# date time | unit | driver | miles | charge | drop",
    "02/26/2025 10:39 PM | Unit 4 | Gus | 17.8 mi | $270.00 | owner home",
    "02/26/2025 11:31 PM | Unit 3 | Marla |  | $117.00 | North Yard",
    "02/27/2025 01:42 AM | Unit 7 | Gus | 15.1 mi | $1,689.00 | owner home",
]


def test_a_comment_names_the_columns_below_it() -> None:
    assert titles(TOWED) == ["date time", "unit", "driver", "miles", "charge", "drop"]
    assert [row["charge"] for row in rows(TOWED)] == [270, 117, 1689]
    assert (read(TOWED).header, read(TOWED).not_understood) == (1, 0)


@pytest.mark.parametrize("sign", ["#", "# ", "## "])
def test_the_nearest_comment_with_as_many_names_counts(sign: str) -> None:
    lines = [
        "# made by station 7",
        f"{sign}date\ttmin\ttmax",
        "# all in Celsius",
        "2025-03-01\t-4\t8",
        "2025-03-02\t1\t9",
    ]
    assert titles(lines) == ["date", "tmin", "tmax"]


def test_a_comment_with_another_number_of_names_names_nothing() -> None:
    assert titles(["# date,tmin", "2025-03-01,-4,8", "2025-03-02,1,9"]) == ["date", "column 2", "column 3"]


def test_a_header_below_a_comment_stays_the_header() -> None:
    lines = ["# spring, herd, book", "tag,breed,calves", "D1,Jersey,3", "D2,Jersey,1", "D3,Red,2"]
    assert titles(lines) == ["tag", "breed", "calves"]
    # All of it text: nothing shows that the first line is not a row.
    assert len(read(["# plant, colour, place", "rose,red,north", "iris,blue,north", "lily,red,south"]).rows) == 3


def test_a_comment_names_words_with_spaces_between_them() -> None:
    lines = ["# lat lon depth", "59.1 10.2 33", "60.4 5.3 12", "70.4 31.1 8"]
    assert rows(lines)[0] == {"lat": 59.1, "lon": 10.2, "depth": 33}
    table = ["# m h dom mon dow command", "0 3 * * * /usr/bin/backup --all", *["5 * * * 1 certbot renew -q"] * 9]
    assert rows(table)[0]["command"] == "/usr/bin/backup --all"


def test_a_sentence_in_a_comment_names_nothing() -> None:
    lines = [
        "# passages as written by keepers",
        *[f"boat {name} went up at {hour}" for hour, name in enumerate("abcde")],
    ]
    assert "passages" not in titles(lines)


REMARKS = ["# keeper's log", "-- keeper change: Tom --", "=== June ===", "*** storm ***", "-----"]


@pytest.mark.parametrize("remark", REMARKS)
def test_remarks_between_the_lines_of_a_log_are_passed(remark: str) -> None:
    known = [f"2025-06-0{day} 07:53:00 INFO gate {day} opened" for day in range(1, 8)]
    learned = [f"2025-06-0{day} 07:53 upper-lock wait={day}min crew=2" for day in range(1, 8)]
    for lines in (known, learned):
        table = read([*lines[:3], remark, *lines[3:]])
        assert (len(table.rows), table.header, table.not_understood) == (7, 1, 0)


def test_what_is_neither_a_record_nor_a_remark_is_told() -> None:
    lines = [f"2025-06-0{day} 07:53 upper-lock wait={day}min crew=2" for day in range(1, 8)]
    assert read([*lines, "keeper went home"]).not_understood == 1
