"""What a model is shown of a request: all of it but the values under fields that are named like secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import Contract, SecretFields
from mayfly.forge._request import Attempt, Request

if TYPE_CHECKING:
    from mayfly.core import Example, Verdict


class Shown(NamedTuple):
    """A request for a prompt, and what stands in it for which values: the program itself is run on these."""

    request: Request
    fields: SecretFields


def shown_to_model(request: Request) -> Shown:
    """Return *request* as a prompt may say it."""
    fields = SecretFields()
    names = [name for name, _ in request.signature.parameters] if request.signature is not None else []

    def example(one: Example) -> Example:
        given = fields.arguments(one.input, names) if names else fields.data(one.input)
        return replace(one, input=given, output=fields.data(one.output))

    examples = tuple(map(example, request.examples))
    sample = tuple(fields.rows(request.sample))
    context = fields.data(dict(request.context))
    made = replace(
        request,
        # What was found in the data is said nowhere else either.
        intent=fields.text(request.intent),
        contract=_contract(request.contract, fields),
        examples=examples,
        sample=sample,
        context=context,
        hints=tuple(map(fields.text, request.hints)),
        attempts=tuple(_attempt(one, fields) for one in request.attempts),
    )
    return Shown(made, fields)


def _contract(contract: Contract, fields: SecretFields) -> Contract:
    sides = (replace(side, format=fields.text(side.format)) for side in (contract.input, contract.output))
    given, gives = sides
    edges = {name: fields.text(text) for name, text in contract.edges.items()}
    return replace(contract, input=given, output=gives, edges=edges)


def _attempt(attempt: Attempt, fields: SecretFields) -> Attempt:
    reflection = attempt.reflection
    if reflection is not None:
        failing = tuple(map(fields.said, reflection.failing))
        suggestions = tuple(map(fields.said, reflection.suggestions))
        cause = fields.said(reflection.root_cause)
        reflection = replace(reflection, root_cause=cause, suggestions=suggestions, failing=failing)
    verdicts = tuple(said_verdict(one, fields) for one in attempt.verdicts)
    return replace(attempt, source=fields.text(attempt.source), verdicts=verdicts, reflection=reflection)


def said_verdict(verdict: Verdict, fields: SecretFields) -> Verdict:
    """Return a verdict without values of the data; that of a proof repeats the input on which a program failed."""
    hide = fields.said if verdict.gate == "proof" else fields.text
    return replace(verdict, message=hide(verdict.message))
