"""Hold a plan against the words of its request: what no step says is not done by any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mayfly.language import Token, tokens
from mayfly.promise._words import base, words
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._rules import Planned

_REST = "rest"


def covered(planned: Planned, request: str, *, said: str, bound: str, served: Callable[[Draft], bool]) -> Planned:
    """Return a plan that leaves no word out: where capabilities alone would do it, the rest becomes a last step.

    A step that is written for the request is given all of it; a capability does what its own step says and no more.
    *said* are the words that count, *bound* is what the request forbids.
    """
    leaves = list(_leaves(planned.steps))
    if not leaves or not all(map(served, leaves)):
        return planned
    done = {word for leaf in leaves for token in tokens(_words(leaf)) for word in _forms(token)}
    done |= {word for token in tokens(bound) for word in _forms(token)} if _only_forbids(bound, said) else set()
    if all(_forms(token) & done for token in _telling(tokens(said))):
        return planned
    names = tuple(step.name for step in planned.steps)
    rest = Draft(name=_REST if _REST not in names else f"{_REST}{len(names)}", intent=request, needs=names)
    return replace(planned, steps=(*planned.steps, rest), combine="last")


def _only_forbids(bound: str, said: str) -> bool:
    """Say whether another thing is forbidden, and nothing of what is asked: "do not deploy, just run the tests"."""
    told = [token.plain or token.text for token in tokens(bound) if token.kind != "sign"]
    acts = [word for word in told if word not in words("words", "forbidding")]
    return len(acts) == 1 and len(acts) < len(told) and tokens(said.replace(bound, ""))[:1] != tokens(acts[0])[:1]


def _words(leaf: Draft) -> str:
    """Return all that a leaf says: its intent, and what it is given to work on."""
    given = leaf.argument.values() if isinstance(leaf.argument, dict) else ()
    return " ".join((leaf.intent, *map(str, given)))


def _leaves(steps: Sequence[Draft]) -> Iterator[Draft]:
    for step in steps:
        if step.steps:
            yield from _leaves(step.steps)
        else:
            yield step


def _telling(said: Sequence[Token]) -> Iterator[Token]:
    """Yield what a request says besides its verb and the small words: names, nouns, how often, in which way."""
    small = ("pointing", "generic", "leads", "trailing", "prepositions", "entire", "naming", "manner")
    idle = frozenset[str]().union(*(words("words", name) for name in small)) - words("words", "numbering")
    idle |= words("kinds", "path") | words("kinds", "directory")
    verb = True
    for token in said:
        if token.kind in ("sign", "line", "item") or token.plain in words("words", "leads"):
            continue
        if not verb and token.plain not in idle and base(token.plain) not in words("words", "occurring"):
            yield token
        verb = False


def _forms(token: Token) -> set[str]:
    """Return under what a word or a name counts as said."""
    plain = token.plain or token.text.lower().strip("()")
    inside = plain.split("/") if token.kind in ("path", "code") else ()
    return {plain, base(plain), plain.strip("./"), *inside} - {""}
