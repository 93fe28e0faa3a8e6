"""Know every predicate of a program: the declared ones, those given from outside, and those that only have clauses."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mayfly.mangle._ast import Atom, Clause, Declaration, Interval, Symbol
from mayfly.mangle._checked import DeclaredPredicate
from mayfly.mangle._values import Name
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.check._declarations import DeclarationReader, synthetic
from mayfly.mangle.check._problems import Problems, unknown_predicate

_MOST_GUESSES: Final = 50
"""For how many unknown predicates to look for a name that is alike: the search is slow in a large program."""


def package_of(name: str) -> str:
    """Return the package part of a predicate's name."""
    return name.rpartition(".")[0]


def is_eternal(time: Interval | None) -> bool:
    """Tell whether an annotation says nothing: there is none, or both its ends are open."""
    return time is None or (time.start.end is None and time.end.end is None)


class KnownPredicates:
    """Look up predicates by symbol; building it reports declarations that clash."""

    def __init__(
        self,
        declarations: Sequence[Declaration],
        clauses: Sequence[Clause],
        extra: Mapping[Symbol, DeclaredPredicate],
        problems: Problems,
    ) -> None:
        self.declared: dict[Symbol, DeclaredPredicate] = {}
        self.reflects: dict[Symbol, Name] = {}
        self._hints: dict[Symbol, tuple[str, str]] = {}
        self._names: dict[str, dict[Symbol, None]] = {}
        self._extra = dict(extra)
        self._problems = problems
        for declaration in declarations:
            self._declare(declaration)
        self._by_name = {symbol.name: found for symbol, found in self.declared.items()}
        self._extra_by_name = {symbol.name: found for symbol, found in self._extra.items()}
        for clause in clauses:
            symbol = clause.head.symbol
            # There is nothing to say of most clauses: another one of their predicate was here before.
            if clause.time is not None or symbol not in self.declared or symbol.name in self._extra_by_name:
                self._ensure(clause)
        self._resolve_merges()
        self._check_inclusions()

    def all(self) -> dict[Symbol, DeclaredPredicate]:
        """Return everything that may be asked: what was given from outside and the program's own."""
        return {**self._extra, **self.declared}

    def get(self, symbol: Symbol) -> DeclaredPredicate | None:
        """Return what is known of a predicate that is not built in."""
        return self.declared.get(symbol) or self._extra.get(symbol)

    def hint(self, symbol: Symbol) -> tuple[str, str]:
        """Say that a predicate is not known, and what may have been meant."""
        found = self._hints.get(symbol)
        if found is None:
            similar = len(self._hints) < _MOST_GUESSES
            known = PREDICATES if symbol.name.startswith(":") else self.all() if similar else self._called(symbol.name)
            found = unknown_predicate(symbol, known, similar=similar)
            self._hints[symbol] = found
        return found

    def _called(self, name: str) -> Mapping[Symbol, object]:
        """Return the predicates of one name; for a program with many mistakes, which must not take long."""
        if not self._names:
            for symbol in self.all():
                self._names.setdefault(symbol.name, {})[symbol] = None
        return self._names.get(name, {})

    def _declare(self, declaration: Declaration) -> None:
        symbol = declaration.atom.symbol
        reader = DeclarationReader(declaration, self._problems)
        found, prefix = reader.read(), reader.reflects()
        if self._is_builtin(declaration.atom):
            return
        first = self.declared.get(symbol)
        if first is not None:
            self._problems.add(
                f"{symbol} is declared twice, first at {first.place}",
                place=declaration.place,
                fix="keep one of the two",
            )
            return
        if self._redeclares(symbol, declaration):
            return
        self.declared[symbol] = found
        if prefix is not None:
            self.reflects[symbol] = prefix

    def _redeclares(self, symbol: Symbol, declaration: Declaration) -> bool:
        """Report a declaration of what is given from outside; a guess made from facts may be declared better."""
        given = [other for other in self._extra if other.name == symbol.name]
        for other in given:
            if not self._extra[other].synthetic or other.arity != symbol.arity:
                where = f" at {self._extra[other].place}" if self._extra[other].place else ""
                self._problems.add(
                    f"{symbol} is declared elsewhere as {other}{where}", place=declaration.place, fix="remove this Decl"
                )
                return True
            del self._extra[other]
        return False

    def _is_builtin(self, atom: Atom) -> bool:
        if not atom.predicate.startswith(":"):
            return False
        self._problems.add(
            f"{atom.predicate} cannot be declared or defined: names that begin with a colon are built in",
            place=atom.place,
            fix=f"call it {atom.predicate.strip(':').replace(':', '_')}",
        )
        return True

    def _ensure(self, clause: Clause) -> None:
        symbol = clause.head.symbol
        if self._is_builtin(clause.head) or self._defined_elsewhere(clause):
            return
        found = self.declared.get(symbol)
        if found is not None:
            if not found.temporal and not is_eternal(clause.time):
                self._not_temporal(clause, found)
            return
        other = self._by_name.get(symbol.name)
        if other is not None:
            self._problems.add(
                f"{symbol.name} has {symbol.arity} arguments here and {other.symbol.arity} at {other.place}",
                place=clause.place,
                fix=f"give it {other.symbol.arity} arguments, or declare both",
            )
            return
        self.declared[symbol] = synthetic(clause.head, temporal=not is_eternal(clause.time))
        self._by_name[symbol.name] = self.declared[symbol]

    def _defined_elsewhere(self, clause: Clause) -> bool:
        symbol = clause.head.symbol
        found = self._extra.get(symbol)
        if found is not None and found.extensional and clause.premises is None:
            return True
        other = found or self._extra_by_name.get(symbol.name)
        if other is None or other.symbol not in self._extra:
            return False
        what = "rule" if clause.premises is not None else "fact"
        self._problems.add(
            f"{other.symbol} is defined elsewhere and takes no {what} here",
            place=clause.place,
            fix="use a predicate of your own, or declare the other one extensional() to give it facts",
        )
        return True

    def _not_temporal(self, clause: Clause, found: DeclaredPredicate) -> None:
        fix = "write `Decl … temporal`" if not found.synthetic else f"put @[…] on the clause at {found.place} as well"
        assert clause.time is not None
        self._problems.add(f"{found.symbol} is not temporal but has a time here", place=clause.time.place, fix=fix)

    def _resolve_merges(self) -> None:
        for symbol, found in self.declared.items():
            if found.merge is None:
                continue
            wanted = found.merge.predicate
            local = wanted._replace(name=f"{package_of(symbol.name)}.{wanted.name}")
            known = [candidate for candidate in (wanted, local) if self.get(candidate) is not None]
            if known:
                self.declared[symbol] = replace(found, merge=replace(found.merge, predicate=known[0]))
            else:
                message, fix = self.hint(wanted)
                self._problems.add(f"merge of {symbol}: {message}", place=found.place, fix=fix)

    def _check_inclusions(self) -> None:
        for found in self.declared.values():
            for atom in found.inclusions:
                for fault in self._inclusion_faults(atom):
                    self._problems.add(f"inclusion of {found.symbol}: {fault[0]}", place=atom.place, fix=fault[1])

    def _inclusion_faults(self, atom: Atom) -> Iterable[tuple[str, str]]:
        if self.get(atom.symbol) is None and atom.symbol not in PREDICATES:
            yield self.hint(atom.symbol)
