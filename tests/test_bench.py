"""How the benchmarks keep what they measured: by architecture, and compared with the last run on such a machine."""

import json
import sys
from pathlib import Path

import pytest
from bench import run
from bench._ratios import Record, compare, machine_kind, ratios
from bench._table import Table

SLOW_BOX = Table(
    title="Calls",
    caption="Milliseconds.",
    head=("what", "min", "× in-process"),
    rows=[("in-process", "1.00", "1.00 / 1.00"), ("mayfly, a call", "3.00", "3.00 / 4.00")],
)
RATES = Table(
    title="All cores",
    caption="",
    head=("what", "jobs/s", "× peer"),
    rows=[("mayfly", "50", "0.50"), ("peer", "100", "1.00")],
)


def table(*rows: tuple[str, ...], head: tuple[str, ...] = ("what", "× peer"), **more: tuple[str, ...]) -> Table:
    return Table(title="T", caption="", head=head, rows=rows, **more)


def test_ratios_are_those_of_our_own_rows() -> None:
    assert ratios([SLOW_BOX]) == {"Calls | mayfly, a call | × in-process": "3.00 / 4.00"}


def test_a_table_that_names_nobody_is_all_ours() -> None:
    assert ratios([table(("a", "2.0"), ("b", "3.0"))]) == {"T | a | × peer": "2.0", "T | b | × peer": "3.0"}


def test_a_table_says_by_which_words_its_rows_are_ours() -> None:
    rows = (("true", "outside", "1.00"), ("true", "bench", "9.00"), ("ls", "bench", "3.00"))
    found = ratios([table(*rows, head=("command", "where", "×"), ours=("bench",))])
    assert found == {"T | true | ×": "9.00", "T | ls | ×": "3.00"}


def test_rows_of_the_same_first_cell_are_told_apart_by_the_second() -> None:
    found = ratios([table(("call", "1", "2.00"), ("call", "2", "3.00"), head=("what", "processes", "× peer"))])
    assert list(found) == ["T | call, 1 | × peer", "T | call, 2 | × peer"]


def test_a_row_alone_has_no_name_since_its_first_cell_may_be_measured_too() -> None:
    assert ratios([table(("1,203", "5.7 ×"), head=("appends/s", "p99 / median"))]) == {"T |  | p99 / median": "5.7 ×"}


def test_tables_of_bars_repeat_and_are_left_out() -> None:
    assert ratios([Table(title="Bars", caption="", head=("bar", "measured"), rows=[("x ≤ 2 ×", "1.5 ×")])]) == {}


@pytest.mark.parametrize(
    ("before", "now", "slower"),
    [
        ("2.00", "2.30", False),
        ("2.00", "2.50", True),
        ("2.00", "1.00", False),
        # Either of minimum and median suffices.
        ("2.00 / 3.00", "2.00 / 4.00", True),
        ("2.00 / 3.00", "3.00 / 3.00", True),
        # 0.01 may have been 0.0149, and 0.02 may be 0.0151: rounding alone makes nothing slower.
        ("0.01", "0.02", False),
        ("0.01", "0.03", True),
        ("1,000 ×", "1,300 ×", True),
        # Not measured before, or not now.
        ("", "9.00", False),
        ("2.00", "", False),
    ],
)
def test_slower_by_more_than_a_fifth(before: str, now: str, slower: bool) -> None:
    assert bool(compare({"k": before}, {"k": now})) is slower


def test_a_ratio_that_says_faster_is_worse_when_it_shrinks() -> None:
    def measured(cell: str) -> dict[str, str]:
        return ratios([table(("a", cell), head=("what", "× faster"))])

    assert [str(one) for one in compare(measured("80"), measured("40"))] == [
        "T |  | × faster: 80 before, 40 now, 1.96 × slower"
    ]
    assert compare(measured("40"), measured("80")) == []


def test_a_ratio_of_rates_is_worse_when_it_shrinks() -> None:
    before = dict.fromkeys(ratios([RATES]), "1.00")
    assert [one.what for one in compare(before, ratios([RATES]))] == ["All cores | mayfly | × peer"]


def test_the_worst_comes_first() -> None:
    found = compare({"a": "1.00", "b": "1.00"}, {"a": "2.00", "b": "3.00"})
    assert [one.what for one in found] == ["b", "a"]


def test_a_kind_of_machine_has_no_clock_and_no_trade_mark() -> None:
    assert machine_kind("x86_64", "Intel(R) Xeon(R) Processor @ 2.50GHz") == "x86_64 Intel Xeon"
    assert machine_kind("x86_64", "Intel(R) Xeon(R) Processor") == "x86_64 Intel Xeon"
    assert machine_kind("aarch64", "0xd0c") == "aarch64 0xd0c"


def test_kinds_of_machines_are_recorded_apart(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    Record(path).write("x86_64 a", "part", measured="then", now={"k": "1.00"})
    Record(path).write("aarch64 b", "part", measured="now", now={"k": "2.00"})
    assert Record(path).of("x86_64 a", "part") == {"k": "1.00"}
    assert Record(path).of("aarch64 b", "part") == {"k": "2.00"}
    assert Record(path).of("aarch64 c", "part") == {}


def test_what_was_not_measured_this_time_stays_and_what_is_gone_goes(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    Record(path).write("m", "part", measured="then", now={"kept": "1.00", "renamed": "2.00"})
    Record(path).write("m", "part", measured="now", now={"kept": "", "new": "3.00"})
    assert Record(path).of("m", "part") == {"kept": "1.00", "new": "3.00"}


def test_a_section_takes_the_place_of_its_own_architecture_only(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    run.replace_section(page, "policy, x86_64", "old Xeon")
    run.replace_section(page, "sandbox, aarch64", "an ARM")
    run.replace_section(page, "policy, aarch64", "another ARM")
    run.replace_section(page, "policy, x86_64", "new Xeon")
    assert list(run.sections(page.read_text()).items()) == [
        ("sandbox, aarch64", "an ARM"),
        ("policy, x86_64", "new Xeon"),
        ("policy, aarch64", "another ARM"),
    ]


def test_the_page_of_results_is_one_that_is_written_so() -> None:
    found = run.sections(run.RESULTS.read_text(encoding="utf-8"))
    assert {heading.partition(", ")[0] for heading in found} <= set(run.MODULES)
    assert all(heading.partition(", ")[2] in ("x86_64", "aarch64") for heading in found)


class Measured:
    """Stands for a module of benchmarks whose ratio is as given."""

    def __init__(self, ratio: str) -> None:
        self.tables = [table(("a", ratio), ("b", "1.00"))]

    def measure(self, *, quick: bool) -> list[Table]:
        return self.tables


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory whose results are those of a run with ratio 2."""
    monkeypatch.setattr(run, "RESULTS", tmp_path / "RESULTS.md")
    call(monkeypatch, "2.00", tmp_path)
    return tmp_path


def call(monkeypatch: pytest.MonkeyPatch, ratio: str, place: Path, *options: str) -> None:
    monkeypatch.setitem(sys.modules, "bench.policy", Measured(ratio))
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "policy", "--output", str(place / "RESULTS.md"), *options])
    run.main()


def recorded(place: Path) -> str:
    kept = json.loads((place / "ratios.json").read_text())
    return str(kept[machine_kind()]["policy"]["ratios"]["T | a | × peer"])


def test_a_run_names_what_became_slower_and_records_it(
    bench: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call(monkeypatch, "2.10", bench)
    assert "Nothing became slower" in capsys.readouterr().out
    call(monkeypatch, "3.00", bench)
    assert "- policy: T | a | × peer: 2.10 before, 3.00 now, 1.42 × slower" in capsys.readouterr().out
    assert recorded(bench) == "3.00"


def test_a_first_run_has_nothing_to_compare_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "RESULTS", tmp_path / "RESULTS.md")
    call(monkeypatch, "2.00", tmp_path, "--strict")
    assert "nothing to compare with" in capsys.readouterr().out


def test_a_strict_run_fails_when_something_became_slower_and_again_when_repeated(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch, "2.10", bench, "--strict")
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            call(monkeypatch, "3.00", bench, "--strict")
        assert ended.value.code == 1
    assert recorded(bench) == "2.10"


def test_a_quick_run_compares_and_records_nothing(
    bench: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call(monkeypatch, "3.00", bench, "--quick")
    assert "2.00 before, 3.00 now" in capsys.readouterr().out
    assert recorded(bench) == "2.00"
