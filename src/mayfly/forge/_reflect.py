"""Look at why an attempt failed: known patterns first, a model where there is one."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mayfly.core import Artifact, MayflyError, Verdict
from mayfly.forge._prompt import Prompt, fenced
from mayfly.forge._request import Reflection, Request
from mayfly.forge._shown import said_verdict, shown_to_model
from mayfly.models import Model, Pool

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

    def __init__(self, model: Model | None = None, pool: Pool | None = None) -> None:
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
        prompt = Prompt.load("reflect").fill(
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
