"""Find rules that can only break the declared types.

Every variable has a list of types, each of which its value must fit because of where it stands. Only what is certain
is reported: a variable of the body that two atoms give different types, or a head that no row of the body can fit.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mayfly.mangle._ast import Apply, Atom, Constant, Equality, Negation, Premise, Term, Variable
from mayfly.mangle._checked import CheckedRule, DeclaredPredicate
from mayfly.mangle._errors import MangleError
from mayfly.mangle._evaluate import evaluate
from mayfly.mangle._text import show_term
from mayfly.mangle._values import Name
from mayfly.mangle._visit import atom_of, variables
from mayfly.mangle.builtins import FUNCTIONS, PREDICATES
from mayfly.mangle.check._known import KnownPredicates
from mayfly.mangle.check._problems import Problems
from mayfly.mangle.check._types import ANYTHING, NOWHERE, disjoint, show_type, singleton, type_of

_BUILDERS = frozenset({"fn:list", "fn:map", "fn:struct", "fn:pair", "fn:tuple"})
_ROUNDS = 3
"""How often to go over the body: what an equality says must reach both of its sides."""


_MOST_WORK = 300_000
"""How many pairs of types to compare for one rule: declarations with thousands of alternatives are not looked into."""


class TypeReason(NamedTuple):
    """A type that a variable must fit, and what says so."""

    type: Term
    because: str
    declared: bool
    """Whether a declaration says so, and not only a builtin, which would fail by itself when it is evaluated."""


class Inference:
    """Collect what is certain of the variables of one rule."""

    def __init__(self, rule: CheckedRule, known: KnownPredicates) -> None:
        self._rule = rule
        self._known = known
        self._reasons: dict[str, list[TypeReason]] = {}
        self._work = _MOST_WORK
        self._sizes: dict[int, tuple[Term, int]] = {}

    def check(self, problems: Problems) -> None:
        """Report the atoms of body and head that contradict the declared types."""
        for _ in range(_ROUNDS):
            for premise in self._rule.premises:
                self._learn(premise)
        for let in self._rule.transform.lets if self._rule.transform else ():
            self._note(let.variable, TypeReason(self._type(let.function), let.function.function, declared=True))
        for premise in self._rule.premises:
            atom = atom_of(premise)
            if atom is not None and not isinstance(premise, Negation):
                self._check_atom(atom, problems, in_head=False)
        self._check_atom(self._rule.head, problems, in_head=True)

    def _note(self, variable: Variable, reason: TypeReason) -> None:
        if variable.name == "_" or isinstance(reason.type, Variable):
            return
        reasons = self._reasons.setdefault(variable.name, [])
        if not any(other.type == reason.type for other in reasons):
            reasons.append(reason)

    def _learn(self, premise: Premise) -> None:
        atom = atom_of(premise)
        if isinstance(premise, Equality) and not premise.negated:
            self._learn_equality(premise)
        elif isinstance(premise, Atom) and premise.symbol in PREDICATES:
            self._learn_builtin(premise)
        elif atom is not None and not isinstance(premise, Negation):
            self._learn_atom(atom)

    def _learn_equality(self, premise: Equality) -> None:
        for one, other in ((premise.left, premise.right), (premise.right, premise.left)):
            if not isinstance(one, Variable):
                continue
            if isinstance(other, Variable):
                for reason in self._reasons.get(other.name, ())[:]:
                    self._note(one, reason)
            else:
                self._note(one, TypeReason(self._type(other), f"{one.name} = {show_term(other)}", declared=True))

    def _learn_builtin(self, atom: Atom) -> None:
        for argument, expression in zip(atom.arguments, PREDICATES[atom.symbol].types, strict=True):
            # What the tables call an interval of times is held as numbers.
            if isinstance(argument, Variable) and not atom.predicate.startswith(":interval:"):
                self._note(argument, TypeReason(type_of(expression), atom.predicate, declared=False))

    def _learn_atom(self, atom: Atom) -> None:
        """Take the type of a column from the alternatives that are still possible."""
        declared = self._known.get(atom.symbol)
        if declared is None or not declared.bounds:
            return
        possible = [bound for bound in declared.bounds if self._conflict(atom, bound) is None]
        for number, argument in enumerate(atom.arguments):
            if isinstance(argument, Variable) and possible:
                kinds = tuple(bound[number] for bound in possible)
                union = kinds[0] if len(kinds) == 1 else Apply(function="fn:Union", arguments=kinds, place=NOWHERE)
                self._note(argument, TypeReason(union, f"{atom.symbol}", declared=True))

    def _check_atom(self, atom: Atom, problems: Problems, *, in_head: bool) -> None:
        declared = self._known.get(atom.symbol)
        if declared is None or not declared.bounds or any(self._hopeless(term) for term in atom.arguments):
            return
        conflicts = [self._conflict(atom, bound) for bound in declared.bounds]
        if not in_head and any(
            conflict and not isinstance(atom.arguments[conflict[0]], Variable) for conflict in conflicts
        ):
            # A constant that no row has breaks nothing: the rule only never applies.
            return
        if all(conflict is not None for conflict in conflicts):
            found = [conflict for conflict in conflicts if conflict is not None]
            self._report(atom, declared, found, problems, in_head=in_head)

    def _hopeless(self, term: Term) -> bool:
        """Tell whether builtins alone contradict what is known: evaluating them will say so, with the values."""
        if not isinstance(term, Variable):
            return False
        reasons = self._reasons.get(term.name, [])
        builtin = [reason for reason in reasons if not reason.declared]
        return any(self._disjoint(reason.type, other.type) for reason in builtin for other in reasons)

    def _disjoint(self, one: Term, other: Term) -> bool:
        """Tell whether two types have no value in common; not, once too much was compared."""
        self._work -= self._size(one) * self._size(other)
        return self._work >= 0 and disjoint(one, other)

    def _size(self, term: Term) -> int:
        if not isinstance(term, Apply):
            return 1
        found = self._sizes.get(id(term))
        if found is None:
            # The term is kept, so that no other one gets its id.
            found = self._sizes[id(term)] = (term, 1 + sum(map(self._size, term.arguments)))
        return found[1]

    def _conflict(self, atom: Atom, bound: Sequence[Term]) -> tuple[int, TypeReason] | None:
        """Return the first column whose argument cannot fit, with the reason."""
        for number, (argument, kind) in enumerate(zip(atom.arguments, bound, strict=True)):
            for reason in self._about(argument):
                if reason.declared and self._disjoint(reason.type, kind):
                    return number, reason
        return None

    def _about(self, term: Term) -> Iterator[TypeReason]:
        if isinstance(term, Variable):
            yield from self._reasons.get(term.name, ())
        else:
            yield TypeReason(self._type(term), show_term(term), declared=True)

    def _report(
        self,
        atom: Atom,
        declared: DeclaredPredicate,
        conflicts: Sequence[tuple[int, TypeReason]],
        problems: Problems,
        *,
        in_head: bool,
    ) -> None:
        number, reason = conflicts[0]
        argument, wanted = atom.arguments[number], show_type(declared.bounds[0][number])
        known = f"{show_type(reason.type)} by {reason.because}" if isinstance(argument, Variable) else "not"
        never = "no fact of this rule can fit" if in_head else "this is never true"
        column = f"column {declared.columns[number]} of {declared.symbol}"
        problems.add(
            f"{column} is {wanted}; {show_term(argument)} is {known}: {never}",
            place=argument.place,
            fix=f"mend the rule or the bound at {declared.place}" if declared.place else None,
        )

    def _type(self, term: Term) -> Term:
        """Return a type that the value of a term certainly fits."""
        if isinstance(term, Constant):
            return singleton(term.value)
        if isinstance(term, Variable):
            return ANYTHING
        return self._function_type(term)

    def _function_type(self, term: Apply) -> Term:
        name = term.function
        if name in _BUILDERS and next(variables(term), None) is None:
            return self._built(term)
        if name == "fn:struct":
            return self._struct_type(term)
        if name == "fn:map":
            return type_of(("fn:Map", "K", "V"))
        function = FUNCTIONS.get(name)
        # The tables call the ends of an interval times; they are held as numbers.
        if function is None or function.gives is None or name.startswith("fn:interval:"):
            return ANYTHING
        return type_of(function.gives)

    def _built(self, term: Apply) -> Term:
        try:
            return singleton(evaluate(term, stage="analyze"))
        except MangleError:
            return ANYTHING

    def _struct_type(self, term: Apply) -> Term:
        arguments: list[Term] = []
        for label, value in zip(term.arguments[::2], term.arguments[1::2], strict=False):
            if isinstance(label, Constant) and isinstance(label.value, Name):
                arguments += [label, self._type(value)]
        return Apply(function="fn:Struct", arguments=tuple(arguments), place=term.place)


def check_types(rules: Sequence[CheckedRule], known: KnownPredicates, problems: Problems) -> None:
    """Report every rule that contradicts the declared types."""
    types = (kind for declared in known.all().values() for bound in declared.bounds for kind in bound)
    if any(not (isinstance(kind, Constant) and kind.value == Name("/any")) for kind in types):
        for rule in rules:
            Inference(rule, known).check(problems)
