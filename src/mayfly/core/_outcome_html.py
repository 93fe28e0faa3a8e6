"""An outcome as a notebook shows it."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from mayfly.core._secret_values import without_secrets, without_secrets_in
from mayfly.core._shown import harmless

if TYPE_CHECKING:
    from mayfly.core._types import Outcome

# As much of a value as fits a screen; the rest is one expression away.
_LONGEST = 4_000
_COLOURS = {"resolved": "#17663a", "collapsed": "#7a4a00"}


def outcome_html(outcome: Outcome[Any]) -> str:
    """Return the status, the value, what speaks for it and what it took, as one small table."""
    word, colour = outcome.ending, _COLOURS.get(outcome.status, "#9b1c1c")
    proof, cost = outcome.proof, outcome.cost
    evidence = "; ".join(map(str, proof.evidence)) if proof else ""
    open_points = "; ".join(map(str, proof.open)) if proof else ""
    rows = {
        "value" if outcome.resolved else "fallback": _data(outcome.value),
        "reason": "" if outcome.resolved else outcome.reason,
        "question": outcome.question or "",
        "read as": outcome.reading,
        "proof": f"{proof.strength}: {evidence or f'{proof.tests} tests'}" if proof else "",
        "open": open_points,
        "took": f"{cost.seconds:.2f} s, {cost.model_calls} model calls{', cached' if outcome.cached else ''}",
    }
    filled = [_piece("row").substitute(name=_text(name), value=_text(value)) for name, value in rows.items() if value]
    return _piece("table").substitute(status=_text(word), colour=colour, id=_text(outcome.id), rows="".join(filled))


def _data(value: object) -> str:
    try:
        return json.dumps(without_secrets_in(value), ensure_ascii=False, indent=1)
    except (TypeError, ValueError, RecursionError):
        return f"a {type(value).__name__}"


def _text(text: str) -> str:
    # Secrets first: half of one looks like none.
    known = harmless(without_secrets(text))
    left = len(known) - _LONGEST
    return escape(known if left <= 0 else f"{known[:_LONGEST]} … and {left:,} more characters")


@cache
def _piece(name: str) -> Template:
    text = Path(__file__).with_name("outcome.html").read_text(encoding="utf-8")
    return Template(text.partition(f'<template id="{name}">')[2].partition("</template>")[0].strip())
