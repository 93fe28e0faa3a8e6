"""Order the predicates by what depends on what, so that negation and aggregation only look at what is complete."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from mayfly.mangle._ast import Negation, Place, Symbol, Timed
from mayfly.mangle._checked import CheckedRule, DeclaredPredicate
from mayfly.mangle._visit import atom_of
from mayfly.mangle.check._known import KnownPredicates
from mayfly.mangle.check._problems import Problems

Graph = Mapping[Symbol, Collection[Symbol]]


class Edge(NamedTuple):
    """One use of a predicate by the rule of another; a strict one must see all its facts before it can be decided."""

    source: Symbol
    target: Symbol
    kind: str
    """"" for a plain use, "!" under negation, "all of " under aggregation."""
    place: Place


def edges(rules: Iterable[CheckedRule]) -> list[Edge]:
    """Return every use of a predicate that has rules itself, in the order of the rules."""
    listed = list(rules)
    defined = {rule.head.symbol for rule in listed}
    found = []
    for rule in listed:
        kind = "all of " if rule.transform is not None and rule.transform.do is not None else ""
        for premise in rule.premises:
            atom = atom_of(premise)
            if atom is not None and atom.symbol in defined:
                negated = isinstance(premise, Negation)
                place = premise.place if negated else atom.place
                found.append(Edge(rule.head.symbol, atom.symbol, "!" if negated else kind, place))
    return found


def adjacency(nodes: Iterable[Symbol], found: Iterable[Edge]) -> dict[Symbol, dict[Symbol, None]]:
    """Return the targets of each node, in order and without repetition."""
    graph: dict[Symbol, dict[Symbol, None]] = {node: {} for node in nodes}
    for edge in found:
        graph[edge.source][edge.target] = None
    return graph


def components(graph: Graph) -> list[tuple[Symbol, ...]]:
    """Return the groups of predicates that depend on each other, each after all that it depends on.

    Tarjan's algorithm with a stack of its own: a chain of a hundred thousand rules must not exhaust Python's.
    """
    index: dict[Symbol, int] = {}
    low: dict[Symbol, int] = {}
    stack: list[Symbol] = []
    on_stack: set[Symbol] = set()
    result: list[tuple[Symbol, ...]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    result.append(_pop_component(node, stack, on_stack))
    return result


def _pop_component(node: Symbol, stack: list[Symbol], on_stack: set[Symbol]) -> tuple[Symbol, ...]:
    position = len(stack) - 1
    while stack[position] != node:
        position -= 1
    component = tuple(stack[position:])
    del stack[position:]
    on_stack.difference_update(component)
    return component


def shortest_path(found: Iterable[Edge], start: Symbol, goal: Symbol, within: Collection[Symbol]) -> list[Edge]:
    """Return the fewest uses that lead from one predicate to another inside a group; none when they are the same."""
    outgoing: dict[Symbol, list[Edge]] = {}
    for edge in found:
        if edge.source in within and edge.target in within:
            outgoing.setdefault(edge.source, []).append(edge)
    came: dict[Symbol, Edge | None] = {start: None}
    queue = deque([start])
    while queue and goal not in came:
        node = queue.popleft()
        for edge in outgoing.get(node, ()):
            if edge.target not in came:
                came[edge.target] = edge
                queue.append(edge.target)
    path: list[Edge] = []
    while (step := came[goal]) is not None:
        path.append(step)
        goal = step.source
    return path[::-1]


_MOST_STEPS = 20


def stratify(rules: Sequence[CheckedRule], problems: Problems) -> tuple[tuple[Symbol, ...], ...]:
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
    word, fix = "aggregation", f"aggregate over a predicate that does not depend on {strict.source}"
    if strict.kind == "!":
        word, fix = "negation", _negation_fix(strict)
    problems.add(f"{word} cycle: {strict.source}{path}", place=strict.place, fix=fix, stage="eval")


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


def check_temporal_recursion(rules: Sequence[CheckedRule], known: KnownPredicates, problems: Problems) -> None:
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


def _check_future(rule: CheckedRule, group: Collection[Symbol], problems: Problems) -> None:
    for premise in rule.premises:
        if isinstance(premise, Timed) and premise.operator in ("<+", "[+") and premise.atom.symbol in group:
            problems.add(
                f"{rule.head.symbol} looks into the future of {premise.atom.symbol}, which depends on it",
                place=premise.place,
                fix="look into the past (<- or [-), or break the recursion",
            )


def _temporal(declared: DeclaredPredicate | None) -> bool:
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
