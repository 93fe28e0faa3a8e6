"""Columns for people: where they are, what they are called, and which lines are none of them."""

import pytest

from mayfly.language.question import Column, Measure, Query
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._table import read_table

from .agreement import check, read, rows


def titles(lines: list[str]) -> list[str]:
    return [field.title for field in detect(lines).fields]


RULED = [
    "Open Studio - firing record",
    "",
    "Firing Kiln     Hours     kWh Cracked Glaze",
    "------ -------- ----- ------- ------- ----------",
    "F001   Ember     10.6 1,191.8       3 none",
    "F002   Big Bert   5.2   917.8       - copper red",
    "F003   Vulcan    13.1   651.5       0 celadon",
]


def test_groups_of_dashes_show_the_columns_where_one_space_is_between_them() -> None:
    table = read(RULED)
    assert rows(RULED)[1] == {
        "Firing": "F002",
        "Kiln": "Big Bert",
        "Hours": 5.2,
        "kWh": 917.8,
        "Cracked": None,
        "Glaze": "copper red",
    }
    assert (table.not_understood, table.empty, table.header) == (0, 1, 3)


def test_a_cell_that_is_too_wide_for_its_column_is_not_understood() -> None:
    assert read([*RULED, "F004   Big Bertha 13.1   651.5       0 celadon"]).not_understood == 1


def test_names_stand_above_the_ends_of_their_cells() -> None:
    lines = [
        "   Station   Lat    Lon  Height  Since",
        "      Oslo  59.9  10.75      23   1961",
        "    Bergen  60.4   5.32           2004",
        "     Vardo  70.4  31.11      15       ",
        "  Longyear  78.2  15.63       9   2004",
    ]
    assert [row["Height"] for row in rows(lines)] == [23, None, 15, 9]
    assert [row["Since"] for row in rows(lines)] == [1961, 2004, None, 2004]


def test_words_with_one_space_between_them_are_one_name_above_one_column() -> None:
    lines = [
        "CONTAINER ID   IMAGE         CREATED         PORTS      NAMES",
        "9f1a33cd01aa   nginx:1.25    2 weeks ago     80/tcp     web",
        "0a1b33cd01bb   redis         3 hours ago                cache",
        "77ff33cd01cc   postgres:15   5 days ago      5432/tcp   db",
    ]
    assert titles(lines) == ["CONTAINER ID", "IMAGE", "CREATED", "PORTS", "NAMES"]
    assert [row["PORTS"] for row in rows(lines)] == ["80/tcp", None, "5432/tcp"]


def test_the_last_column_takes_the_rest_where_the_others_stand_below_their_names() -> None:
    lines = [
        "USER       PID %CPU TIME COMMAND",
        "root         1  0.0 0:07 /sbin/init splash",
        "www-data   812 12.5 9:40 nginx: worker process",
        "alice     4411  3.1 0:00 vi",
    ]
    assert [row["COMMAND"] for row in rows(lines)] == ["/sbin/init splash", "nginx: worker process", "vi"]
    # A name that is too long moves what stands behind it, and nothing is lost.
    assert rows([*lines, "christopher 99999  3.1 0:00 vi"])[-1]["PID"] == 99999


def test_a_column_may_be_without_a_name() -> None:
    lines = ["         total   used    free", "Mem:     15Gi   5.2Gi   1.1Gi", "Swap:   2.0Gi           1.9Gi"]
    assert [row["name"] for row in rows(lines)] == ["Mem:", "Swap:"]
    assert [row["used"] is None for row in rows(lines)] == [False, True]


def test_a_title_above_names_is_passed() -> None:
    lines = [
        "Active connections (servers and established)",
        "Proto Recv-Q Local Address       State",
        "tcp        0 127.0.0.1:5432      LISTEN",
        "udp       12 10.0.0.7:68",
        "tcp        3 10.0.0.7:22         ESTABLISHED",
    ]
    assert titles(lines) == ["Proto", "Recv-Q", "Local Address", "State"]
    assert (read(lines).header, read(lines).not_understood) == (2, 0)


PAGE = ["ACME   STOCK REPORT   Page 1", "", "Item   Kind      Qty", "-----  --------  ---"]


def test_what_heads_every_page_is_passed_on_every_page() -> None:
    other = [line.replace("Page 1", "Page 2") for line in PAGE]
    lines = [*PAGE, "P-1    bolt        5", "P-2    washer     70", *other, "P-3    spring      9"]
    table = read(lines)
    assert (len(table.rows), table.header, table.not_understood) == (3, 6, 0)


def test_a_row_that_adds_up_the_others_is_no_record() -> None:
    body = ["P-1    bolt        5", "P-2    washer     70", "P-3    spring      9"]
    lines = [*PAGE, *body, PAGE[3], "TOTAL             84", PAGE[3], "printed by otto"]
    table = read(lines)
    assert (len(table.rows), table.not_understood) == (3, 0)
    # A sum that is none is told.
    assert len(read([*PAGE, *body, PAGE[3], "TOTAL             85"]).rows) == 4


def test_rows_behind_a_rule_are_rows() -> None:
    lines = [*PAGE, "P-1    bolt        5", "P-2    washer     70", PAGE[3], "P-3    spring      9"]
    assert len(read(lines).rows) == 3


@pytest.mark.parametrize("closing", ["(2 rows)", "2 rows in set (0.00 sec)"])
def test_borders_around_a_table_are_passed(closing: str) -> None:
    rule = "+----+-------+"
    lines = [rule, "| id | name  |", rule, "|  1 | alice |", "|  2 | bob b |", rule, closing]
    table = read(lines)
    assert rows(lines) == [{"id": 1, "name": "alice"}, {"id": 2, "name": "bob b"}]
    assert (table.header, table.not_understood) == (5, 0)


def test_small_words_above_columns_are_names() -> None:
    lines = ["name     town       visits", "ann lee  New York   3", "bob      Oslo       12", "eve      Bern       7"]
    assert rows(lines)[0] == {"name": "ann lee", "town": "New York", "visits": 3}


def test_titles_with_numbers_may_stand_above_names() -> None:
    lines = [
        "top - 10:15:32 up 12 days,  2 users,  load average: 0.15, 0.10",
        "Tasks: 211 total,   1 running",
        "",
        "    PID USER      PR S  %CPU     TIME+ COMMAND",
        "      1 root      20 S   0.3   0:07.31 systemd",
        "   4121 alice     rt R  12.5  12:07.00 Web Content",
        "  10400 alice     20 S   2.0   1:40.12 nginx",
    ]
    assert [row["TIME+"] for row in rows(lines)] == [7.31, 727, 100.12]
    assert (read(lines).header, read(lines).not_understood) == (3, 0)


def test_names_of_two_words_stay_whole_above_cells_of_two_words() -> None:
    lines = ["Start Date   End Time", "Mar 3        10:00 PM", "Mar 12       9:30 AM", "Apr 1        12:15 AM"]
    assert titles(lines) == ["Start Date", "End Time"]


def test_columns_stand_below_the_names_in_a_comment() -> None:
    lines = [
        "# packages in environment",
        "# Name          Version       Build      Channel",
        "numpy           1.26.4        py311h_0   conda-forge",
        "openssl         3.2.1         h7f_1",
        "idna            3.6.0         py_0       conda-forge",
        "attrs           23.2.0        py_0       conda-forge",
    ]
    assert [row["Channel"] for row in rows(lines)][:2] == ["conda-forge", None]


def test_a_paragraph_below_a_table_is_told() -> None:
    body = [f"unit{at}.service   {'active' if at % 2 else 'failed'}   A server of {at} pages" for at in range(9)]
    said = ["ACTIVE = whether it is active, in short.", "9 units listed, pass --all to see more of them."]
    table = read(["UNIT            ACTIVE   DESCRIPTION", *body, "", *said])
    assert [field.title for field in table.format.fields] == ["UNIT", "ACTIVE", "DESCRIPTION"]
    assert (len(table.rows), table.not_understood) == (9, 2)


def test_a_second_table_is_told_and_not_taken_for_a_remark() -> None:
    first = ["| task | owner |", "|---|---|", *(f"| t{at} | {'ann' if at % 2 else 'bo'} |" for at in range(9))]
    second = ["", "| risk | score | note |", "|---|---|---|", "| r1 | 3 | x |"]
    assert read([*first, *second]).not_understood == 2


def test_a_row_of_nothing_but_delimiters_is_no_record() -> None:
    table = read(["date,store,sales", "2025-03-01,A,7", "2025-03-02,B,9", ",,", "date,store,sales", "2025-03-03,A,2"])
    assert (len(table.rows), table.header, table.not_understood) == (3, 3, 0)


def test_of_a_text_in_a_log_a_dash_and_the_words_seen_say_that_there_is_none() -> None:
    line = '10.0.0.{} - {} [10/Oct/2000:13:55:36 -0700] "GET /{} HTTP/1.1" 200 {}'
    log = [
        line.format(at, user, at % 3, size) for at, (user, size) in enumerate([("ann", 5), ("null", 7), ("-", "-")] * 4)
    ]
    found = detect(log)
    later = [line.format(9, "None", 9, 3), line.format(9, "null", "-", "-")]
    table = read_table(found, [*log[:3], *later])
    assert [row["user"] for row in table.rows] == ["ann", None, None, "None", None]
    assert [row["size"] for row in table.rows] == [5, 7, None, 3, None]
    for title in ("user", "path", "size"):
        check(found, Query(measures=(Measure(function="count"),), keys=(Column(name=title),)), [*log, *later])
