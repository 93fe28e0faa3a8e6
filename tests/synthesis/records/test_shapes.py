"""Shapes that are learned from lines: names before values, words with another behind them, numbers in brackets."""

from mayfly.synthesis.records._detect import detect

from .agreement import read, rows

PACKAGES = [
    f"{name}/{suite} 1.{at}.{at + 2}-1 {arch} [upgradable from: 1.{at}.{at}-2]"
    for at, name in enumerate(("curl", "tiff-data", "webkit-dev", "samba", "tools3", "gnutls", "jinja", "noto"))
    for suite, arch in (("stable", "amd64"), ("stable-updates", "all"))
]


def test_a_name_before_a_value_may_be_a_word_of_its_own() -> None:
    assert rows(PACKAGES)[1]["from"] == "1.0.0-2"


def test_one_of_few_words_behind_a_sign_is_a_column_of_its_own() -> None:
    assert rows(PACKAGES)[1]["column 2"] == "stable-updates"
    # What varies at its end is a path, and stays whole.
    paths = [f"src/file_{at}.py line {at} {'ok' if at % 2 else 'bad'}" for at in range(12)]
    assert rows(paths)[0]["column 1"] == "src/file_0.py"


def test_versions_are_called_so() -> None:
    assert rows(PACKAGES)[2]["version"] == "1.1.3-1"


def test_numbers_may_be_padded_inside_brackets() -> None:
    lines = [f"tests/io.py::test_{at} {('PASSED', 'FAILED')[at % 3 == 0]}   [{at * 10:3}%]" for at in range(11)]
    assert [row["number"] for row in rows(lines)] == [at * 10 for at in range(11)]
    assert read(["collected 11 items", *lines]).not_understood == 1


def test_a_few_words_above_learned_lines_are_a_title() -> None:
    table = read(["Listing... Done", *PACKAGES])
    assert (len(table.rows), table.header, table.not_understood) == (len(PACKAGES), 1, 0)
    # The second half of a line has numbers or pairs, and is told; so is a line below the first record.
    lines = [f"2025-06-0{day} 07:53 upper-lock wait={day}min crew=2" for day in range(1, 8)]
    assert read(["lock wait=3min", *lines]).not_understood == 1
    assert read([*lines, "Listing... Done"]).not_understood == 1


def test_blocks_may_have_rules_between_them_and_a_title_above() -> None:
    cards = [
        line for at in range(4) for line in (f"Name: Oak {at}", f"Height: {at}.5 m", "Planted: 3 May 1990", "-------")
    ]
    table = read(["Trees of the park", "=================", "", *cards])
    assert [row["Height"] for row in table.rows] == [0.5, 1.5, 2.5, 3.5]
    assert (table.header, table.empty, table.not_understood) == (6, 1, 0)
    assert not any(field.optional for field in detect(cards).fields)


def test_a_block_without_pairs_is_told() -> None:
    cards = [line for at in range(12) for line in (f"Name: Oak {at}", f"Height: {at}.5 m", "")]
    assert read([*cards, "that is all", "of them"]).not_understood == 1


def test_bars_in_the_message_of_a_known_log_are_columns() -> None:
    said = ("login ok", "slow query", "timeout of db")
    lines = [f"2025-03-01 08:{at:02}:00|INFO|auth|{said[at % 3]}|{at * 7}" for at in range(12)]
    assert [row["number"] for row in rows(lines)] == [at * 7 for at in range(12)]
    assert rows(lines)[1]["message"] == "slow query"
    # One more bar in one line is part of what it says.
    assert rows([*lines, "2025-03-01 09:00:00|INFO|auth|a|b|3"])[-1]["message"] == "a|b|3"


def test_colons_between_cells_make_a_table() -> None:
    lines = [
        "root:x:0:0::/root:/bin/bash",
        "alice:x:1000:100:Alice A,,:/home/alice:/bin/zsh",
        "bob:x:65:65::/:/bin/false",
    ]
    assert [row["column 3"] for row in rows(lines)] == [0, 1000, 65]
    assert detect(["at 10:20:30 a:b", "at 11:20:30 c:d", "at 12:20:30 e:f"]).delimiter != ":"
