"""`TestWriter`: tests from a request, by rules and by a model, and the tests found in a text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from mayfly.core import UNSET, Example, InputError, MayflyError, canonical_json, content_hash, same
from mayfly.forge._prompt import PROMPTS, code_in, describe, parsed, shown_to_model
from mayfly.forge._relations import relation_tests, relations, relations_held
from mayfly.forge._request import Request
from mayfly.gates import Suite, Test
from mayfly.language import is_closed, tokens
from mayfly.models import Model, ModelPool, Prompt

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

    def __init__(self, model: Model | None = None, pool: ModelPool | None = None) -> None:
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
        question = request.question
        if question is not None and question.items:
            from mayfly.synthesis import records

            if exact:
                tests += records.suite_of(question.proposal, question.items)
                witness = _witness(question.lines, whole=question.complete)
                return Suite(tests=tuple(tests), author="reading", witness=witness)
            tests += records.loose_suite_of(question.proposal, question.items)
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
        prompt = Prompt.load(PROMPTS / "tests.md").fill(
            **describe(request),
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


def _witness(number: int, *, whole: bool) -> str:
    which = f"all {number:,}" if whole else f"{number:,}"
    taken = "" if whole else " taken from all over the file"
    return f"an independent reading of {which} {'line' if number == 1 else 'lines'}{taken} agrees"


def _example(example: Example, kind: Literal["example", "held-out"], number: int) -> Test:
    return Test(name=f"{kind} {number}", kind=kind, input=example.input, expected=example.output)


# Nobody needs more tests of one program; a writer that gives hundreds is cut short.
MOST = 50
LONGEST = 500
_JSON = re.compile(r"[\[{].*[\]}]", re.DOTALL)


def read_tests(answer: str, inputs: list[object]) -> list[Test]:
    """Return the tests in *answer*; what cannot be read as a test is left out, so nothing counts as none."""
    data = _as_json(answer)
    if data is not None:
        return _from_json(data, inputs)[:MOST]
    source = code_in(answer)
    return [] if source is None else _from_python(source, inputs)[:MOST]


def given_in(text: str, inputs: list[object]) -> list[Test]:
    """Return the tests that somebody gave; a file without any is an error."""
    found = read_tests(text, inputs)
    if not found:
        raise InputError(
            "no tests were found in the file of tests", fix='write def test_…() functions, or {"cases": […]}'
        )
    return found


def _as_json(answer: str) -> object | None:
    found = _JSON.search(answer)
    for text in (answer, found.group() if found else ""):
        try:
            data: object = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if _is_suite(data):
            return data
    return None


def _is_suite(data: object) -> bool:
    """Whether this is meant as tests: code is full of brackets that are JSON as well."""
    if isinstance(data, dict):
        return any(isinstance(data.get(key), list) for key in ("cases", "tests", "checks"))
    return isinstance(data, list) and bool(data) and all(isinstance(row, dict) and "input" in row for row in data)


def _from_json(data: object, inputs: list[object]) -> list[Test]:
    cases = (
        data if isinstance(data, list) else data.get("cases", data.get("tests", [])) if isinstance(data, dict) else []
    )
    checks = data.get("checks", []) if isinstance(data, dict) else []
    tests = [
        Test(
            name=f"written {number}",
            kind="intent",
            input=case["input"],
            expected=case[key],
            words=str(case.get("words", ""))[:LONGEST],
            confidence=0.8,
        )
        for number, case in enumerate(cases if isinstance(cases, list) else [], 1)
        if isinstance(case, dict) and "input" in case
        for key in ("output", "expected")
        if key in case
    ]
    over = [test.input for test in tests] + inputs
    for check in checks if isinstance(checks, list) else []:
        if isinstance(check, dict) and isinstance(check.get("source"), str):
            tests += _checks(check["source"], str(check.get("description", "")), check.get("confidence", 0.8), over)
    return tests


def _from_python(source: str, inputs: list[object]) -> list[Test]:
    tree = parsed(source)
    if tree is None:
        return []
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    tests: list[Test] = []
    if any(node.name.startswith("test") and (node.decorator_list or not node.args.args) for node in functions):
        tests.append(Test(name="written", kind="function", function=source, confidence=0.8))
    for node in functions:
        # Document-style tests take the result, or the input and the result, and answer True or False.
        if (
            (node.name.startswith("test") or node.name == "check")
            and 1 <= len(node.args.args) <= 2
            and not node.decorator_list
        ):
            described = (ast.get_docstring(node) or node.name).splitlines()[0]
            tests += _checks(_as_check(source, node.name, len(node.args.args)), described, 0.8, inputs)
    return tests


def _as_check(source: str, name: str, parameters: int) -> str:
    if name == "check" and parameters == 2:
        return source
    call = "output" if parameters == 1 else "input, output"
    return f"{source}\n\n_written = {name}\n\n\ndef check(input, output):\n    return _written({call})\n"


def _checks(source: str, description: str, confidence: object, inputs: list[object]) -> list[Test]:
    sure = float(confidence) if isinstance(confidence, (int, float)) else 0.5
    return [
        Test(
            name=f"check {number}",
            kind="check",
            input=input,
            check=source,
            description=description,
            confidence=min(1.0, max(0.0, sure)),
        )
        for number, input in enumerate(inputs, 1)
    ]
