"""Give every predicate the name of its package, and check that what is used of other packages was announced."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mayfly.mangle._ast import Atom, Clause, Constant, Declaration, Negation, Place, Premise, Symbol, Term, Unit
from mayfly.mangle._errors import MangleError, raise_all
from mayfly.mangle._values import Name


def resolve_packages(units: Sequence[Unit]) -> tuple[tuple[Declaration, ...], tuple[Clause, ...]]:
    """Return all declarations and clauses with full names; units of one package see each other's predicates."""
    errors: list[MangleError] = []
    grouped: dict[str, list[Unit]] = {}
    for unit in units:
        try:
            grouped.setdefault(package_name(unit), []).append(unit)
        except MangleError as error:
            errors.append(error)
    declarations: list[Declaration] = []
    clauses: list[Clause] = []
    for name, members in grouped.items():
        package = _Package(name=name, used=_used(name, members, errors), defined=_defined(members), errors=errors)
        declarations += [package.declaration(found) for unit in members for found in unit.declarations]
        clauses += [package.clause(found) for unit in members for found in unit.clauses]
    raise_all(errors)
    return tuple(declarations), tuple(clauses)


def package_name(unit: Unit) -> str:
    """Return the package a unit belongs to, "" for none; a description `name("…")` overrides the header."""
    if unit.package is None:
        return ""
    name = unit.package.name
    for description in unit.package.descriptions:
        if description.symbol != Symbol("name", 1):
            continue
        argument = description.arguments[0]
        if not isinstance(argument, Constant) or not isinstance(argument.value, str):
            raise _error("the name of a package must be a string", argument.place, fix='write name("…")')
        name = argument.value
    return name


def _used(name: str, units: Sequence[Unit], errors: list[MangleError]) -> frozenset[str]:
    for header in (header for unit in units for header in unit.uses if header.name == name):
        errors.append(_error(f"package {name} uses itself", header.place, fix=f"leave out: Use {name}!"))
    return frozenset(header.name for unit in units for header in unit.uses) | {name}


def _defined(units: Sequence[Unit]) -> frozenset[Symbol]:
    heads = {clause.head.symbol for unit in units for clause in unit.clauses}
    return frozenset(heads | {declaration.atom.symbol for unit in units for declaration in unit.declarations})


def _error(message: str, place: Place, *, fix: str | None = None) -> MangleError:
    return MangleError(message, stage="analyze", place=place, fix=fix)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Package:
    """Rename what one package defines and uses."""

    name: str
    used: frozenset[str]
    defined: frozenset[Symbol]
    errors: list[MangleError]

    def declaration(self, found: Declaration) -> Declaration:
        """Return a declaration with full names: of its predicate and of the predicates that bound it."""
        bounds = tuple(tuple(self._bound(term) for term in terms) for terms in found.bounds)
        return replace(found, atom=self._renamed(found.atom), bounds=bounds)

    def clause(self, found: Clause) -> Clause:
        """Return a clause with full names."""
        premises = None if found.premises is None else tuple(map(self._premise, found.premises))
        # In no package nothing has another name: names of other packages were looked at, and that is all.
        return replace(found, head=self._renamed(found.head), premises=premises) if self.name else found

    def _full(self, name: str) -> str:
        return f"{self.name}.{name}" if self.name else name

    def _renamed(self, atom: Atom) -> Atom:
        return replace(atom, predicate=self._full(atom.predicate)) if self.name else atom

    def _premise(self, premise: Premise) -> Premise:
        """Rename an atom or its negation; as in the language, a premise with temporal syntax keeps its name."""
        if isinstance(premise, Atom):
            return self._atom(premise)
        if not isinstance(premise, Negation):
            return premise
        atom = self._atom(premise.atom)
        return premise if atom is premise.atom else replace(premise, atom=atom)

    def _atom(self, atom: Atom) -> Atom:
        if atom.symbol in self.defined:
            return self._renamed(atom)
        self._check_announced(atom.predicate, atom.place)
        return atom

    def _bound(self, term: Term) -> Term:
        if not isinstance(term, Constant) or isinstance(term.value, Name):
            return term
        if not isinstance(term.value, str):
            self.errors.append(_error("a bound is a type or the name of a predicate in quotes", term.place))
            return term
        if Symbol(term.value, 1) in self.defined:
            return replace(term, value=self._full(term.value))
        self._check_announced(term.value, term.place)
        return term

    def _check_announced(self, name: str, place: Place) -> None:
        package, dot, _ = name.rpartition(".")
        if dot and package not in self.used:
            fix = f"add at the top: Use {package}!"
            self.errors.append(_error(f"{name} belongs to a package that is not announced", place, fix=fix))
