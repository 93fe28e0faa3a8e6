"""The engines, each behind the same two calls: with its text parsed anew, and with everything prepared that can be."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from bench._policy_cases import Case, Fact
from mayfly.mangle import (
    Atom,
    Clause,
    Constant,
    Equality,
    Limits,
    Model,
    Name,
    Negation,
    Premise,
    Row,
    Term,
    Value,
    Variable,
    load,
    parse,
    parse_fact,
    show_row,
)
from mayfly.mangle.engine import freeze, thaw

_SIGNS = {":lt": "<", ":le": "<=", ":gt": ">", ":ge": ">="}
PATIENT = Limits(facts=10_000_000, seconds=120)


class Engine(Protocol):
    """An engine loaded with one case."""

    def from_text(self) -> object: ...
    def prepared(self) -> object: ...
    def answer(self) -> set[str]: ...


class Ours:
    """This project's engine, with or without derivations."""

    def __init__(self, case: Case, *, record: bool) -> None:
        self._case = case
        self._record = record
        self._facts = [f"{show_row(symbol, row)}." for symbol, row in case.facts]
        self._program = load([parse(case.rules)])

    def ready(self) -> object:
        """Read the rules, check and compile them: all that can be done before there are facts."""
        return load([parse(self._case.rules)])

    def from_text(self) -> Model:
        """Read rules and facts, check, compile, evaluate."""
        facts = [parse_fact(fact) for fact in self._facts]
        return load([parse(self._case.rules)]).evaluate(facts, limits=PATIENT, record=self._record)

    def prepared(self) -> Model:
        """Evaluate a program that is loaded, on facts that are there."""
        return self._program.evaluate(self._case.facts, limits=PATIENT, record=self._record)

    def answer(self) -> set[str]:
        """Return the rows that were asked for, as the translation for the peers spells them."""
        return {_row(row) for row in self.prepared().rows(self._case.asked)}


class Clingo:
    """clingo, which grounds a whole program for each question; prepared means that the syntax tree is there."""

    def __init__(self, case: Case) -> None:
        import clingo
        from clingo import ast

        self._clingo, self._ast = clingo, ast
        self._case = case
        self._text = to_clingo(case.rules, case.facts)
        self._nodes: list[Any] = []
        ast.parse_string(self._text, self._nodes.append)

    def from_text(self) -> object:
        """Parse, ground, solve."""
        control = self._clingo.Control(["--warn=none"])
        control.add("base", [], self._text)
        return self._solve(control, None)

    def ready(self) -> object:
        """Parse only."""
        control = self._clingo.Control(["--warn=none"])
        control.add("base", [], self._text)
        return control

    def prepared(self) -> object:
        """Ground and solve."""
        control = self._clingo.Control(["--warn=none"])
        with self._ast.ProgramBuilder(control) as builder:
            for node in self._nodes:
                builder.add(node)
        return self._solve(control, None)

    def _solve(self, control: Any, on_model: Callable[[Any], object] | None) -> object:
        control.ground([("base", [])])
        return control.solve(on_model=on_model)

    def answer(self) -> set[str]:
        """Return the rows that were asked for."""
        control = self._clingo.Control(["--warn=none"])
        control.add("base", [], self._text)
        found: set[str] = set()
        asked = self._case.asked
        self._solve(
            control,
            lambda model: found.update(
                ",".join(map(str, atom.arguments)) for atom in model.symbols(atoms=True) if atom.name == asked.name
            ),
        )
        return found


class Kept(Ours):
    """This project's engine with a program that an earlier process has read and kept as bytes."""

    def __init__(self, case: Case) -> None:
        super().__init__(case, record=True)
        self.prepared()
        self._kept = freeze(self._program)

    def ready(self) -> object:
        """Take the bytes for a program."""
        return thaw(self._kept)


class DuckDB:
    """DuckDB, asked by a recursive query; prepared means that the facts are in its tables."""

    def __init__(self, case: Case, *, hand_over: bool) -> None:
        duckdb: Any = importlib.import_module("duckdb")
        self._all = case.query.format("*")
        self._query = self._all if hand_over else case.query.format("count(*)")
        self._connection = duckdb.connect()
        for symbol in {symbol for symbol, _ in case.facts}:
            columns = [f"c{column}" for column in range(symbol.arity)]
            rows = [row for other, row in case.facts if other == symbol]
            self._connection.execute(f"CREATE TABLE {symbol.name} ({', '.join(f'{one} BIGINT' for one in columns)})")
            listed = ", ".join("unnest(?)" for _ in columns)
            values = [list(column) for column in zip(*rows, strict=True)]
            self._connection.execute(f"INSERT INTO {symbol.name} SELECT {listed}", values)

    def from_text(self) -> object:
        """Say that there is no such thing."""
        raise NotImplementedError

    def prepared(self) -> object:
        """Ask, and take the rows or their number."""
        return self._connection.execute(self._query).fetchall()

    def answer(self) -> set[str]:
        """Return the rows that were asked for."""
        return {_row(row) for row in self._connection.execute(self._all).fetchall()}


class ManglePy:
    """mangle-py, whose one call parses and evaluates."""

    def __init__(self, case: Case) -> None:
        self._mangle: Any = importlib.import_module("mangle")
        self._case = case
        self._text = "\n".join([case.rules, *(f"{show_row(symbol, row)}." for symbol, row in case.facts)])

    def from_text(self) -> Any:
        """Parse and evaluate."""
        return self._mangle.Program(self._text)

    def prepared(self) -> object:
        """Say that there is no such thing."""
        raise NotImplementedError

    def answer(self) -> set[str]:
        """Return the rows that were asked for."""
        rows = self.from_text().query(self._case.asked.name)
        return {_row(tuple(Name(v.value) if isinstance(v, self._mangle.Name) else v for v in row)) for row in rows}


def engines(case: Case) -> dict[str, Engine]:
    """Return the engines that are installed and have the patience for this case."""
    found: dict[str, Engine] = {
        "mayfly, with derivations": Ours(case, record=True),
        "mayfly, without": Ours(case, record=False),
    }
    peers: dict[str, Callable[[], Engine]] = {"clingo": lambda: Clingo(case), "mangle-py": lambda: ManglePy(case)}
    wanted = {name: made for name, made in peers.items() if name in case.patience}
    if case.query:
        wanted["DuckDB"] = lambda: DuckDB(case, hand_over=True)
        wanted["DuckDB, counted"] = lambda: DuckDB(case, hand_over=False)
    for name, made in wanted.items():
        try:
            found[name] = made()
        except ImportError:
            continue
    return found


def readiers(case: Case) -> dict[str, Callable[[], object]]:
    """Return the ways to a program that can be evaluated, from its text or from what was kept of it."""
    found = {"mayfly": Ours(case, record=True).ready, "mayfly, kept": Kept(case).ready}
    try:
        clingo = Clingo(case)
    except ImportError:
        return found
    return {**found, "clingo, parsed only": clingo.ready, "clingo, solved": clingo.from_text}


def to_clingo(rules: str, facts: Sequence[Fact]) -> str:
    """Translate rules and facts; names become strings with their slash."""
    unit = parse(rules)
    lines = [_clause(clause) for clause in unit.clauses]
    lines += [f"{symbol.name}({_row(row)})." for symbol, row in facts]
    declared = {declaration.atom.symbol for declaration in unit.declarations}
    lines += [f"#defined {symbol}." for symbol in declared]
    return "\n".join(lines)


def _clause(clause: Clause) -> str:
    body = ", ".join(_premise(premise) for premise in clause.premises or ())
    return f"{_atom(clause.head)} :- {body}." if body else f"{_atom(clause.head)}."


def _premise(premise: Premise) -> str:
    if isinstance(premise, Negation):
        return f"not {_atom(premise.atom)}"
    if isinstance(premise, Equality):
        return f"{_term(premise.left)} {'!=' if premise.negated else '='} {_term(premise.right)}"
    if isinstance(premise, Atom):
        return _atom(premise)
    raise ValueError("the benchmark's rules have no times")


def _atom(atom: Atom) -> str:
    sign = _SIGNS.get(atom.predicate)
    terms = [_term(term) for term in atom.arguments]
    return f" {sign} ".join(terms) if sign else f"{atom.predicate}({','.join(terms)})"


def _term(term: Term) -> str:
    if isinstance(term, Variable):
        return term.name
    if isinstance(term, Constant):
        return _value(term.value)
    raise ValueError("the benchmark's rules have no functions")


def _row(row: Row) -> str:
    return ",".join(_value(value) for value in row)


def _value(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    text = value.text if isinstance(value, Name) else value
    if not isinstance(text, str):
        raise ValueError("the benchmark's facts are names, strings and numbers")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
