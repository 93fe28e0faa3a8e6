"""Order the predicates so that negation and aggregation only look at what is complete."""

from collections.abc import Collection, Sequence

from mayfly.mangle._ast import Symbol, Timed
from mayfly.mangle._checked import Declared, Rule
from mayfly.mangle.check._graph import Edge, adjacency, components, edges, shortest_path
from mayfly.mangle.check._known import Known
from mayfly.mangle.check._problems import Problems

_MOST_STEPS = 20


def stratify(rules: Sequence[Rule], problems: Problems) -> tuple[tuple[Symbol, ...], ...]:
    """Return the predicates that have rules, lowest stratum first; report each cycle that cannot be ordered."""
    found = edges(rules)
    strata = components(adjacency((rule.head.symbol for rule in rules), found))
    group_of = {symbol: number for number, group in enumerate(strata) for symbol in group}
    reported: set[int] = set()
    for edge in found:
        group = group_of[edge.source]
        if edge.kind and group == group_of[edge.target] and group not in reported:
            reported.add(group)
            _report_cycle(edge, shortest_path(found, edge.target, edge.source, set(strata[group])), problems)
    return tuple(strata)


def _report_cycle(strict: Edge, back: Sequence[Edge], problems: Problems) -> None:
    """Name a cycle in full, each step with the place of the premise that makes it."""
    path = _path([strict, *back])
    word = "negation" if strict.kind == "!" else "aggregation"
    problems.add(
        f"{word} cycle: {strict.source}{path}",
        place=strict.place,
        fix=_negation_fix(strict) if strict.kind == "!" else _aggregation_fix(strict),
        stage="eval",
    )


def _path(steps: Sequence[Edge]) -> str:
    """Return the steps of a cycle; of a very long one the beginning and the end."""
    told = [f" -> {edge.kind}{edge.target} ({edge.place.file}:{edge.place.line})" for edge in steps]
    if len(told) > _MOST_STEPS:
        half = _MOST_STEPS // 2
        told[half:-half] = [f" -> … {len(told) - 2 * half} more …"]
    return "".join(told)


def _negation_fix(edge: Edge) -> str:
    negated, head = edge.target, edge.source
    if negated == head:
        return f"negate a predicate that does not depend on {head}, such as one defined by facts alone"
    return (
        f"negate a predicate that does not depend on {head}: let facts say it (for example verb_persona(V, P)),"
        f" derive the test from them (verb_claimed(V) :- verb_persona(V, _).) and negate that instead of {negated.name}"
    )


def _aggregation_fix(edge: Edge) -> str:
    return f"aggregate over a predicate that does not depend on {edge.source}"


def check_temporal_recursion(rules: Sequence[Rule], known: Known, problems: Problems) -> None:
    """Refuse recursion through temporal predicates that may never end."""
    if not any(declared.temporal for declared in known.declared.values()):
        return
    found = edges(rules)
    groups = components(adjacency((rule.head.symbol for rule in rules), found))
    group_of: dict[Symbol, Collection[Symbol]] = {symbol: group for group in groups for symbol in group}
    for group in groups:
        if len(group) > 1 and any(_temporal(known.get(symbol)) for symbol in group):
            _report_mutual(group, found, problems)
    for rule in rules:
        if _temporal(known.get(rule.head.symbol)):
            _check_future(rule, group_of[rule.head.symbol], problems)


def _check_future(rule: Rule, group: Collection[Symbol], problems: Problems) -> None:
    for premise in rule.premises:
        if isinstance(premise, Timed) and premise.operator in ("<+", "[+") and premise.atom.symbol in group:
            problems.add(
                f"{rule.head.symbol} looks into the future of {premise.atom.symbol}, which depends on it",
                place=premise.place,
                fix="look into the past (<- or [-), or break the recursion",
            )


def _temporal(declared: Declared | None) -> bool:
    return declared is not None and declared.temporal


def _report_mutual(group: Sequence[Symbol], found: Sequence[Edge], problems: Problems) -> None:
    inside = (edge for edge in found if edge.source in group and edge.target in group)
    first = next(edge for edge in inside if edge.source != edge.target)
    back = shortest_path(found, first.target, first.source, set(group))
    path = _path([first, *back])
    problems.add(
        f"temporal predicates depend on each other: {first.source}{path}",
        place=first.place,
        fix="make one predicate of them, or drop the time of one",
    )
