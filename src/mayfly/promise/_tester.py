"""The test of one value: chosen before the value is looked at, and only exactly True accepts.

A test that also accepts what is obviously wrong says little, and that is told with its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, NamedTuple

from mayfly.core import UNSET, Agent, InputError, Strength, Unset, canonical_json, is_sequence, same, shown
from mayfly.forge.relations import Relation, in_process, relation, relation_of
from mayfly.promise._promise import Evidence, Promise
from mayfly.promise._tester_given import NoTest, Wrong, read_given, strength_of, wrong_results
from mayfly.sandbox import EPHEMERAL_IMPORTS, Result, Sandbox


class TooDeep(Exception):
    """A value nests deeper than anything we accept."""


def size(value: object, *, nodes: int, text: int, depth: int = 100) -> tuple[int, int] | None:
    """Return how many values and characters *value* holds, or None where that is above a limit; `TooDeep` for depth.

    Never looks at more than *nodes* values, so that a list of itself or of ten million ends at once.
    """
    count = letters = 0
    level: Iterator[tuple[object, int]] = iter([(value, 0)])
    waiting = [level]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            continue
        item, deep = found
        count += 1
        if isinstance(item, str):
            letters += len(item)
        elif isinstance(item, int) and not isinstance(item, bool):
            letters += item.bit_length() // 3
        inside = _inside(item)
        if count > nodes or letters > text or (isinstance(item, Sized) and inside is not None and len(item) > nodes):
            return None
        if inside is not None and deep > depth:
            raise TooDeep(f"the value is nested deeper than {depth}")
        if inside is not None:
            waiting.append(zip(inside, repeat(deep + 1)))
    return count, letters


def _inside(item: object) -> Iterator[object] | None:
    if isinstance(item, Mapping):
        return (part for pair in item.items() for part in pair)
    return iter(item) if is_sequence(item) and isinstance(item, Sequence) else None


# A test may also count and read code; what holds is the wall, this only says early what is not meant for tests.
TEST_IMPORTS = EPHEMERAL_IMPORTS | {"ast", "collections", "functools", "itertools", "operator", "statistics", "string"}
# Up to this a check of ours is quicker here than a message to the sandbox, even where it is quadratic.
_HERE_NODES, _HERE_TEXT = 2_000, 20_000
# Up to this a value crosses the wall; beyond, only its first items are looked at.
_ACROSS_NODES, _ACROSS_TEXT = 200_000, 4_000_000
# Up to this the value is sent again for each wrong result.
_TRIED_NODES, _TRIED_TEXT = 2_000, 50_000
_FIRST = 1_000


@dataclass(frozen=True, kw_only=True)
class TestInput:
    """Ask for a test: what was wanted, what came, and what is known; the context's `input` is what it was made from."""

    __test__ = False

    intent: str
    result: object
    context: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TestOutput:
    """A test: Python source whose function answers True or False, what it says, and how sure it is from 0 to 1."""

    __test__ = False

    test_code: str
    test_description: str
    confidence: float

    def __post_init__(self) -> None:
        number = isinstance(self.confidence, (int, float)) and not isinstance(self.confidence, bool)
        if not number or not 0 <= self.confidence <= 1:
            raise InputError(f"confidence must be from 0 to 1, not {self.confidence!r}")


@dataclass(frozen=True, kw_only=True)
class JudgedValue:
    """Whether a value was accepted, in one line why not, and the evidence with what its test turned out to be worth."""

    accepted: bool
    reason: str
    evidence: Evidence

    @property
    def strength(self) -> Strength:
        """What the test is worth."""
        return self.evidence.strength


class TestGenerator(Agent[TestInput, TestOutput]):
    """Write the test of a result from its intent, as an agent; the result itself is not looked at."""

    __test__ = False

    async def invoke(self, input: TestInput) -> TestOutput:
        """Return the test."""
        made = relation_of(input.intent, input.context, input.context.get("input", UNSET))
        return TestOutput(test_code=made.source, test_description=made.description, confidence=made.confidence)


class Tester:
    """Choose tests for promises, and ask them about values: ours here, anybody else's behind the wall."""

    __test__ = False

    def __init__(self, sandbox: Sandbox, *, seconds: float = 5.0) -> None:
        self._sandbox = sandbox
        self._seconds = seconds

    def choose(self, promise: Promise[Any], input: object | Unset = UNSET) -> Evidence:
        """Return what a value of *promise* will have to pass: its own test, an example, or what its intent says."""
        if promise.test:
            return _given(promise.test)
        made = _example(promise, input) or relation_of(promise.intent, promise.context, input)
        return Evidence(description=made.description, confidence=made.confidence, check=made.kind, source=made.source)

    async def holds(
        self,
        evidence: Evidence,
        *,
        value: object,
        input: object | Unset = UNSET,
        context: Mapping[str, object] | None = None,
    ) -> JudgedValue:
        """Ask the test; never raises for what the value or the test is."""
        case = _Case(value, input, dict(context or {}))
        try:
            if not evidence.source:
                raise NoTest("there is no test that could be run")
            ours = in_process(evidence.check, evidence.source) if evidence.check else None
            if ours is not None and case.fits(_HERE_NODES, _HERE_TEXT):
                strength, missed = _here(evidence, ours, case)
            else:
                crosses = await asyncio.to_thread(case.fits, _ACROSS_NODES, _ACROSS_TEXT)
                if ours is None or crosses:
                    strength, missed = await self._across(evidence, case, crosses=crosses)
                else:
                    evidence = _in_part(evidence, value)
                    strength, missed = evidence.strength, ""
        except NoTest as error:
            return JudgedValue(accepted=False, reason=" ".join(str(error).split())[:500], evidence=evidence)
        said = f"{evidence.description}; {missed}" if missed else evidence.description
        # A test that accepts anything accepts nothing.
        return JudgedValue(
            accepted=strength != "none", reason=missed, evidence=replace(evidence, strength=strength, description=said)
        )

    async def _across(self, evidence: Evidence, case: _Case, *, crosses: bool) -> tuple[Strength, str]:
        """Ask a test behind the wall: once about the value, then in another process about wrong ones."""
        source = read_given(evidence.source).source
        if not crosses:
            raise NoTest("the value is too large to be tested")
        result = await self._run(source, "_mayfly_once", case.request(case.value))
        if reason := _why_not(result):
            raise NoTest(reason)
        wrong = case.wrong()
        # The value comes again at the end: a test that answers by counting its calls is found out.
        cases = [case.request(one.value) for one in wrong] + [case.request(case.value)]
        tried = await self._run(source, "_mayfly_many", {"cases": cases}) if wrong else None
        answers = tried.value if tried is not None and tried.ok else None
        if not isinstance(answers, list) or len(answers) != len(cases):
            return "weak", "it could not be tried on wrong results"
        if answers[-1] is not True:
            raise NoTest("the test does not answer the same when it is asked again")
        return strength_of(wrong, [answer is True for answer in answers[:-1]])

    async def _run(self, source: str, entry: str, request: object) -> Result:
        return await self._sandbox.arun(source, entry, request, timeout=self._seconds, imports=TEST_IMPORTS)


class _Case(NamedTuple):
    """One value, what it was made from, and what is known."""

    value: object
    input: object | Unset
    context: dict[str, object]

    def fits(self, nodes: int, text: int) -> bool:
        """Whether value and input together are small; `NoTest` for what nobody can read, or nests too deep."""
        try:
            return size([self.value, self.given], nodes=nodes, text=text) is not None
        except TooDeep as error:
            raise NoTest(str(error)) from None
        except Exception:
            raise NoTest("the value cannot be read") from None

    @property
    def given(self) -> object:
        return None if isinstance(self.input, Unset) else self.input

    def request(self, value: object) -> dict[str, object]:
        """Return what is sent for *value*; a context that is no plain data, or a large one, stays here."""
        return {"result": _listed(value), "input": _listed(self.given), "context": _sendable(self.context)}

    def wrong(self) -> list[Wrong]:
        """Return wrong results for a value that is small enough to be tried several times."""
        try:
            return wrong_results(_listed(self.value), self.input) if self.fits(_TRIED_NODES, _TRIED_TEXT) else []
        except Exception:
            return []


def _listed(value: object) -> object:
    """Return a sequence that lies elsewhere as a list, anything else as it is."""
    return list(value) if is_sequence(value) and not isinstance(value, list) else value  # type: ignore[call-overload]


def _sendable(context: dict[str, object]) -> dict[str, object]:
    try:
        if size(context, nodes=_TRIED_NODES, text=_TRIED_TEXT) is not None and canonical_json(context):
            return context
    except Exception:
        return {}
    return {}


def _given(source: str) -> Evidence:
    try:
        said = read_given(source).description
    except NoTest as error:
        said = str(error)
    return Evidence(description=said[:500] or "the test that was given passes", confidence=0.8, source=source)


def _example(promise: Promise[Any], input: object | Unset) -> Relation | None:
    """Return the relation of an example for this very input, if there is one."""
    if isinstance(input, Unset):
        return None
    for example in promise.examples[:_FIRST]:
        if same(example.input, input):
            try:
                return relation(
                    "example", "the output given for this input", 1.0, EXPECTED=canonical_json(example.output)
                )
            except (TypeError, ValueError, RecursionError):
                return None
    return None


def _why_not(result: Result) -> str:
    """Return in one line why the test did not accept, or nothing where it did."""
    if not result.ok:
        said = " ".join((result.error or result.status).split())[:300]
        return f"the test ended in {result.status}: {said}"
    if result.output:
        return f"the test printed something instead of only answering: {shown(result.output, 60)}"
    return "" if result.value is True else f"the test answered {shown(result.value, 60)}, not True"


def _here(evidence: Evidence, check: Callable[[object, object], object], case: _Case) -> tuple[Strength, str]:
    """Ask a check of ours in this process, about the value and about wrong ones."""

    def passes(result: object) -> bool:
        try:
            return check(case.given, result) is True
        except Exception:
            return False

    try:
        value = _listed(case.value)
        accepted = passes(value)
        wrong = wrong_results(value, case.input) if accepted else []
    except Exception:
        raise NoTest("the value cannot be read") from None
    if not accepted:
        raise NoTest(f"it does not hold that {evidence.description}")
    return strength_of(wrong, [passes(one.value) for one in wrong])


def _in_part(evidence: Evidence, value: object) -> Evidence:
    """Return the weak evidence of a value that is too large for any test, and whose first items are there."""
    whole = f"{len(value)} items" if is_sequence(value) else shown(value, 60)  # type: ignore[arg-type]
    try:
        first = [item for item, _ in zip(value, range(_FIRST), strict=False)] if is_sequence(value) else [value]  # type: ignore[call-overload]
    except Exception:
        raise NoTest("its items cannot be read") from None
    if first and all(item is None for item in first):
        raise NoTest("its first items are all None")
    description = f"too large to be tested whole: of {whole} the first are there"
    return replace(evidence, description=description, confidence=min(evidence.confidence, 0.3), strength="weak")
