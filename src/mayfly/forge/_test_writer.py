"""`TestWriter`: tests from the request alone, written before the code and by somebody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mayfly.core import UNSET, Example, MayflyError, canonical_json, content_hash, same
from mayfly.forge import _describe
from mayfly.forge._prompt import Prompt
from mayfly.forge._relations import relation_tests, relations, relations_held
from mayfly.forge._request import Request
from mayfly.forge._shown import shown_to_model
from mayfly.forge._written_tests import read_tests
from mayfly.gates import Suite, Test
from mayfly.language import is_closed, tokens
from mayfly.models import Model, Pool

MOST_INPUTS = 6
SLICE = 20
# Where more of the words than this have no test, they are asked for once more.
_UNTESTED = 0.25


def hold_out(examples: tuple[Example, ...]) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Split examples into those the writer may see and those it may not: of three or more, about a third.

    Which those are follows from what they hold, so that the order in which somebody wrote them changes nothing.
    """
    number = len(examples) // 3 if len(examples) >= 3 else 0
    ranked = sorted(examples, key=lambda one: content_hash(canonical_json([one.input, one.output])))
    held = ranked[:number]
    return tuple(one for one in examples if one not in held), tuple(one for one in examples if one in held)


class TestWriter:
    """Write the suite of a request; the program does not exist yet when this is called."""

    __test__ = False

    def __init__(self, model: Model | None = None, pool: Pool | None = None) -> None:
        self._model = model if model is not None and model.serves("tests") else None
        self._pool = pool

    def write(self, request: Request, *, held_out: tuple[Example, ...] = (), exact: bool = True) -> Suite:
        """Return all tests; with *exact* the records of a sample are compared field by field.

        Somebody else's program may name the fields of its records differently, so for that the sample gives relations
        only.
        """
        tests = [_example(example, "example", number) for number, example in enumerate(request.examples, 1)]
        tests += [_example(example, "held-out", number) for number, example in enumerate(held_out, 1)]
        inputs = self._inputs(request, held_out)
        if request.proposal is not None and request.whole:
            from mayfly.synthesis import records

            if exact:
                tests += records.suite_of(request.proposal, request.whole)
                number = _lines_in(request)
                return Suite(tests=tuple(tests), author="reading", witness=_witness(number, whole=request.complete))
            tests += records.loose_suite_of(request.proposal, request.whole)
        known = (*request.examples, *held_out)
        found = [one for one in relations(request.intent, request.context) if relations_held(one, known)]
        tests += relation_tests(found, inputs)
        written = self._written(request, inputs, known)
        return Suite(
            tests=(*tests, *written),
            author=self._model.name if self._model is not None and written else "request",
            samples=tuple(inputs),
            pattern=request.contract.input.pattern,
        )

    def _written(self, request: Request, inputs: list[object], known: Sequence[Example]) -> list[Test]:
        """Return what a model wrote from the intent; what contradicts an example is dropped."""
        if self._model is None:
            return []
        found = self._asked(self._model, request, inputs, missing="")
        untested = _untested(request.intent, found)
        if untested:
            more = self._asked(self._model, request, inputs, missing=", ".join(untested))
            held = {canonical_json(test.to_json() | {"name": ""}) for test in found}
            found += [test for test in more if canonical_json(test.to_json() | {"name": ""}) not in held]
        kept = [test for test in found if not any(contradicts(test, one) for one in known)]
        return [replace(test, name=f"{test.name.split()[0]} {number}") for number, test in enumerate(kept, 1)]

    def _asked(self, model: Model, request: Request, inputs: list[object], *, missing: str) -> list[Test]:
        request = shown_to_model(request).request
        prompt = Prompt.load("tests").fill(
            intent=request.intent,
            called=_describe.called(request),
            contract=_describe.agreed(request.contract),
            context=_describe.context(request),
            examples=_describe.examples(request.examples),
            sample=_describe.sample(request),
            missing=f"These words of the task have no test yet; write cases for them: {missing}" if missing else "",
        )
        try:
            answer = model.ask("tests", prompt.user, system=prompt.system, pool=self._pool)
        except MayflyError:
            return []
        return read_tests(answer.text, inputs)

    def _inputs(self, request: Request, held_out: tuple[Example, ...]) -> list[object]:
        inputs = [example.input for example in (*request.examples, *held_out)]
        if not inputs and request.lines and request.sample:
            inputs = [list(request.sample[:SLICE]), list(request.sample[-SLICE:])]
        elif not inputs:
            inputs = list(request.sample)
        return inputs[:MOST_INPUTS]


def _untested(intent: str, tests: Sequence[Test]) -> list[str]:
    """Return the words of the intent that no test stands for, where those are many and tests say for which they do."""
    told = {token.plain for test in tests for token in tokens(test.words) if token.kind == "word"}
    asked = dict.fromkeys(
        token.plain for token in tokens(intent) if token.kind == "word" and not is_closed(token.plain)
    )
    left = [word for word in asked if word not in told]
    return left if told and len(left) > len(asked) * _UNTESTED else []


def contradicts(test: Test, example: Example) -> bool:
    """Say whether a test wants another output for the input of an example: then it is wrong, whoever wrote it."""
    if test.expected is UNSET or not same(test.input, example.input):
        return False
    return not same(test.expected, example.output)


def _lines_in(request: Request) -> int:
    """Return how many lines a question is about; two inputs that are joined are two lists of them."""
    if request.proposal is None or request.proposal.joined is None:
        return len(request.whole)
    return sum(len(side) for side in request.whole if isinstance(side, list))


def _witness(number: int, *, whole: bool) -> str:
    which = f"all {number:,}" if whole else f"the first {number:,}"
    return f"an independent reading of {which} {'line' if number == 1 else 'lines'} agrees"


def _example(example: Example, kind: str, number: int) -> Test:
    if kind == "held-out":
        return Test(name=f"held-out {number}", kind="held-out", input=example.input, expected=example.output)
    return Test(name=f"example {number}", kind="example", input=example.input, expected=example.output)
