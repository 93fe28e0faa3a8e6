"""Tests of rules, written beside them: `NAME.test.toml` says what must and what must never follow from which facts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mayfly.core import InputError
from mayfly.mangle import (
    Atom,
    MangleError,
    Model,
    Name,
    Program,
    Row,
    Symbol,
    Unit,
    Value,
    load,
    parse,
    parse_atom,
    parse_fact,
    read_source,
    to_text,
    why,
    why_not,
)

SUFFIX = ".test.toml"
_KEYS = {"name", "facts", "expect", "never", "use"}


@dataclass(frozen=True, kw_only=True)
class RuleCase:
    """Say what follows from some facts under the rules of one file and those it uses."""

    name: str
    file: Path
    facts: tuple[tuple[Symbol, Row], ...]
    expect: tuple[Atom, ...]
    never: tuple[Atom, ...]
    use: tuple[Path, ...]


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """What came of one case: nothing wrong, or each expectation that was not met with the reason as a tree."""

    case: RuleCase
    wrong: tuple[str, ...]
    rules: frozenset[tuple[str, int]]
    """File and line of every rule that fired."""


def cases_of(rules: Path) -> Path:
    """Return where the tests of a rule file are kept."""
    return rules.with_name(rules.stem + SUFFIX)


def read_cases(path: Path) -> tuple[RuleCase, ...]:
    """Read the cases of one `NAME.test.toml`; what is wrong with it is one line naming the case."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    rows = table.get("case")
    if not isinstance(rows, list) or set(table) != {"case"} or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: a list of [[case]] tables is expected, and nothing else")
    return tuple(_case(path, number, row) for number, row in enumerate(rows, 1))


def _case(path: Path, number: int, row: Mapping[str, object]) -> RuleCase:
    name = row.get("name")
    where = f"{path}: case {number}" + (f" ({name})" if isinstance(name, str) else "")
    if unknown := sorted(set(row) - _KEYS):
        raise InputError(f"{where}: unknown key {unknown[0]}", fix=f"use {', '.join(sorted(_KEYS))}")
    lists = {key: row.get(key, []) for key in _KEYS - {"name"}}
    for key, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InputError(f"{where}: {key} is not a list of strings")
    if not isinstance(name, str) or not (lists["expect"] or lists["never"]):
        raise InputError(f"{where}: a case has a name, and expect or never")
    rules = path.with_name(path.name.removesuffix(SUFFIX) + ".mg")
    try:
        return RuleCase(
            name=name,
            file=rules,
            facts=tuple(parse_fact(text) for text in _texts(lists["facts"])),
            expect=tuple(parse_atom(text) for text in _texts(lists["expect"])),
            never=tuple(parse_atom(text) for text in _texts(lists["never"])),
            use=tuple(_used(path, text) for text in _texts(lists["use"])),
        )
    except MangleError as error:
        raise InputError(f"{where}: {error}") from None


def _used(path: Path, name: str) -> Path:
    """Return the rule file that a case uses: one beside it, or else a shipped one."""
    beside, shipped = path.with_name(name), Path(__file__).with_name("rules") / name
    return shipped if not beside.exists() and shipped.exists() else beside


def _texts(value: object) -> list[str]:
    assert isinstance(value, list)
    return value


def run_cases(
    cases: Sequence[RuleCase], *, configured: Callable[[str], Iterable[tuple[Symbol, Row]]] = lambda persona: ()
) -> Iterator[CaseResult]:
    """Try every case; programs are compiled once for each set of files.

    *configured* says what a persona has: a case in which one acts is given that, as far as it does not say itself which
    tools, or which policies, are granted.
    """
    programs: dict[tuple[Path, ...], Program] = {}
    units: dict[Path, Unit] = {}
    for case in cases:
        files = (case.file, *(path for path in case.use if path != case.file))
        if files not in programs:
            for path in files:
                units.setdefault(path, parse(read_source(path), file=str(path)))
            programs[files] = load([units[path] for path in files])
        yield _try(case, programs[files], _granted(case, configured))


def _granted(case: RuleCase, configured: Callable[[str], Iterable[tuple[Symbol, Row]]]) -> list[tuple[Symbol, Row]]:
    acting = [row[0] for symbol, row in case.facts if symbol == ("acting", 1)]
    names = [persona.text.removeprefix("/") for persona in acting if isinstance(persona, Name)]
    said = {symbol for symbol, _ in case.facts}
    return [fact for name in names for fact in configured(name) if fact[0] not in said]


def _try(case: RuleCase, program: Program, given: Sequence[tuple[Symbol, Row]] = ()) -> CaseResult:
    outside = {symbol for symbol, declared in program.checked.declared.items() if declared.external}
    told = [fact for fact in (*case.facts, *given) if fact[0] not in outside]
    answers = {symbol: _Answers(row for name, row in case.facts if name == symbol) for symbol in outside}
    try:
        model = program.evaluate(told, externals=answers)
        wrong = [to_text(why_not(model, atom)) for atom in case.expect if not model.match(atom)]
        for atom in case.never:
            wrong += [to_text(why(model, atom.symbol, row)) for row in model.match(atom)]
    except MangleError as error:
        return CaseResult(case=case, wrong=(str(error),), rules=frozenset())
    return CaseResult(case=case, wrong=tuple(wrong), rules=frozenset(_fired(model)))


class _Answers:
    """Answer an external predicate from the facts of the case."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)

    def __call__(self, bound: tuple[Value | None, ...]) -> list[Row]:
        return [
            row for row in self._rows if all(want is None or want == got for want, got in zip(bound, row, strict=True))
        ]


def _fired(model: Model) -> Iterator[tuple[str, int]]:
    for symbol, row in model.facts():
        origin = model.origin(symbol, row)
        if origin is not None and origin.rule is not None:
            yield origin.rule.place.file, origin.rule.place.line


def rule_files(paths: Sequence[Path] | None = None) -> list[Path]:
    """List rule files: those named, all of a directory, or the shipped ones where none is named."""
    found: list[Path] = []
    for path in paths or [Path(__file__).parent / "rules"]:
        if not path.exists():
            raise InputError(f"there is no {path}", fix="name a rule file, or a directory of them")
        found += sorted(path.glob("*.mg")) if path.is_dir() else [path]
    return found
