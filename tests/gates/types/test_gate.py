import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mayfly.gates.types._gate import TypeGate, verdicts_of
from mayfly.gates.types._server import Answer, TypeOptions, check_cold
from mayfly.sandbox import MEMO_IMPORTS

TYPED = "def double(number: int) -> int:\n    return number * 2\n"
UNTYPED = "import re\n\n\ndef first(text):\n    return re.split(',', text)[0]\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "mypy-cache"


@pytest.fixture(scope="module")
def gate(cache: Path) -> Iterator[TypeGate]:
    with TypeGate(cache_dir=cache) as made:
        made.start()
        yield made


def codes(gate: TypeGate, source: str) -> list[str]:
    return [verdict.code for verdict in gate.check(source).verdicts]


def test_typed_source_is_accepted_with_the_time_it_took(gate: TypeGate) -> None:
    report = gate.check(TYPED)
    (verdict,) = report.verdicts
    assert report.accepted
    assert (verdict.decision, verdict.gate) == ("accept", "types")
    assert verdict.measured == report.milliseconds > 0
    assert report.how == "warm"


def test_an_untyped_def_is_refused_with_the_line_of_mypy(gate: TypeGate) -> None:
    (verdict,) = gate.check(UNTYPED).verdicts
    assert (verdict.decision, verdict.gate, verdict.code) == ("reject", "types", "NO_UNTYPED_DEF")
    assert verdict.line == 4
    assert verdict.message == "Function is missing a type annotation"
    assert verdict.fix


def test_a_refusal_takes_the_hint_of_mypy_where_it_gives_one(gate: TypeGate) -> None:
    (verdict,) = gate.check("def go():\n    print(1)\n").verdicts
    assert verdict.fix == 'Use "-> None" if function does not return a value'


def test_a_program_is_checked_as_if_none_had_come_before(gate: TypeGate) -> None:
    good, bad = "x: int = 1\n", "x: int = 'one'\n"
    assert [codes(gate, source) for source in (good, bad, good, bad)] == [["OK"], ["ASSIGNMENT"]] * 2


def test_what_tier_memo_may_import_is_loaded_beforehand(gate: TypeGate) -> None:
    report = gate.check("".join(f"import {name}\n" for name in sorted(MEMO_IMPORTS)))
    assert (report.accepted, report.how) == (True, "warm")


def test_no_more_than_twenty_verdicts_are_given(gate: TypeGate) -> None:
    source = "".join(f"x{number}: int = 'text'\n" for number in range(50))
    assert codes(gate, source) == ["ASSIGNMENT"] * 20


def test_a_syntax_error_is_a_verdict(gate: TypeGate) -> None:
    assert codes(gate, "def broken(:\n")[0] == "SYNTAX"


@pytest.mark.parametrize("source", ["", "\ufeffx: int = 1\n", "x: int = 1\r\ny: str = ''\r\n", "# nothing\n"])
def test_odd_but_valid_text_is_accepted(gate: TypeGate, source: str) -> None:
    assert gate.check(source).accepted


def test_a_zero_byte_is_refused(gate: TypeGate) -> None:
    assert not gate.check("x = 1\x00\n").accepted


def test_half_a_character_is_refused(gate: TypeGate) -> None:
    assert codes(gate, "x = 1\ny = '\ud800'\n") == ["ENCODING"]


def test_another_encoding_than_the_one_that_runs_is_refused(gate: TypeGate) -> None:
    assert codes(gate, "# -*- coding: utf-7 -*-\nx = 1\n") == ["ENCODING"]


@pytest.mark.parametrize(
    "source",
    [
        "x: int = 'a'  # type: ignore\n",
        "x: int = 'a'  # type:ignore[assignment]\n",
        "# mypy: ignore-errors\nx: int = 'a'\n",
        "# MyPy : ignore-errors\nx: int = 'a'\n",
        "from typing import no_type_check\n\n\n@no_type_check\ndef f(x):\n    return x\n",
        "import typing as t\n\n\n@t.no_type_check\ndef f(x):\n    return x\n",
        "from typing import TYPE_CHECKING as T\n\nif not T:\n    x: int = 'a'\n",
        "MYPY = False\nif not MYPY:\n    x: int = 'a'\n",
        "PY2 = True\nif PY2:\n    x: int = 'a'\n",
        "def broken(:\n    pass  # type: ignore\n",
    ],
)
def test_what_would_make_mypy_look_away_is_refused(gate: TypeGate, source: str) -> None:
    assert "SUPPRESSION" in codes(gate, source)


def test_the_line_of_a_suppression_is_named(gate: TypeGate) -> None:
    assert gate.check("x = 1\ny: int = 'a'  # type: ignore\n").verdicts[0].line == 2


def test_text_that_only_looks_like_a_suppression_is_not_one(gate: TypeGate) -> None:
    assert gate.check('NOTE = "# type: ignore"\nTEXT = """\n# mypy: ignore-errors\n"""\n').accepted


def test_a_source_above_the_limit_is_refused_unread(gate: TypeGate) -> None:
    (verdict,) = gate.check("#" * (TypeOptions().source + 1)).verdicts
    assert (verdict.code, verdict.limit) == ("TYPES_SIZE", TypeOptions().source)


def test_an_installed_package_is_seen_only_when_packages_are_granted(gate: TypeGate) -> None:
    source = "import iniconfig\n\nx: int = iniconfig.IniConfig\n"
    assert codes(gate, source)[0] == "IMPORT_NOT_FOUND"
    assert [verdict.code for verdict in gate.check(source, packages=True).verdicts] == ["ASSIGNMENT"]


@pytest.mark.parametrize("warm", [True, False])
def test_duckdb_is_checked_with_its_own_types(gate: TypeGate, cache: Path, warm: bool) -> None:
    source = "import duckdb\n\n\ndef f(path: str) -> dict[str, int]:\n    return {}\n"
    good = source.replace("{}", 'dict(duckdb.execute("FROM read_csv($p)", {"p": path}).fetchall())')
    bad, unknown = source.replace("{}", "duckdb.execute(path).fetchall()"), source.replace("{}", "duckdb.exekute(path)")
    found = []
    for text in (good, bad, unknown, "import duckdb, iniconfig\n"):
        answer = gate.check(text).verdicts if warm else verdicts_of(_ask_cold(text, cache), TypeOptions())
        found.append([verdict.code for verdict in answer])
    assert found == [["OK"] if warm else [], ["RETURN_VALUE"], ["NO_ANY_RETURN", "ATTR_DEFINED"], ["IMPORT_NOT_FOUND"]]


def _ask_cold(source: str, cache: Path) -> Answer:
    return check_cold(source, TypeOptions(), cache, packages=False)


def test_threads_get_the_answers_to_their_own_questions(gate: TypeGate) -> None:
    sources = [f"x: int = {'1' if number % 2 else repr('a')}\n" for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(gate.check, sources))
    assert [report.accepted for report in reports] == [bool(number % 2) for number in range(8)]


def test_configuration_modules_and_variables_of_the_user_have_no_say(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_errors = True\nplugins = evil\n")
    (tmp_path / "helper.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(tmp_path))
    with TypeGate(cache_dir=cache) as own:
        assert codes(own, UNTYPED) == ["NO_UNTYPED_DEF"]
        assert codes(own, "import helper\n") == ["IMPORT_NOT_FOUND"]


@pytest.mark.later
def test_the_verdicts_are_those_of_the_command_line(gate: TypeGate, tmp_path: Path) -> None:
    sources = [
        TYPED,
        UNTYPED,
        "from collections import defaultdict\n\ngroups = defaultdict(list)\ngroups['a'].append(1)\n",
        "import json\n\n\ndef load(text: str) -> dict[str, int]:\n    return json.loads(text)\n",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass P:\n    x: int\n\n\nP(y=1)\nP('a').z\n",
        "def f(x: list) -> dict:\n    return {i: i for i in x}\n",
        "class A:\n    def m(self, x: int = None) -> int:\n        for y in range(x):\n            return y\n",
    ]
    files = [tmp_path / f"source_{number}.py" for number in range(len(sources))]
    for file, source in zip(files, sources, strict=True):
        file.write_text(source)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--no-site-packages",
        "--cache-dir=/dev/null",
    ]
    ran = subprocess.run([*command, "--output=json", *map(str, files)], capture_output=True, text=True, cwd=tmp_path)
    said = [json.loads(line) for line in ran.stdout.splitlines()]
    for file, source in zip(files, sources, strict=True):
        wanted = [(m["line"], m["message"]) for m in said if m["file"] == file.name and m["severity"] == "error"]
        refused = [verdict for verdict in gate.check(source).verdicts if verdict.decision == "reject"]
        assert [(verdict.line, verdict.message) for verdict in refused] == wanted


def test_a_source_is_checked_while_something_else_is_done(gate: TypeGate) -> None:
    gate.check("x: int = 1\n")
    with gate.ahead("x: int = ''\n") as found:
        pass
    report = found()
    assert report is not None
    assert not report.accepted
    assert gate.check_and_repair("x: int = ''\n", first=report)[0].verdicts == report.verdicts


def test_nobody_waits_for_a_server_that_is_not_ready(tmp_path: Path) -> None:
    with TypeGate(cache_dir=tmp_path) as cold, cold.ahead("x: int = 1\n") as found:
        pass
    assert found() is None
