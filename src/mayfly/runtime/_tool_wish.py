"""How a function that has to be written for a tool is called: by its examples, or by what is agreed on with a model."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mayfly import forge
from mayfly.core import Contract, Example
from mayfly.gates import Parameter
from mayfly.runtime._given import agree

if TYPE_CHECKING:
    from mayfly.runtime._run import Runtime

# A record with more fields than this is one value, not the arguments of a call.
_MOST_PARAMETERS = 8


class Wish(NamedTuple):
    """The signature to be written, the examples as lists of arguments, and the contract where one was agreed on."""

    signature: forge.Signature
    examples: list[Example]
    contract: Contract | None


def signature_for(runtime: Runtime, name: str, intent: str, examples: Sequence[Example], model: str | None) -> Wish:
    """Return how the function has to be called; examples given by name are parameters of these names."""
    if not examples:
        contract = agree(runtime, intent, model=model)
        parameters = (Parameter("value", _annotation(contract.input.type)),)
        returns = _annotation(contract.output.type)
        return Wish(forge.Signature(name=name, parameters=parameters, returns=returns, doc=intent), [], contract)
    keys = _shared_keys([one.input for one in examples])
    if keys:
        rows = [[_record(one.input)[key] for key in keys] for one in examples]
    else:
        keys, rows = ["value"], [[one.input] for one in examples]
    kinds = [forge.type_of(list(column)) or "object" for column in zip(*rows, strict=True)]
    signature = forge.Signature(
        name=name,
        parameters=tuple(Parameter(key, kind) for key, kind in zip(keys, kinds, strict=True)),
        returns=forge.type_of([one.output for one in examples]) or "object",
        doc=intent,
    )
    shown = [replace(one, input=row) for one, row in zip(examples, rows, strict=True)]
    return Wish(signature, shown, None)


def _shared_keys(inputs: Sequence[object]) -> list[str]:
    """Return the names that all inputs have, where they are records with the same names that parameters can have."""
    records = [_record(value) for value in inputs]
    keys = list(records[0])
    named = 0 < len(keys) <= _MOST_PARAMETERS and all(str(key).isidentifier() for key in keys)
    return keys if named and all(set(record) == set(keys) for record in records) else []


def _record(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _annotation(text: str) -> str:
    try:
        ast.parse(text or "object", mode="eval")
    except SyntaxError:
        return "object"
    return text or "object"
