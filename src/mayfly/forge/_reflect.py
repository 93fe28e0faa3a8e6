"""Ask a model about a failure: `Reflector` why an attempt failed, `Arbiter` whether program or test is wrong."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from mayfly.core import UNSET, Artifact, Contract, MayflyError, Unset, Verdict, same
from mayfly.forge._prompt import PROMPTS, describe, said_verdict, shown_to_model
from mayfly.forge._request import Reflection, Request
from mayfly.gates import Disputed, Test
from mayfly.models import Model, ModelPool, Prompt, fenced, object_in

MOST_SUGGESTIONS = 5
MOST_FAILING = 10


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """One kind of error that is known: how it reads, what causes it, what to do."""

    match: str
    root_cause: str
    suggestions: tuple[str, ...]
    confidence: float


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a model is asked to answer."""

    root_cause: str
    suggestions: list[str]
    confidence: float


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return the shipped patterns, in the order in which they are tried."""
    table = tomllib.loads((files("mayfly.forge") / "patterns.toml").read_text(encoding="utf-8"))
    return tuple(Pattern(**{**row, "suggestions": tuple(row["suggestions"])}) for row in table["pattern"])


class Reflector:
    """Turn refused verdicts into a root cause, suggestions and a confidence."""

    def __init__(self, model: Model | None = None, pool: ModelPool | None = None) -> None:
        self._model = model if model is not None and model.serves("reflect") else None
        self._pool = pool

    def reflect(
        self, artifact: Artifact, verdicts: tuple[Verdict, ...], *, request: Request | None = None
    ) -> Reflection:
        """Say why *artifact* was not admitted; a model that fails leaves the patterns' answer standing."""
        refused = tuple(verdict for verdict in verdicts if verdict.decision != "accept")
        known = by_patterns(refused)
        if self._model is None:
            return known
        seen, fields = shown_to_model(request or Request(intent=""))
        failures = "\n".join(_line(said_verdict(verdict, fields)) for verdict in refused)
        prompt = Prompt.load(PROMPTS / "reflect.md").fill(
            intent=seen.intent, source=fenced(fields.text(artifact.source)), failures=fenced(failures)
        )
        try:
            said = self._model.ask("reflect", prompt.user, system=prompt.system, schema=Said, pool=self._pool).value
        except MayflyError:
            return known
        return Reflection(
            root_cause=said.root_cause,
            suggestions=tuple(said.suggestions[:MOST_SUGGESTIONS]),
            confidence=min(1.0, max(0.0, said.confidence)),
            failing=known.failing,
            requires_human=known.requires_human,
        )


def by_patterns(refused: tuple[Verdict, ...]) -> Reflection:
    """Reflect without a model: the first pattern that fits the first failure, and the fix every verdict brings."""
    if not refused:
        return Reflection(root_cause="nothing was refused", confidence=0.0)
    first = refused[0]
    text = f"{first.code} {first.message}"
    found = next((pattern for pattern in patterns() if re.search(pattern.match, text, re.IGNORECASE)), None)
    fixes = [verdict.fix for verdict in refused if verdict.fix]
    suggestions = list(dict.fromkeys([*fixes, *(found.suggestions if found else ())]))[:MOST_SUGGESTIONS]
    confidence = found.confidence if found else 0.5
    failed_tests = sum(verdict.gate == "proof" for verdict in refused)
    if first.gate == "proof":
        confidence = max(0.5, round(confidence - 0.1, 2))
    return Reflection(
        root_cause=found.root_cause if found else f"{first.gate} refused it: {first.message}",
        suggestions=tuple(suggestions),
        confidence=confidence,
        failing=tuple(_line(verdict) for verdict in refused[:MOST_FAILING]),
        requires_human=confidence < (0.5 if first.gate == "syntax" else 0.4) and failed_tests > 3,
    )


def _line(verdict: Verdict) -> str:
    where = f" (line {verdict.line})" if verdict.line else ""
    return f"{verdict.gate} {verdict.code}{where}: {verdict.message}"


# A fresh look is a model call: so many for one program, however many tests it fails.
MOST_LOOKS = 3


class Settled(NamedTuple):
    """What came of a dispute: tests that lost, cases that the program lost, and an input on which nobody agrees."""

    dropped: tuple[Test, ...] = ()
    upheld: tuple[Test, ...] = ()
    tied: tuple[Test, object] | None = None


class Arbiter:
    """Ask a model about single inputs; it sees intent, contract and examples, and neither program nor test."""

    def __init__(self, model: Model | None, pool: ModelPool | None = None) -> None:
        self._model = model if model is not None and model.serves("arbiter") else None
        self._pool = pool
        self._known: dict[str, object] = {}

    def settle(self, disputed: Sequence[Disputed], request: Request, contract: Contract) -> Settled:
        """Let two of three decide: the program, the test, and a fresh look; where there is none, the test stands."""
        plain = [one for one in disputed if one.test.expected is not UNSET and one.gave is not UNSET]
        if self._model is None or not plain or len(plain) < len(disputed):
            return Settled(upheld=tuple(one.test for one in disputed))
        dropped: list[Test] = []
        upheld: list[Test] = []
        tied: tuple[Test, object] | None = None
        for one in plain[:MOST_LOOKS]:
            try:
                seen = self._look(one.test.input, request, contract)
            except MayflyError:
                # Nobody looked, so there is no third voice: the test stands as it does where there is no model.
                upheld.append(one.test)
                continue
            if seen is not UNSET and same(seen, one.gave):
                dropped.append(one.test)
            elif seen is not UNSET and same(seen, one.test.expected):
                upheld.append(one.test)
            else:
                tied = tied or (one.test, one.gave)
        # Where more tests speak against a program than may be looked at, they stand.
        upheld += [one.test for one in plain[MOST_LOOKS:]]
        # A program that lost anywhere is written again first: a person is asked only where nothing else is wrong.
        return Settled(tuple(dropped), tuple(upheld), None if upheld else tied)

    def _look(self, input: object, request: Request, contract: Contract) -> object | Unset:
        """Return what a fresh look at one input gives, UNSET where it is not sure; the same input is looked at once."""
        assert self._model is not None
        key = json.dumps(input, sort_keys=True)
        if key not in self._known:
            seen, fields = shown_to_model(replace(request, contract=contract))
            prompt = Prompt.load(PROMPTS / "arbiter.md").fill(
                **describe(seen), input=fenced(json.dumps(fields.data(input), ensure_ascii=False))
            )
            said = self._model.ask("arbiter", prompt.user, system=prompt.system, pool=self._pool).text
            found = _output_in(said)
            self._known[key] = found if found is UNSET else fields.restored(found)
        return self._known[key]


def _output_in(text: str) -> object | Unset:
    data = object_in(text) or {}
    return UNSET if data.get("sure", True) is False else data.get("output", UNSET)
