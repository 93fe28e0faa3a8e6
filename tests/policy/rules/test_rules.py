"""The shipped rules do what is written beside them, and every rule of every file is needed for something."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from mayfly.mangle import Unit, parse, read_source, show_clause
from mayfly.policy._cases import CaseResult, cases_of, read_cases, run_cases

from ..configured import granted  # noqa: TID252
from .actions import RULES

FILES = sorted(path.name for path in RULES.glob("*.mg"))
TRIED = sorted(path.name for path in RULES.glob("*.mg") if cases_of(path).exists())


@cache
def _unit(name: str) -> Unit:
    return parse(read_source(RULES / name), file=name)


@cache
def _tried(name: str) -> tuple[CaseResult, ...]:
    return tuple(run_cases(read_cases(cases_of(RULES / name)), configured=granted))


@pytest.mark.parametrize("name", TRIED)
def test_what_is_written_beside_a_rule_file_holds(name: str) -> None:
    wrong = [f"{tried.case.name}: {line}" for tried in _tried(name) for line in tried.wrong]
    assert not wrong, "\n".join(wrong)


def test_every_rule_fires_in_some_case() -> None:
    fired = {(Path(file).name, line) for name in TRIED for tried in _tried(name) for file, line in tried.rules}
    rules = ((name, clause) for name in FILES for clause in _unit(name).clauses if clause.premises is not None)
    idle = [
        f"{name}:{clause.place.line} {show_clause(clause)}"
        for name, clause in rules
        if (name, clause.place.line) not in fired
    ]
    assert not idle, "\n".join(idle)


@pytest.mark.parametrize("name", FILES)
def test_a_rule_file_begins_with_its_purpose(name: str) -> None:
    assert read_source(RULES / name).startswith("# ")


@pytest.mark.parametrize("name", FILES)
def test_every_declaration_says_what_the_predicate_means(name: str) -> None:
    told = {
        declaration.atom.predicate: any(item.predicate == "doc" for item in declaration.descriptions)
        for declaration in _unit(name).declarations
    }
    assert [predicate for predicate, documented in told.items() if not documented] == []


def test_every_predicate_that_is_defined_is_declared_once() -> None:
    declared = Counter(declaration.atom.symbol for name in FILES for declaration in _unit(name).declarations)
    defined = {clause.head.symbol for name in FILES for clause in _unit(name).clauses}
    assert {str(symbol) for symbol in defined - declared.keys()} == set()
    assert [str(symbol) for symbol, times in declared.items() if times > 1] == []


def test_a_case_that_is_not_met_is_told_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "mine.mg").write_text(
        "# One rule.\nDecl given(X) bound [/name].\nDecl found(X) bound [/name].\nfound(X) :- given(X).\n"
    )
    (tmp_path / "mine.test.toml").write_text('[[case]]\nname = "none"\nfacts = ["given(/a)"]\nnever = ["found(/a)"]\n')
    (tried,) = run_cases(read_cases(tmp_path / "mine.test.toml"))
    assert "found(/a)" in tried.wrong[0]
