"""Questions about data, end to end: what is read, what every line was used for, and what is asked, not guessed."""

from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.runtime import Runtime

ORDERS = "customer,amount,status\n" + "".join(f"c{n % 5},{n}.50,{'paid' if n % 2 else 'open'}\n" for n in range(200))


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_simplest_clean_table_is_answered(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "t.csv", "name,amount\nann,10\nbob,20\n")
    outcome = runtime.run("sum of amount", lines=table)
    assert (outcome.status, outcome.value, outcome.reading) == ("resolved", 30, "sum of amount")
    assert outcome.proof is not None
    assert outcome.proof.strength == "strong"
    assert [str(witness) for witness in outcome.proof.evidence] == ["an independent reading of all 3 lines agrees"]


def test_every_word_narrows_the_answer(runtime: Runtime, tmp_path: Path) -> None:
    lines = [
        f'10.0.0.{n % 3} - - [02/Mar/2026:08:00:{n:02} +0000] "{method} {path} HTTP/1.1" {status} {n}'
        for n, (method, path, status) in enumerate(
            [
                ("GET", "/", 200),
                ("POST", "/login", 302),
                ("POST", "/", 200),
                ("GET", "/login", 200),
                ("POST", "/login", 500),
            ]
        )
    ]
    log = write(tmp_path, "access.log", "\n".join(lines) + "\n")
    assert runtime.run("number of POST requests", lines=log).value == 3
    assert runtime.run("count POST requests to /login", lines=log).value == 2
    assert runtime.run("number of PUT requests", lines=log).value == 0


@pytest.mark.parametrize("cell", ['"1,234.50"', "1234.5"])
def test_numbers_of_one_convention_are_all_added(runtime: Runtime, tmp_path: Path, cell: str) -> None:
    table = write(tmp_path, "orders.csv", ORDERS + f"c0,{cell},paid\n" * 20)
    outcome = runtime.run("sum of amount", lines=table)
    assert outcome.value == pytest.approx(sum(n + 0.5 for n in range(200)) + 20 * 1234.5)
    assert outcome.account is not None
    assert outcome.account["not_understood"] == 0


def test_numbers_of_two_conventions_are_a_question(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "orders.csv", ORDERS + "c0,$50.00,paid\n" * 20)
    outcome = runtime.run("sum of amount", lines=table)
    assert not outcome.resolved
    assert "more than one way" in outcome.reason


def test_a_few_lines_that_do_not_fit_are_said(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "orders.csv", ORDERS + "broken\n")
    outcome = runtime.run("count rows by status", lines=table)
    assert outcome.resolved
    assert outcome.account is not None
    assert (outcome.account["lines"], outcome.account["used"], outcome.account["not_understood"]) == (202, 200, 1)
    assert outcome.account["first_not_understood"] == {"line": 202, "text": "broken"}


def test_many_lines_that_do_not_fit_are_a_question(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "orders.csv", ORDERS + "broken\n" * 9)
    outcome = runtime.run("count rows by status", lines=table)
    assert (outcome.status, outcome.code) == ("collapsed", "QUESTION")
    assert outcome.candidate == {"open": 100, "paid": 100}
    assert runtime.run("count rows by status", lines=table, bad_lines="skip").value == {"open": 100, "paid": 100}
    assert runtime.run("count rows by status", lines=table, bad_lines="stop").code == "BAD_LINES"


def test_a_remembered_agent_that_meets_another_shape_is_written_again(runtime: Runtime, tmp_path: Path) -> None:
    plain = "".join(f'1.2.3.4 - - [02/Mar/2026:08:00:01 +0000] "GET /{n} HTTP/1.1" 200 5\n' for n in range(60))
    other = "".join(
        f'1.2.3.4 - - [02/Mar/2026:08:00:01 +0000] "GET /{n} HTTP/1.1" 404 5 "-" "curl/8"\n' for n in range(40)
    )
    log = write(tmp_path, "a.log", plain)
    assert runtime.run("count requests by status", lines=log).value == {"200": 60}
    mixed = write(tmp_path, "a.log", plain + other)
    outcome = runtime.run("count requests by status", lines=mixed)
    assert outcome.value == {"200": 60, "404": 40}


def test_cells_are_not_read_by_the_places_of_another_header(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "pairs.csv", "left,right\n1,20\n2,30\n")
    assert runtime.run("sum of left", lines=table).value == 3
    table = write(tmp_path, "pairs.csv", "right,left\n1,20\n2,30\n")
    outcome = runtime.run("sum of left", lines=table)
    assert (outcome.value, outcome.cached) == (50, False)


def test_odd_cells_are_read_as_the_detector_reads_them(runtime: Runtime, tmp_path: Path) -> None:
    rows = "".join(f"{day:02d}.03.2025;Ulm;{day}\n" for day in range(1, 29)) * 8
    table = write(tmp_path, "days.csv", f"Datum;Ort;Betrag\n{rows}29.03.2025;Ulm;29;\n")
    outcome = runtime.run("count rows by Ort", lines=table)
    assert (outcome.status, outcome.value) == ("resolved", {"Ulm": 224})
    assert outcome.account is not None
    assert outcome.account["not_understood"] == 1


def test_lines_are_lines_whether_empty_or_not(runtime: Runtime, tmp_path: Path) -> None:
    names = write(tmp_path, "names.txt", "Ada\nBob\n\nCy\n")
    assert runtime.run("count lines", lines=names).value == 4


def test_two_readings_with_two_answers_are_a_question(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "events.csv", "name,count\n" + "".join(f"n{n % 3},{n}\n" for n in range(30)))
    outcome = runtime.run("count by name", lines=table)
    assert outcome.code == "QUESTION"
    offered = {offer.reading: offer.gives for offer in outcome.readings}
    assert offered["count, by name"] == {"n0": 10, "n1": 10, "n2": 10}
    assert offered["sum of [count], by name"] == {"n0": 135, "n1": 145, "n2": 155}
    chosen = runtime.run("count by name", lines=table, reading="sum of [count], by name")
    assert (chosen.status, chosen.value) == ("resolved", {"n0": 135, "n1": 145, "n2": 155})


def test_a_reading_typed_back_gives_the_same(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "orders.csv", ORDERS)
    first = runtime.run("average amount of paid orders per customer", lines=table)
    again = runtime.run(first.reading, lines=table)
    assert (again.value, again.reading) == (first.value, first.reading)


def test_a_cached_answer_has_its_reading_and_its_account(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "orders.csv", ORDERS)
    first = runtime.run("count orders by status", lines=table)
    again = runtime.run("count orders by status", lines=table)
    assert again.cached
    assert (again.reading, again.account) == (first.reading, first.account)


def test_a_word_that_nothing_was_made_of_is_named(runtime: Runtime, tmp_path: Path) -> None:
    table = write(tmp_path, "orders.csv", ORDERS)
    outcome = runtime.run("count refunds by warehouse", lines=table)
    assert not outcome.resolved
    assert "'warehouse'" in outcome.reason


def test_two_inputs_are_joined_by_the_column_they_share(runtime: Runtime, tmp_path: Path) -> None:
    orders = write(tmp_path, "orders.csv", ORDERS)
    people = write(tmp_path, "people.csv", "customer,country\nc0,DE\nc1,FR\nc2,DE\nc3,FR\n")
    outcome = runtime.run("count orders by country", lines=orders, second=people)
    assert outcome.value == {"DE": 80, "FR": 80}
    assert "joined on customer = customer" in outcome.reading
    strangers = write(tmp_path, "other.csv", "x,y\n1,2\n3,4\n")
    assert "share no column" in runtime.run("count orders by country", lines=orders, second=strangers).reason


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("count " + "very " * 30_000 + "many rows", ORDERS),
        ("sort by amount ascending descending", ORDERS),
        ('"" "" ""', ORDERS),
        ("count rows", "\0\0\0\n\xff\n"),
        ("count rows", "a,b\n"),
        ("\x1b[31mcount\x07", ORDERS),
    ],
)
def test_bad_questions_and_bad_files_end_in_a_reason(
    runtime: Runtime, tmp_path: Path, question: str, table: str
) -> None:
    outcome = runtime.run(question, lines=write(tmp_path, "t.csv", table))
    assert outcome.status in ("resolved", "collapsed")
    assert outcome.reason


def test_a_column_that_is_half_numbers_says_why_it_is_not_added_up(runtime: Runtime, tmp_path: Path) -> None:
    rows = "".join(f"n{n % 5},{n if n % 2 else f'abc{n}'}\n" for n in range(100))
    outcome = runtime.run("sum of amount by name", lines=write(tmp_path, "half.csv", f"name,amount\n{rows}"))
    assert not outcome.resolved
    assert "amount: 50 of its 100 cells are no numbers, such as 'abc0'" in outcome.reason


def test_a_file_that_changes_while_it_is_read_gives_nothing_and_one_that_grows_is_told(tmp_path: Path) -> None:
    table = write(tmp_path, "orders.csv", ORDERS)
    told: list[str] = []

    def change(what: str, _: object) -> None:
        told.append(what)
        if what == "wrote":
            table.write_text(later, encoding="utf-8")

    with Runtime(Settings(state_dir=str(tmp_path / "state")), observer=change) as runtime:
        later = ORDERS[: len(ORDERS) // 2]
        outcome = runtime.run("sum of amount", lines=table, ground="none")
        assert (outcome.status, outcome.value, outcome.code) == ("collapsed", "none", "INPUT")
        assert outcome.reason == f"{table} changed while it was read; ask about a copy of it"
        table.write_text(ORDERS, encoding="utf-8")
        later = ORDERS + "c0,5.00,paid\n"
        assert runtime.run("mean of amount", lines=table).status == "resolved"
        assert told.count("grew") == 1
