"""The test of one value: chosen before the value is looked at, and only exactly True accepts.

A test that also accepts what is obviously wrong says little, and that is told with its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, Literal, NamedTuple

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
class Held:
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
    ) -> Held:
        """Ask the test; never raises for what the value or the test is."""
        if not evidence.source:
            return _refused(evidence, "there is no test that could be run")
        case = _Case(value, input, dict(context or {}))
        ours = in_process(evidence.check, evidence.source) if evidence.check else None
        if ours is None:
            return await self._across(evidence, case)
        try:
            if case.fits(_HERE_NODES, _HERE_TEXT):
                return _here(evidence, ours, case)
            crosses = await asyncio.to_thread(case.fits, _ACROSS_NODES, _ACROSS_TEXT)
        except Exception as error:
            return _refused(evidence, _unreadable(error))
        return await self._across(evidence, case) if crosses else _in_part(evidence, value)

    async def _across(self, evidence: Evidence, case: _Case) -> Held:
        """Ask a test behind the wall: once about the value, then in another process about wrong ones."""
        try:
            source = read_given(evidence.source).source
        except NoTest as error:
            return _refused(evidence, str(error))
        try:
            if not await asyncio.to_thread(case.fits, _ACROSS_NODES, _ACROSS_TEXT):
                return _refused(evidence, "the value is too large to be tested")
        except Exception as error:
            return _refused(evidence, _unreadable(error))
        result = await self._run(source, "_mayfly_once", case.request(case.value))
        reason = _why_not(result)
        if reason:
            return _refused(evidence, reason)
        wrong = _wrong(case)
        if not wrong:
            return _judged(evidence, "weak", "it could not be tried on wrong results")
        # The value comes again at the end: a test that answers by counting its calls is found out.
        cases = [case.request(one.value) for one in wrong] + [case.request(case.value)]
        tried = await self._run(source, "_mayfly_many", {"cases": cases})
        return _tried(evidence, wrong, tried)

    async def _run(self, source: str, entry: str, request: object) -> Result:
        return await self._sandbox.arun(source, entry, request, timeout=self._seconds, imports=TEST_IMPORTS)


class _Case(NamedTuple):
    """One value, what it was made from, and what is known."""

    value: object
    input: object | Unset
    context: dict[str, object]

    def fits(self, nodes: int, text: int) -> bool:
        """Whether value and input together are small; `TooDeep` for what nests deeper than anything we accept."""
        return size([self.value, self.given], nodes=nodes, text=text) is not None

    @property
    def given(self) -> object:
        return None if isinstance(self.input, Unset) else self.input

    @property
    def plain(self) -> object:
        return list(self.value) if _is_foreign(self.value) else self.value  # type: ignore[call-overload]

    def request(self, value: object) -> dict[str, object]:
        """Return what is sent for *value*; a context that is no plain data, or a large one, stays here."""
        given = list(self.given) if _is_foreign(self.given) else self.given  # type: ignore[call-overload]
        value = list(value) if _is_foreign(value) else value  # type: ignore[call-overload]
        return {"result": value, "input": given, "context": _sendable(self.context)}


def _wrong(case: _Case) -> list[Wrong]:
    """Return wrong results for a value that is small enough to be tried several times."""
    try:
        return wrong_results(case.plain, case.input) if case.fits(_TRIED_NODES, _TRIED_TEXT) else []
    except Exception:
        return []


def _unreadable(error: Exception) -> str:
    return str(error) if isinstance(error, TooDeep) else "the value cannot be read"


def _is_foreign(value: object) -> bool:
    return is_sequence(value) and not isinstance(value, list)


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


def _tried(evidence: Evidence, wrong: Sequence[Wrong], result: Result) -> Held:
    answers = result.value
    if not result.ok or not isinstance(answers, list) or len(answers) != len(wrong) + 1:
        return _judged(evidence, "weak", "it could not be tried on wrong results")
    if answers[-1] is not True:
        return _refused(evidence, "the test does not answer the same when it is asked again")
    return _judged(evidence, *strength_of(wrong, [answer is True for answer in answers[:-1]]))


def _here(evidence: Evidence, check: Callable[[object, object], object], case: _Case) -> Held:
    value = case.plain

    def passes(result: object) -> bool:
        try:
            return check(case.given, result) is True
        except Exception:
            return False

    if not passes(value):
        return _refused(evidence, f"it does not hold that {evidence.description}")
    wrong = wrong_results(value, case.input)
    return _judged(evidence, *strength_of(wrong, [passes(one.value) for one in wrong]))


def _in_part(evidence: Evidence, value: object) -> Held:
    """Accept a value that is too large for any test if its first items are there, and say that this is weak."""
    whole = f"{len(value)} items" if is_sequence(value) else shown(value, 60)  # type: ignore[arg-type]
    description = f"too large to be tested whole: of {whole} the first are there"
    weak = replace(evidence, description=description, confidence=min(evidence.confidence, 0.3), strength="weak")
    try:
        first = [item for item, _ in zip(value, range(_FIRST), strict=False)] if is_sequence(value) else [value]  # type: ignore[call-overload]
    except Exception:
        return _refused(weak, "its items cannot be read")
    empty = bool(first) and all(item is None for item in first)
    return _refused(weak, "its first items are all None") if empty else Held(accepted=True, reason="", evidence=weak)


def _judged(evidence: Evidence, strength: Literal["strong", "weak", "none"], missed: str) -> Held:
    """Accept with what the test is worth; one that accepts anything accepts nothing."""
    said = evidence.description if not missed else f"{evidence.description}; {missed}"
    found = replace(evidence, strength=strength, description=said)
    if strength == "none":
        return Held(accepted=False, reason=missed, evidence=found)
    return Held(accepted=True, reason=missed, evidence=found)


def _refused(evidence: Evidence, reason: str) -> Held:
    return Held(accepted=False, reason=" ".join(reason.split())[:500], evidence=evidence)
