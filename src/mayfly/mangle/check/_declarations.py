"""Read declarations: what each says of its predicate, and what is wrong with it."""

from collections.abc import Sequence
from typing import Final

from mayfly.mangle._ast import Apply, Atom, Constant, Declaration, Symbol, Term, Variable
from mayfly.mangle._checked import DeclaredPredicate, Merge
from mayfly.mangle._text import show_term
from mayfly.mangle._values import Name
from mayfly.mangle.check._problems import Problems, nearest
from mayfly.mangle.check._terms import is_wildcard
from mayfly.mangle.check._type_terms import faults

KNOWN_DESCRIPTIONS: Final = (
    *("doc", "arg", "mode", "extensional", "external", "reflects", "private", "public"),
    *("fundep", "merge", "deferred", "synthetic", "name", "temporal", "desugared"),
)
MODES: Final = ("+", "-", "?")


class DeclarationReader:
    """Turn one declaration into what is known of its predicate; mistakes go to the problems."""

    def __init__(self, declaration: Declaration, problems: Problems) -> None:
        self._declaration = declaration
        self._problems = problems
        self._symbol = declaration.atom.symbol
        self._columns = tuple(
            argument.name if isinstance(argument, Variable) else "_" for argument in declaration.atom.arguments
        )

    def read(self) -> DeclaredPredicate:
        """Return what the declaration says, as far as it can be read."""
        self._check_descriptions()
        self._check_documentation()
        modes = self._modes()
        external, deferred = self._has("external"), self._has("deferred")
        if external and len(modes) != 1:
            self._add(
                f"the external predicate {self._symbol} must have exactly one mode, it has {len(modes) or 'none'}",
                self._declaration.atom,
                f"""write descr [external(), mode({", ".join('"-"' for _ in self._columns) or "…"})]""",
            )
        return DeclaredPredicate(
            symbol=self._symbol,
            columns=self._columns,
            modes=modes,
            synthetic=self._has("synthetic"),
            external=external,
            extensional=self._has("extensional"),
            private=self._has("private"),
            temporal=self._declaration.temporal or self._has("temporal"),
            merge=self._merge(),
            doc=self._doc(),
            place=self._declaration.place,
            deferred=deferred,
            bounds=self._bounds(),
            inclusions=self._declaration.inclusions or (),
        )

    def reflects(self) -> Name | None:
        """Return the prefix of names that the predicate stands for, if it reflects one."""
        prefix: Name | None = None
        for atom in self._all("reflects"):
            match atom.arguments:
                case (Constant(value=Name() as name),):
                    prefix = name
                case _:
                    self._add("reflects takes one name", atom, "write reflects(/prefix)")
        if prefix is not None and self._symbol.arity != 1:
            self._add(f"{self._symbol} reflects {prefix} but does not have exactly one column", self._declaration.atom)
        return prefix

    def _add(self, message: str, part: Atom | Term, fix: str | None = None) -> None:
        self._problems.add(message, place=part.place, fix=fix)

    def _all(self, word: str) -> list[Atom]:
        return [atom for atom in self._declaration.descriptions if atom.predicate == word]

    def _has(self, word: str) -> bool:
        return bool(self._all(word))

    def _check_descriptions(self) -> None:
        """Refuse what is nearly a known word: a misspelt `private()` must not be taken for a remark."""
        for atom in self._declaration.descriptions:
            if atom.predicate not in KNOWN_DESCRIPTIONS:
                similar = nearest(atom.predicate, KNOWN_DESCRIPTIONS)
                if similar is not None:
                    self._add(f"descr has no {atom.predicate}(…)", atom, f"did you mean {similar}(…)?")

    def _check_documentation(self) -> None:
        documents = self._all("doc")
        for atom in documents:
            if not atom.arguments:
                self._add("doc has no text", atom, 'write doc("what a fact of it means")')
            self._check_texts(atom.arguments)
        if len(documents) > 1:
            self._add("a declaration has one doc only", documents[1], 'put all texts into the first: doc("one", "two")')
        self._check_columns(self._documented())

    def _documented(self) -> set[str]:
        documented: set[str] = set()
        for atom in self._all("arg"):
            if len(atom.arguments) < 2:
                self._add("arg names a column and describes it", atom, 'write arg(X, "what X is")')
                continue
            column = atom.arguments[0]
            if not isinstance(column, Variable):
                self._add(f"arg describes a column by its variable, not {show_term(column)}", column)
            elif column.name not in self._columns or column.name in documented:
                known = ", ".join(self._columns)
                twice = "is described twice" if column.name in documented else "is no column"
                self._add(f"{column.name} {twice} of {self._symbol}", column, f"its columns are {known}")
            else:
                documented.add(column.name)
                self._check_texts(atom.arguments[1:])
        return documented

    def _check_columns(self, documented: set[str]) -> None:
        """Demand distinct columns, and either all of them described or none."""
        if self._has("synthetic"):
            return
        missing = sorted(set(self._columns) - documented)
        if missing and documented:
            self._add(
                f"arg describes some columns of {self._symbol} but not {', '.join(missing)}",
                self._declaration.atom,
                f'add arg({missing[0]}, "…") or leave all arg out',
            )
        elif missing and len(missing) != len(self._columns):
            self._add(
                f"two columns of {self._symbol} have the same name",
                self._declaration.atom,
                "give each column a variable of its own",
            )

    def _check_texts(self, terms: Sequence[Term]) -> None:
        for term in terms:
            if not (isinstance(term, Constant) and isinstance(term.value, str)):
                self._add(f"a description is a text, not {show_term(term)}", term, "put it in quotes")

    def _doc(self) -> str:
        texts = [term.value for atom in self._all("doc") for term in atom.arguments if isinstance(term, Constant)]
        return "\n".join(text for text in texts if isinstance(text, str))

    def _modes(self) -> tuple[tuple[str, ...], ...]:
        found: list[tuple[str, ...]] = []
        for atom in self._all("mode"):
            words = [term.value if isinstance(term, Constant) else None for term in atom.arguments]
            mode = tuple(word for word in words if isinstance(word, str) and word in MODES)
            if len(mode) < len(words):
                self._add('a mode has "+", "-" or "?" for each column', atom, 'for example mode("+", "-")')
            elif len(mode) != self._symbol.arity:
                self._add(f"the mode has {len(mode)} columns, {self._symbol} has {self._symbol.arity}", atom)
            elif mode:
                found.append(mode)
        return tuple(found)

    def _bounds(self) -> tuple[tuple[Term, ...], ...]:
        good = True
        for bound in self._declaration.bounds:
            if len(bound) != self._symbol.arity:
                self._problems.add(
                    f"bound has {len(bound)} types, {self._symbol} has {self._symbol.arity} columns",
                    place=bound[0].place if bound else self._declaration.place,
                    fix="give one type for each column; /any fits everything",
                )
                good = False
            for fault in (fault for kind in bound for fault in faults(kind)):
                self._problems.add(fault.message, place=fault.place, fix=fault.fix)
                good = False
        return self._declaration.bounds if good else ()

    def _merge(self) -> Merge | None:
        dependencies, merges = self._all("fundep"), self._all("merge")
        for atom in (*dependencies[1:], *merges[1:]):
            self._add(f"a declaration has one {atom.predicate} only", atom)
        if not dependencies:
            for atom in merges[:1]:
                self._add("merge needs to know which columns decide", atom, "add fundep([…], […])")
            return None
        sides = self._sides(dependencies[0])
        if sides is None or not merges:
            return None
        return self._merge_by(merges[0], *sides)

    def _merge_by(self, atom: Atom, source: tuple[int, ...], target: tuple[int, ...]) -> Merge | None:
        match atom.arguments:
            case (Apply(function="fn:list") as columns, Constant(value=str() as name)):
                merged = self._indexes(columns)
            case _:
                self._add("merge names the columns and the predicate", atom, 'write merge([Column], "predicate")')
                return None
        if len(target) != 1 or merged != target:
            self._add("merge works on the one column that fundep says depends on the others", atom)
            return None
        return Merge(source=source, target=target[0], predicate=Symbol(name, 3))

    def _sides(self, atom: Atom) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        match atom.arguments:
            case (Apply(function="fn:list") as source, Apply(function="fn:list") as target):
                return self._indexes(source), self._indexes(target)
        self._add("fundep names the deciding and the dependent columns", atom, "write fundep([Key], [Value])")
        return None

    def _indexes(self, columns: Apply) -> tuple[int, ...]:
        found: list[int] = []
        for term in columns.arguments:
            if isinstance(term, Variable) and term.name in self._columns:
                found.append(self._columns.index(term.name))
            else:
                known = ", ".join(self._columns)
                self._add(f"{show_term(term)} is no column of {self._symbol}", term, f"its columns are {known}")
        return tuple(found)


def synthetic(head: Atom, *, temporal: bool) -> DeclaredPredicate:
    """Return what is known of a predicate that has clauses but no declaration."""
    names = [argument.name if isinstance(argument, Variable) else "_" for argument in head.arguments]
    return DeclaredPredicate(
        symbol=head.symbol,
        columns=tuple(f"X{i}" if is_wildcard(name) or names.count(name) > 1 else name for i, name in enumerate(names)),
        synthetic=True,
        temporal=temporal,
        place=head.place,
    )
