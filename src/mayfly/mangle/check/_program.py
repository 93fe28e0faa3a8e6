"""Check a whole program: from what was parsed to what can be evaluated."""

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from mayfly.mangle._ast import Clause, Symbol, Unit
from mayfly.mangle._checked import Checked, Declared, Given, Rule
from mayfly.mangle._packages import resolve_packages
from mayfly.mangle.check._inference import check_types
from mayfly.mangle.check._known import Known
from mayfly.mangle.check._plain import Plain
from mayfly.mangle.check._problems import Problems
from mayfly.mangle.check._rows import MOST_REPORTED, given_faults
from mayfly.mangle.check._rules import make_fact, make_rule
from mayfly.mangle.check._strata import check_temporal_recursion, stratify

_NOTHING: Mapping[Symbol, Declared] = MappingProxyType({})


def check_program(
    units: Sequence[Unit], *, extra: Mapping[Symbol, Declared] = _NOTHING, bounds: bool = True
) -> Checked:
    """Check a program and return it ready for evaluation, or raise everything that is wrong with it.

    *extra* are predicates that are known from elsewhere. Without *bounds* the declared types are read but not held
    against facts and rules, for rules that were written for an engine which never looked at them.
    An error of stage "analyze" means that the program makes no sense as it stands; "eval", that it could not be
    evaluated: a negation cycle, or a variable without a value.
    """
    declarations, clauses = resolve_packages(units)
    problems = Problems()
    known = Known(declarations, clauses, extra, problems)
    given: list[Given] = []
    rules: list[Rule] = []
    written: list[Rule] = []
    plain = Plain(known)
    for clause in clauses:
        premises = clause.premises
        if premises is None:
            fact = make_fact(clause, known, problems)
            given += [] if fact is None else [fact]
        elif plain.passes(clause):
            rules.append(Rule(number=len(rules), head=clause.head, premises=premises, transform=None, clause=clause))
            written.append(rules[-1])
        else:
            rule = make_rule(len(rules), clause, known, problems)
            rules += [] if rule is None else [rule]
            written.append(rule or _as_written(clause))
    if not problems.hinder_analysis():
        check_temporal_recursion(rules, known, problems)
    if bounds:
        check_types(rules, known, problems)
        problems.extend(islice(given_faults(known.all(), given), MOST_REPORTED))
    strata = stratify(written, problems)
    problems.raise_found()
    return Checked(declared=MappingProxyType(known.all()), given=tuple(given), rules=tuple(rules), strata=strata)


def _as_written(clause: Clause) -> Rule:
    """Return a rule that did not pass the checks, so that a cycle through it is found all the same."""
    return Rule(
        number=-1,
        head=clause.head,
        premises=clause.premises or (),
        transform=clause.transforms[0] if clause.transforms else None,
        clause=clause,
    )
