"""Sums and JSON in a request, kept whole: a reader of words would take them apart at every sign."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

_MARK = re.compile(r"[\"'`]?⟦(\d+)⟧[\"'`]?")
_NUMBER = r"[-+]?\(*[-+]?(?:\d(?:[\d_]|,(?=\d))*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\)*"
_SIGN = r"(?:\s*(?:\*\*|//|[*/%^×·÷−+])\s*|\s+-\s*|-|\s+(?:plus|minus|times|divided by|modulo)\s+)"
# Not behind or before what makes it a name, a version or a factorial: "v1-2", "2 + 3!".
_SUM = re.compile(rf"(?<![\w.:/-]){_NUMBER}(?:{_SIGN}{_NUMBER})+(?![\w!:/-]|\.\w)")
_SHARE = re.compile(r"(?<![\w.])(?P<part>\d+(?:\.\d+)?)\s*%\s+of\s+(?P<whole>\d[\d,]*(?:\.\d+)?)(?![\w!])")
_DATE = re.compile(r"\d{1,4}-\d{1,2}(?:-\d{1,4})?|\d+/\d+/\d+")
_SPOKEN = {"plus": "+", "minus": "-", "times": "*", "divided by": "/", "modulo": "%"}


class LiteralText(NamedTuple):
    """Something that was written as it is: the text, and the sum or the data that it stands for."""

    text: str
    kind: Literal["sum", "data"]
    value: object


@dataclass(kw_only=True)
class Literals:
    """What was taken out of a text, in the order of its marks."""

    found: list[LiteralText] = field(default_factory=list)

    def mark(self, text: str) -> str:
        """Return *text* with a mark, which is read as something quoted, in place of each sum and each piece of JSON."""
        marked = "".join(self._mark_json(text))
        return _SUM.sub(self._mark_sum, _SHARE.sub(self._mark_share, marked))

    def written(self, text: str) -> str:
        """Return a marked text as it was written."""
        return _MARK.sub(lambda mark: self.found[int(mark[1])].text, text)

    def at(self, text: str) -> LiteralText | None:
        """Return what the mark *text* stands for, None where it is no mark."""
        mark = _MARK.fullmatch(text)
        return self.found[int(mark[1])] if mark and int(mark[1]) < len(self.found) else None

    def _put(self, written: LiteralText) -> str:
        self.found.append(written)
        return f'"⟦{len(self.found) - 1}⟧"'

    def _mark_share(self, found: re.Match[str]) -> str:
        value = f"{found['part']} / 100 * {found['whole']}".replace(",", "")
        return self._put(LiteralText(found[0], "sum", value))

    def _mark_sum(self, found: re.Match[str]) -> str:
        plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", found[0])
        for word, sign in _SPOKEN.items():
            plain = re.sub(rf"\s{word}\s", f" {sign} ", plain)
        sound = plain.count("(") == plain.count(")") and "," not in plain and not _DATE.fullmatch(plain)
        return self._put(LiteralText(found[0], "sum", plain)) if sound else found[0]

    def _mark_json(self, text: str) -> Iterator[str]:
        here = 0
        for found in re.finditer(r"[\[{]", text):
            if found.start() < here:
                continue
            try:
                value, stop = json.JSONDecoder().raw_decode(text, found.start())
            except (ValueError, RecursionError):
                continue
            yield text[here : found.start()]
            yield self._put(LiteralText(text[found.start() : stop], "data", value))
            here = stop
        yield text[here:]
