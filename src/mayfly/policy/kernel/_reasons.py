"""Why an action is denied or needs an approval: a code that never changes, words, and the place in what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mayfly.core import shipped_table

if TYPE_CHECKING:
    from mayfly.mangle import Model
    from mayfly.policy.kernel.facts import Fact

OWN: Final = "rule/own"
# Facts that repeat a piece of what was asked; the rest of a derivation are words of the rules.
_PIECES: Final = frozenset(
    {"action_path", "action_path_part", "action_host", "payload_host", "action_word", "action_method"}
)


class TextSpan(NamedTuple):
    """A place in what was asked: in the target or the payload, from where to where, as slices count."""

    argument: str
    start: int
    end: int


class Reason(NamedTuple):
    """One reason: its code, its words and what it is about."""

    code: str
    text: str
    span: TextSpan

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {"code": self.code, "text": self.text, **self.span._asdict()}


@cache
def reason_codes() -> Mapping[str, str]:
    """Return every code there is, with its meaning."""
    return {code: told["means"] for code, told in _listed().items()}


@cache
def _listed() -> Mapping[str, Any]:
    path = Path(__file__).parent.with_name("reasons.toml")
    codes: Mapping[str, Any] = shipped_table(path)["codes"]
    return codes


@cache
def _beginnings() -> tuple[tuple[str, str], ...]:
    """Return the beginnings of reasons with their codes, the longest first: the most exact one counts."""
    found = [(text, code) for code, told in _listed().items() for text in told["texts"]]
    return tuple(sorted(found, key=lambda one: len(one[0]), reverse=True))


def code_of(text: str) -> str:
    """Return the code of a reason of the rules."""
    return next((code for beginning, code in _beginnings() if text.startswith(beginning)), OWN)


def reasons_of(
    because: Iterable[str], facts: Iterable[Fact], model: Model | None, *, target: str, payload: str
) -> tuple[Reason, ...]:
    """Return the reasons of a decision, each with the place it is about.

    That is what the words end with where it stands in what was asked, else what the derivation of the reason is made
    of, else the whole target.
    """
    derived = {row[1]: (symbol, row) for symbol, row in facts if len(row) > 1}
    found = []
    for text in because:
        fact = derived.get(text)
        pieces = [text.rpartition(": ")[2].lstrip("*")] if ": " in text else []
        spans = _spans(pieces, target, payload)
        if not spans and fact is not None and model is not None:
            spans = _spans(_pieces(model, fact), target, payload)
        found.append(Reason(code_of(text), text, _around(spans) or TextSpan("target", 0, len(target))))
    return tuple(found)


def _pieces(model: Model, fact: Fact) -> Iterator[str]:
    """Yield what the derivation of a fact repeats of what was asked."""
    from mayfly.mangle import leaves, why

    for symbol, row in leaves(why(model, *fact)).facts:
        if symbol.name in _PIECES:
            yield from (value for value in row[1:] if isinstance(value, str))


def _spans(pieces: Iterable[str], target: str, payload: str) -> list[TextSpan]:
    found = []
    for piece in dict.fromkeys(pieces):
        for argument, text in (("target", target), ("payload", payload)):
            match = _word(piece).search(text) if piece else None
            if match is not None:
                found.append(TextSpan(argument, match.start(), match.end()))
                break
    return found


def _word(piece: str) -> re.Pattern[str]:
    """Return what finds *piece* as a word of its own: the `/` of `rm -rf /` is not the one of /tmp."""
    before = {"/": r"(?<![\w/.])", ".": r"(?<![\w.])"}.get(piece[0], r"(?<!\w)")
    after = r"(?![\w/.])" if piece[-1] in "/." else r"(?!\w)"
    return re.compile(f"{before}{re.escape(piece)}{after}")


def _around(spans: list[TextSpan]) -> TextSpan | None:
    """Return the smallest place that holds all of the spans in the argument of the first."""
    same = [span for span in spans if span.argument == spans[0].argument]
    if not same:
        return None
    return TextSpan(same[0].argument, min(span.start for span in same), max(span.end for span in same))
