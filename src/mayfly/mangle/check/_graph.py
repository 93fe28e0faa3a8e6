"""Say which predicates depend on which, and which depend on each other."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from mayfly.mangle._ast import Atom, Equality, Negation, Place, Symbol
from mayfly.mangle._checked import Rule

Graph = Mapping[Symbol, Collection[Symbol]]


class Edge(NamedTuple):
    """One use of a predicate by the rule of another; a strict one must see all its facts before it can be decided."""

    source: Symbol
    target: Symbol
    kind: str
    """"" for a plain use, "!" under negation, "all of " under aggregation."""
    place: Place


def edges(rules: Iterable[Rule]) -> list[Edge]:
    """Return every use of a predicate that has rules itself, in the order of the rules."""
    listed = list(rules)
    defined = {rule.head.symbol for rule in listed}
    found = []
    for rule in listed:
        kind = "all of " if rule.transform is not None and rule.transform.do is not None else ""
        for premise in rule.premises:
            if isinstance(premise, Atom):
                if premise.symbol in defined:
                    found.append(Edge(rule.head.symbol, premise.symbol, kind, premise.place))
            elif not isinstance(premise, Equality) and premise.atom.symbol in defined:
                negated = isinstance(premise, Negation)
                place = premise.place if negated else premise.atom.place
                found.append(Edge(rule.head.symbol, premise.atom.symbol, "!" if negated else kind, place))
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
