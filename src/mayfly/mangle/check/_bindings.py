"""Check that every variable of a rule gets a value, by the rules of the language.

A variable has a value when a positive atom has it as an argument, when it is made equal to a constant or to a function
of variables that have values, or when the rule's head declares it as input. Builtins and functions need their inputs to
have values from what stands to their left. Equalities of two variables are looked at last, and only in one direction:
from the left variable to the right one.
"""

from collections.abc import Iterator, Sequence

from mayfly.mangle._ast import Apply, Atom, Clause, Constant, Equality, Negation, Premise, Timed, Variable
from mayfly.mangle._checked import DeclaredPredicate
from mayfly.mangle._text import show_premise
from mayfly.mangle._visit import all_variables, interval_variables, premise_variables, variables
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.check._known import KnownPredicates
from mayfly.mangle.check._problems import Problems
from mayfly.mangle.check._terms import direct_variables, is_wildcard, shown


def unified_mode(declared: DeclaredPredicate | None) -> tuple[str, ...]:
    """Return one mode for all the declared ones: a column on which they differ is "?"."""
    if declared is None or not declared.modes:
        return ()
    return tuple(column[0] if len(set(column)) == 1 else "?" for column in zip(*declared.modes, strict=True))


def head_inputs(head: Atom, declared: DeclaredPredicate | None, *wanted: str) -> set[str]:
    """Return the variables of a head in columns of one of these modes."""
    pairs = zip(head.arguments, unified_mode(declared), strict=False)
    return {term.name for term, mode in pairs if mode in wanted and isinstance(term, Variable)}


class Bindings:
    """Follow a rule's premises in their order and report what has no value."""

    def __init__(self, clause: Clause, known: KnownPredicates, problems: Problems) -> None:
        self._clause = clause
        self._known = known
        self._problems = problems
        self._parent: dict[str, str] = {}
        self._seen: dict[str, Variable] = {}
        self._reported: set[str] = set()
        self.bound = head_inputs(clause.head, known.get(clause.head.symbol), "+")

    def check(self, premises: Sequence[Premise], defined: set[str]) -> None:
        """Report every variable of head or body without a value; *defined* are those the transform gives."""
        heads = [*all_variables(self._clause.head.arguments), *interval_variables(self._clause.time)]
        for premise in premises:
            self._see(premise)
            self._follow(premise)
        for variable in heads:
            self._seen.setdefault(variable.name, variable)
        in_head = {variable.name for variable in heads}
        for name, variable in self._seen.items():
            if not (name in in_head and name in defined) and not self._has_value(name):
                self._unbound(variable, in_head=name in in_head)

    def sees(self, name: str) -> bool:
        """Tell whether the rule has this variable anywhere in its head or body."""
        return name in self._seen

    def _see(self, premise: Premise) -> None:
        for variable in premise_variables(premise):
            if not (isinstance(premise, Negation) and is_wildcard(variable.name)):
                self._seen.setdefault(variable.name, variable)

    def _has_value(self, name: str) -> bool:
        root = name
        while self._parent.get(root, root) != root:
            root = self._parent[root]
        return name in self.bound or root in self.bound

    def _follow(self, premise: Premise) -> None:
        if isinstance(premise, Atom):
            self._follow_atom(premise)
        elif isinstance(premise, Timed):
            self.bound |= {each.name for each in all_variables(premise.atom.arguments)}
            self.bound |= {each.name for each in interval_variables(premise.annotation)}
        elif isinstance(premise, Equality) and not premise.negated:
            self._follow_equality(premise)

    def _follow_atom(self, atom: Atom) -> None:
        if atom.predicate.startswith(":"):
            self._follow_builtin(atom)
            return
        mode = unified_mode(self._known.declared.get(atom.symbol))
        if not mode:
            self.bound |= {each.name for each in all_variables(atom.arguments)}
            return
        columns = zip(atom.arguments, mode, strict=True)
        self.bound |= {term.name for term, way in columns if way != "+" and isinstance(term, Variable)}

    def _follow_builtin(self, atom: Atom) -> None:
        predicate = PREDICATES.get(atom.symbol)
        if predicate is None:
            self.bound |= {each.name for each in all_variables(atom.arguments)}
            return
        columns = list(zip(atom.arguments, predicate.modes, strict=True))
        for argument, mode in columns:
            if mode == "-":
                self._check_output(atom, argument)
        self._need(direct_variables(argument for argument, mode in columns if mode == "+"), atom)
        self.bound |= {each.name for each in direct_variables(argument for argument, mode in columns if mode == "-")}
        self._need(all_variables(atom.arguments), atom)
        self.bound |= {each.name for each in all_variables(atom.arguments)}

    def _check_output(self, atom: Atom, argument: object) -> None:
        if isinstance(argument, Variable) and argument.name not in self.bound:
            return
        has = (
            f"{argument.name} has a value already" if isinstance(argument, Variable) else "something else stands there"
        )
        self._problems.add(
            f"{show_premise(atom)} gives a value to a variable of its own, but {has}",
            place=getattr(argument, "place", atom.place),
            fix="use a new variable there and compare it after with =",
        )

    def _follow_equality(self, premise: Equality) -> None:
        left, right = premise.left, premise.right
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Constant) and isinstance(other, Variable):
                self.bound.add(other.name)
                return
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Apply):
                self._need(variables(one), premise)
                if isinstance(other, Variable):
                    self.bound.add(other.name)
                    return
        if isinstance(left, Variable) and isinstance(right, Variable):
            self._unite(left.name, right.name)

    def _unite(self, left: str, right: str) -> None:
        roots = []
        for name in (left, right):
            self._parent.setdefault(name, name)
            while self._parent[name] != name:
                name = self._parent[name]
            roots.append(name)
        self._parent[roots[0]] = roots[1]

    def _need(self, wanted: Iterator[Variable], premise: Premise) -> None:
        for variable in wanted:
            if variable.name not in self.bound and variable.name not in self._reported:
                self._reported.add(variable.name)
                self._problems.add(
                    f"{shown(variable.name)} has no value yet in {_plain(premise)}",
                    place=variable.place,
                    fix="move this to the right of what gives it a value"
                    if not is_wildcard(variable.name)
                    else "name the variable and give it a value to the left of this",
                )

    def _unbound(self, variable: Variable, *, in_head: bool) -> None:
        if variable.name in self._reported:
            return
        self._reported.add(variable.name)
        name = shown(variable.name)
        if self._clause.premises is None:
            message, fix = (
                f"a fact has no variables, found {name}",
                f"write a constant, or a rule that gives {name} a value",
            )
        elif is_wildcard(variable.name):
            message, fix = "the wildcard _ has no value here", "use a variable that the body gives a value"
        elif in_head:
            message, fix = f"{name} has no value", f"use {name} in an atom of the body that is not negated"
        else:
            message, fix = (
                f"{name} has no value",
                f"use {name} in an atom that is not negated, or write _ if any will do",
            )
        self._problems.add(
            f"{message} in the {'rule' if self._clause.premises else 'fact'}", place=variable.place, fix=fix
        )


def _plain(premise: Premise) -> str:
    return show_premise(premise) if not any(is_wildcard(v.name) for v in premise_variables(premise)) else "this premise"
