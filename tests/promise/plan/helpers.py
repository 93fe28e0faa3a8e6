"""A planner over the shipped rules and the host's own capabilities, and words to say what a tree looks like."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from mayfly.core import UNSET, Example, Invocation, PromiseSettings
from mayfly.language import Lexicon
from mayfly.library import Registry
from mayfly.models import Model, ModelPool
from mayfly.policy import LEXICON, Rulebook, Snapshot, lexicon_of
from mayfly.promise._job import Part
from mayfly.promise._promise import Promise
from mayfly.promise.fit import verbs_of, with_verbs
from mayfly.promise.plan import Planner
from mayfly.world import builtins

NOTHING = "nothing: needs a model (--model)"


class Rules:
    """Rules as a runtime holds them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        model = snapshot.program().evaluate(goals=LEXICON, record=False)
        self.lexicon = lexicon_of((symbol, row) for symbol in LEXICON for row in model.rows(symbol))


@cache
def book() -> Rulebook:
    return Rulebook()


@cache
def shipped() -> Rules:
    return Rules(book().snapshot)


def extended(path: Path) -> Rules:
    """Return the shipped rules with those of a directory."""
    return Rules(book().changed([path]))


def never(call: Invocation) -> object:
    raise AssertionError(f"{call.arguments} was run")


@cache
def registry() -> Registry:
    """Return the host's capabilities, none of which may be called."""
    return Registry(replace(one, call=never) for one in builtins())


@cache
def lexicon() -> Lexicon:
    """Return the verbs of the shipped rules and of the host's capabilities."""
    return with_verbs(shipped().lexicon, verbs_of(registry()))


def make(
    workspace: Path,
    *,
    rules: Rules | None = None,
    known: Callable[[str], str | None] = lambda intent: None,
    model: Model | None = None,
    pool: ModelPool | None = None,
    parts: Callable[[Path], list[Part]] | None = None,
    capabilities: Registry | None = None,
    **settings: Any,
) -> Planner:
    return Planner(
        desk=rules or shipped(),
        registry=capabilities or registry(),
        settings=PromiseSettings(**settings),
        workspace=workspace,
        known=known,
        model=model,
        pool=pool,
        parts=parts,
    )


def leaves(tree: Promise[Any]) -> Iterator[Promise[Any]]:
    return (promise for promise in tree.walk() if not promise.children)


def child(tree: Promise[Any], name: str) -> Promise[Any]:
    return next(promise for promise in tree.children if promise.name == name)


def reaches(parent: Promise[Any], start: str, goal: str) -> bool:
    """Say whether one child works, directly or not, on what another one gives."""
    needs = {one.name: (*one.needs, *one.after) for one in parent.children}
    waiting, seen = [start], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += needs[name]
    return goal in seen - {start}


def is_sound(tree: Promise[Any], settings: PromiseSettings) -> None:
    """Hold what is true of every plan: limits, order, an owner for each promise, nothing begun."""
    nodes = list(tree.walk())
    assert len(nodes) <= settings.max_nodes
    for node in nodes:
        assert node.depth <= settings.max_depth
        assert hasattr(node, "ground")
        assert node.reality is not None
        assert node.resolved is UNSET
        assert str(node.state) in ("pending", "collapsed")
        kept = [bool(node.capability), node.work is not None, bool(node.children), node.template is not None]
        assert sum(kept) == (0 if node.unserved or str(node.state) == "collapsed" or is_chaotic(node) else 1)
        assert len(node.order()) == len(node.children)
        assert len({one.name for one in node.children}) == len(node.children)
        assert 0 <= node.reality.confidence <= 1
        if str(node.state) == "collapsed":
            assert node.reason
            assert node.code


def is_chaotic(node: Promise[Any]) -> bool:
    return node.reality is not None and node.reality.kind == "chaotic"


def example(given: object, gives: object) -> Example:
    return Example(input=given, output=gives)
