"""How near an atom is to a request: shared words, rare ones counting more. No model, and the same on every machine."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"[^\W_]{2,}")
# A request that is pasted from a log adds nothing after this many words.
_MOST_WORDS: Final = 2000


class Index:
    """Texts by their words; `nearness` compares a request with all of them."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._having: dict[str, list[str]] = defaultdict(list)
        words_of: dict[str, frozenset[str]] = {}
        for id, text in texts:
            words_of[id] = words = words_in(text)
            for word in words:
                self._having[word].append(id)
        self._count = len(words_of)
        self._length = {id: self._norm(words) for id, words in words_of.items()}

    def nearness(self, request: str) -> dict[str, float]:
        """Return the cosine of request and text, from 0 to 1, of every text that shares a word with it."""
        words = words_in(request)
        length = self._norm(words)
        shared: dict[str, list[float]] = defaultdict(list)
        for word in sorted(words):
            weight = self._weight(word) ** 2
            for id in self._having.get(word, ()):
                shared[id].append(weight)
        return {id: min(1.0, math.fsum(found) / (length * self._length[id])) for id, found in shared.items()}

    def _norm(self, words: Iterable[str]) -> float:
        # fsum does not depend on the order of a set.
        return math.sqrt(math.fsum(self._weight(word) ** 2 for word in words)) or 1.0

    def _weight(self, word: str) -> float:
        return math.log(1.0 + (self._count + 1) / (len(self._having.get(word, ())) + 1))


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text, in small letters, a plural as its singular."""
    found = _WORD.findall(text.casefold())[:_MOST_WORDS]
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word for word in found)
