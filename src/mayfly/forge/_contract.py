"""Agree on a contract before anything is written: from what was given, and with a model by one call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from mayfly.core import EDGES, Contract, MayflyError, Side, clipped
from mayfly.forge._prompt import PROMPTS, describe, shown_to_model
from mayfly.forge._request import Request
from mayfly.models import Model, ModelPool, Prompt, object_in

# So many values show what a side looks like; deeper types than this are said by their outermost ones.
_MOST, _DEEPEST = 200, 4
_LONGEST_EXAMPLE = 60


def contract_of(request: Request) -> Contract:
    """Return what signature, examples and sample say by themselves."""
    # An example of what it looks like is part of what is agreed on.
    request = shown_to_model(request).request
    inputs = [example.input for example in request.examples] or list(request.sample[:_MOST])
    outputs = [example.output for example in request.examples]
    given = Side(type=type_of([inputs] if request.lines else inputs), format=_like(inputs))
    gives = Side(type=type_of(outputs), format=_like(outputs))
    if request.signature is not None:
        kinds = ", ".join(one.annotation or "object" for one in request.signature.parameters)
        given, gives = Side(type=f"({kinds})"), Side(type=request.signature.returns or gives.type)
    empty = [example for example in request.examples if example.input in ([], {}, "")]
    edges = {"empty": f"gives {_short(empty[0].output)}"} if empty else {}
    return Contract(input=given, output=gives, edges=edges)


def type_of(values: Sequence[object], depth: int = 0) -> str:
    """Return the Python type that all of some values have, as it would be annotated."""
    names = dict.fromkeys(_type(kind, values, depth) for kind in dict.fromkeys(map(type, values)))
    return " | ".join(sorted(names, key=lambda name: name == "None"))


def _type(kind: type, values: Sequence[object], depth: int) -> str:
    same = [value for value in values[:_MOST] if type(value) is kind]
    if kind is type(None):
        return "None"
    if kind is list:
        inside: Iterable[object] = (item for value in same if isinstance(value, list) for item in value[:_MOST])
        return f"list[{_inside(list(inside), depth)}]"
    if kind is dict:
        inside = (item for value in same if isinstance(value, dict) for item in value.values())
        return f"dict[str, {_inside(list(inside), depth)}]"
    return kind.__name__


def _inside(values: Sequence[object], depth: int) -> str:
    return (type_of(values, depth + 1) if depth < _DEEPEST else "") or "object"


def _like(values: Sequence[object]) -> str:
    """Show what a side looks like by the shortest value that says something."""
    telling = [value for value in values[:_MOST] if value not in (None, "", [], {})]
    return f"like {_short(min(telling, key=lambda value: len(str(value))))}" if telling else ""


def _short(value: object) -> str:
    return clipped(json.dumps(value, ensure_ascii=False, default=repr), _LONGEST_EXAMPLE)


class ContractWriter:
    """Have a model say what the intent means at the edges, before it or anybody else writes the program."""

    def __init__(self, model: Model | None, pool: ModelPool | None = None) -> None:
        self._model = model if model is not None and model.serves("contract") else None
        self._pool = pool

    def write(self, request: Request, known: Contract) -> Contract:
        """Return *known* with what a model adds; an answer that is no contract adds nothing."""
        if self._model is None:
            return known
        request = shown_to_model(request).request
        prompt = Prompt.load(PROMPTS / "contract.md").fill(
            **describe(request), edges=", ".join(EDGES), known="\n".join(known.lines())
        )
        try:
            answer = self._model.ask("contract", prompt.user, system=prompt.system, pool=self._pool)
            said = Contract.from_json(object_in(answer.text))
        except MayflyError:
            return known
        # Types are known from the data where there is some; what a model says of them is a guess.
        # A pattern that a model wrote is not tried here: one that backtracks for ever would hold up the host.
        given = Side(type=known.input.type or said.input.type, format=said.input.format or known.input.format)
        gives = Side(type=known.output.type or said.output.type, format=said.output.format or known.output.format)
        edges = {**said.edges, **known.edges}
        return Contract(input=given, output=gives, edges=edges, assumptions=said.assumptions)
