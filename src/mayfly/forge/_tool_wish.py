"""What a new tool is measured by: its signature and examples, given tests, and tests that need its grants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import Contract, Example, OpenPoint, Order, Proof, Side, Tier, Verdict, Witness, parse_python
from mayfly.forge._contract import type_of
from mayfly.forge._request import Signature
from mayfly.forge._test_writer import given_in
from mayfly.gates import Admission, Parameter, Profile, Prover, Suite, Test
from mayfly.gates.stability import importable
from mayfly.library import reaches_outside
from mayfly.sandbox import GrantedSandbox, Spender

if TYPE_CHECKING:
    from mayfly.forge._compiler import Compiler
    from mayfly.library import ToolOrder, Workshop


# A record with more fields than this is one value, not the arguments of a call.
_MOST_PARAMETERS = 8


class Wish(NamedTuple):
    """The signature to be written, the examples as lists of arguments, and the contract where one was agreed on."""

    signature: Signature
    examples: list[Example]
    contract: Contract | None


def signature_for(compiler: Compiler, order: ToolOrder, asked: Order) -> Wish:
    """Return how the function has to be called; examples given by name are parameters of these names."""
    name, intent, examples, agreed = order.name, asked.intent, asked.examples, asked.contract
    if not examples:
        contract = agreed or compiler.agree(replace(asked, tier=Tier.MEMO, grants=()))
        parameters: tuple[Parameter, ...] = (Parameter("value", _annotation(contract.input.type)),)
        if order.arguments is not None:
            typed = {key: type_of([value]) or "object" for key, value in order.arguments.items()}
            parameters = tuple(Parameter(key, kind) for key, kind in typed.items())
            # What was agreed on goes for the input as a whole, and this is called with its parts.
            contract = contract if len(parameters) == 1 else replace(contract, input=Side())
        returns = _annotation(contract.output.type)
        return Wish(Signature(name=name, parameters=parameters, returns=returns, doc=intent), [], contract)
    keys = _shared_keys([one.input for one in examples])
    if keys:
        rows = [[_record(one.input)[key] for key in keys] for one in examples]
    else:
        keys, rows = ["value"], [[one.input] for one in examples]
    kinds = [type_of(list(column)) or "object" for column in zip(*rows, strict=True)]
    signature = Signature(
        name=name,
        parameters=tuple(Parameter(key, kind) for key, kind in zip(keys, kinds, strict=True)),
        returns=type_of([one.output for one in examples]) or "object",
        doc=intent,
    )
    shown = [replace(one, input=row) for one, row in zip(examples, rows, strict=True)]
    return Wish(signature, shown, agreed)


def given_tests(text: str, wish: Wish) -> tuple[Test, ...]:
    """Read the tests that somebody gave for what is to be written; its author does not see them, and they bind it.

    Cases count as examples that were held out: nobody decides against them, as somebody may against a model's.
    """
    found = given_in(text, [one.input for one in wish.examples])
    return tuple(_as_called(test, wish.signature) for test in found)


def _as_called(test: Test, signature: Signature) -> Test:
    """Return a test whose input is the list of arguments with which a signature is called."""
    if test.function:
        return test
    if test.check:
        # Its input is one of the examples, which are lists already; who wrote it means the one argument.
        single = len(signature.parameters) == 1
        return replace(test, check=f"{test.check}{_UNLISTED}") if single else test
    names = [one.name for one in signature.parameters]
    record = _record(test.input)
    if record and set(record) == set(names):
        return replace(test, kind="held-out", input=[record[name] for name in names])
    listed = len(names) > 1 and isinstance(test.input, list) and len(test.input) == len(names)
    return replace(test, kind="held-out", input=test.input if listed else [test.input])


_UNLISTED = """

_check_of_one = check


def check(input, output):
    return _check_of_one(input[0], output)
"""


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
        parse_python(text or "object", mode="eval")
    except SyntaxError:
        return "object"
    return text or "object"


def try_live(parts: Workshop, admission: Admission, suite: Suite, profile: Profile, *, run: str) -> Admission:
    """Run the tests alone with what was granted, where the proof failed for want of it.

    A proof runs a program hundreds of times and opens no door to the outside for that; the tests run once. What they
    buy is bought, in the name of the *run* in which the tool is made.
    """
    refused = [verdict for verdict in admission.verdicts if verdict.decision == "reject"]
    outside = [grant for grant in profile.grants if reaches_outside([grant])]
    if not outside or admission.entry is None or any(one.code != "TEST_FAILED" for one in refused):
        return admission
    spender = Spender(agent=run, run=run, tool=admission.entry.name)
    prover = Prover(GrantedSandbox(parts.sandbox, profile.grants, spender=spender), parts.prover.options)
    source, imports = admission.artifact.source, importable(profile)
    results = prover.rerun(source, admission.entry, suite, imports=imports)
    if not results or not all(result.passed for result in results):
        return admission
    count = len(results)
    said = f"{count} tests passed with {', '.join(outside)}; what it gives for other inputs was not tried"
    verdict = Verdict(decision="accept", gate="proof", code="TESTED", message=said)
    witness = Witness(kind="tests", author=suite.author or "given", count=count, what=f"{count} tests")
    point = OpenPoint(kind="failure", author="grants", count=1, what="it was tried on no input but those of its tests")
    proof = Proof(strength="tested", tests=count, evidence=(witness,), open=(point,))
    report = replace(admission.report, proof=proof, verdicts=(verdict,), results=results) if admission.report else None
    others = tuple(one for one in admission.verdicts if one.gate != "proof")
    return replace(admission, decision="accept", verdicts=(*others, verdict), report=report)
