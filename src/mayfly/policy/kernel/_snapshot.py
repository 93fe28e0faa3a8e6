"""All rules as they were at one instant, compiled when first wanted and kept from one process to the next."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError, canonical_json, content_hash
from mayfly.mangle import Symbol
from mayfly.mangle.engine import freeze, functions, thaw
from mayfly.policy.kernel._files import RuleFile, claimed
from mayfly.policy.kernel.facts import COLUMNS

if TYPE_CHECKING:
    from mayfly.mangle import DeclaredPredicate, Program, Unit
    from mayfly.policy.kernel._files import Problem
    from mayfly.store import SealedFiles

# Everything that decides what a program is made of, beside the rules themselves.
_MAKERS = (Path(__file__).parents[2] / "mangle", Path(__file__).parent)
_EXTERNAL: Final = {"file_exists": ("Path",), "file_contains": ("Path", "Text")}


class Programs:
    """Keep programs by the texts they were made of and by what made them; one that is not as it was is made again."""

    def __init__(self, files: SealedFiles) -> None:
        self._files = files
        self._known: dict[str, int] = {}

    def load(self, rules: Sequence[RuleFile]) -> Program | None:
        """Return the program of exactly these files, if an earlier process has kept it."""
        key = _key(rules)
        data = self._files.get(key)
        if data is None:
            return None
        try:
            program = thaw(data)
        except Exception:  # whatever is wrong with what was kept, the rules are there to be compiled
            return None
        self._known[key] = functions(program)
        return program

    def keep(self, rules: Sequence[RuleFile], program: Program) -> None:
        """Keep the program, unless what is kept is no less."""
        key, size = _key(rules), functions(program)
        if size > self._known.get(key, -1):
            self._files.put(key, freeze(program))
            self._known[key] = size


def _key(rules: Sequence[RuleFile]) -> str:
    named = [[file.name, file.place, file.hash, file.base, file.restricts] for file in rules]
    return content_hash(canonical_json([_makers(), sys.version, named]))


@cache
def _makers() -> str:
    """Return a hash over the source of the engine and of the kernel."""
    paths = sorted(path for folder in _MAKERS for path in folder.rglob("*.py"))
    return content_hash(b"\0".join(path.read_bytes() for path in paths))


class Snapshot:
    """Rules and policies with one hash over all of them; programs are compiled when first wanted and kept."""

    def __init__(
        self,
        rules: Sequence[RuleFile],
        policies: Mapping[str, RuleFile] = MappingProxyType({}),
        *,
        problems: Iterable[Problem] = (),
        programs: int = 32,
        kept: Programs | None = None,
    ) -> None:
        self.rules = tuple(rules)
        self.policies = MappingProxyType(dict(policies))
        self.problems = tuple(problems)
        named = [(file.name, file.hash) for file in self.rules]
        self.hash = content_hash(canonical_json([named, [(name, file.hash) for name, file in self.policies.items()]]))
        self._most = programs
        self._kept = kept
        self._programs: OrderedDict[tuple[str, ...], Program] = OrderedDict()
        self._lock = Lock()

    def sharing(self, other: Snapshot) -> Snapshot:
        """Take over what *other*, which holds the same rules, has compiled already."""
        assert self.hash == other.hash, "other rules"
        self._programs, self._lock = other._programs, other._lock
        return self

    def program(self, policies: Sequence[str] = ()) -> Program:
        """Return the rules joined with the named policies and no others, compiled."""
        wanted = self._joined(policies)
        with self._lock:
            found = self._programs.get(wanted)
            if found is None:
                found = self._programs[wanted] = self._load(wanted) or self._compile(wanted)
            self._programs.move_to_end(wanted)
            while len(self._programs) > max(1, self._most):
                self._programs.popitem(last=False)
            return found

    def _joined(self, policies: Sequence[str]) -> tuple[str, ...]:
        """Return the policies that have to be joined: the shipped rules hold some of them already."""
        known = {file.name for file in self.rules}
        for name in policies:
            if name not in known and name not in self.policies:
                told = next((str(problem) for problem in self.problems if problem.file.endswith(name)), None)
                raise InputError(told or f"there is no policy {name}", fix="put it into a policy directory")
        return tuple(sorted({name for name in policies if name in self.policies}))

    def keep(self) -> None:
        """Keep the programs for later processes, where there is a place for them."""
        if self._kept is None:
            return
        with self._lock:
            compiled = list(self._programs.items())
        for policies, program in compiled:
            self._kept.keep(self._files(policies), program)

    def _load(self, policies: tuple[str, ...]) -> Program | None:
        return None if self._kept is None else self._kept.load(self._files(policies))

    def _files(self, policies: tuple[str, ...]) -> list[RuleFile]:
        return [*self.rules, *(self.policies[name] for name in policies)]

    def _compile(self, policies: tuple[str, ...]) -> Program:
        files = self._files(policies)
        if all(file.base for file in files):
            return _shipped(tuple((file.name, file.place, file.text) for file in files))
        return _compiled(files)


@lru_cache(maxsize=8)
def _shipped(files: tuple[tuple[str, str, str], ...]) -> Program:
    """Return the program of shipped rules and nothing else: one serves everybody in this process, at any time."""
    return _compiled([RuleFile(name=name, place=place, text=text, protected=None) for name, place, text in files])


def _compiled(files: Sequence[RuleFile]) -> Program:
    from mayfly.mangle import check_program, compile_program

    units = [*(file.unit for file in files), claimed(files)]
    return compile_program(check_program(units, extra=given_predicates(units)))


def given_predicates(units: Iterable[Unit]) -> dict[Symbol, DeclaredPredicate]:
    """Return what the kernel gives and no file declares."""
    from mayfly.policy.kernel._propose import PROPOSABLE

    units = list(units)
    declared = {declaration.atom.predicate for unit in units for declaration in unit.declarations}
    defined = declared | {clause.head.predicate for unit in units for clause in unit.clauses}
    given = {symbol: _declared(symbol, columns) for symbol, columns in COLUMNS.items() if symbol.name not in declared}
    for name, columns in _EXTERNAL.items():
        if name not in declared:
            symbol = Symbol(name, len(columns))
            given[symbol] = _declared(symbol, columns, external=True)
    for name, kinds in PROPOSABLE.items():
        if name not in defined:
            symbol = Symbol(name, len(kinds))
            given[symbol] = _declared(symbol, tuple(f"Argument{at}" for at, _ in enumerate(kinds, 1)))
    return given


def _declared(symbol: Symbol, columns: tuple[str, ...], *, external: bool = False) -> DeclaredPredicate:
    from mayfly.mangle import DeclaredPredicate

    return DeclaredPredicate(
        symbol=symbol,
        columns=columns,
        modes=(("+",) * len(columns),) if external else (),
        synthetic=not external,
        external=external,
        extensional=not external,
    )
