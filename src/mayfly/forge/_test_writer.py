"""`TestWriter`: tests from the request alone, written before the code and by somebody else."""

from __future__ import annotations

from mayfly.core import Example, MayflyError
from mayfly.forge import _describe
from mayfly.forge._prompt import Prompt
from mayfly.forge._relations import relation_tests, relations
from mayfly.forge._request import Request
from mayfly.forge._written_tests import read_tests
from mayfly.gates import Suite, Test
from mayfly.models import Model, Pool

MOST_INPUTS = 6
SLICE = 20


def hold_out(examples: tuple[Example, ...]) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Split examples into those the writer may see and those it may not: of three or more, about a third."""
    number = len(examples) // 3 if len(examples) >= 3 else 0
    return examples[: len(examples) - number], examples[len(examples) - number :]


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
        tests += relation_tests(relations(request.intent, request.context), inputs)
        author = "request"
        if self._model is not None:
            tests += self._asked(self._model, request, inputs)
            author = self._model.name
        return Suite(tests=tuple(tests), author=author, samples=tuple(inputs))

    def _asked(self, model: Model, request: Request, inputs: list[object]) -> list[Test]:
        prompt = Prompt.load("tests").fill(
            intent=request.intent,
            contract=_describe.contract(request),
            context=_describe.context(request),
            examples=_describe.examples(request.examples),
            sample=_describe.sample(request),
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
