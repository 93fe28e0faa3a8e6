"""Read from an intent what kind of result it asks for, and whether anything in it makes that unsure."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from mayfly.language import bases, tokens

_LONGEST = 20_000
_ARTICLES = frozenset({"a", "an", "the", "valid", "plain", "single", "one"})


@cache
def _table() -> dict[str, dict[str, str]]:
    text = files("mayfly.forge").joinpath("relations", "kinds.toml").read_text(encoding="utf-8")
    return {section: dict(values) for section, values in tomllib.loads(text).items()}


@cache
def _of(section: str, key: str) -> frozenset[str]:
    return frozenset(_table()[section][key].split())


@cache
def _meaning(section: str) -> dict[str, str]:
    """Return which key of *section* each of its words stands for."""
    return {word: key for key, words in _table()[section].items() for word in words.split()}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """An intent, read as words in clauses."""

    clauses: tuple[tuple[str, ...], ...]

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All words as they stand."""
        return tuple(word for clause in self.clauses for word in clause)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words."""
        return frozenset(self.order)

    def says(self, key: str) -> bool:
        """Whether any of the words that make one relation unsure is there."""
        return bool(self.words & _of("unsure", key))

    @cached_property
    def kind(self) -> str:
        """What is asked for: parse, find, sort and so on; empty where that is not clear."""
        kinds = list(dict.fromkeys(kind for clause in self.clauses if (kind := _kind_of(clause))))
        if not kinds:
            nouns = _of("position", "nouns")
            anywhere = (_verb(word) for word in self.order if word not in nouns and word.rstrip("s") not in nouns)
            kinds = [kind for kind in anywhere if kind][:1]
        if set(kinds) == {"parse", "find"} or set(kinds) == {"parse", "filter"}:
            kinds = ["parse"]
        clear = len(kinds) == 1 or (kinds and self._agree(kinds))
        return kinds[0] if clear and not self._goes_on(kinds[0]) else ""

    def _goes_on(self, kind: str) -> bool:
        """Whether a later clause asks for something else than the first one gives."""
        later = {clause[0] for clause in self.clauses[1:]} if any(map(_kind_of, self.clauses[:1])) else set()
        handed = kind not in ("parse", "find", "fix", "transform", "generate") and later & _of("position", "handing")
        return bool(handed or later & _of("position", "working"))

    def _agree(self, kinds: list[str]) -> bool:
        """Whether later clauses only say more of the first: what is found is listed or filtered."""
        return set(kinds) <= {"find", "filter"} or set(kinds) == {"validate", "find"}

    @cached_property
    def unchanged(self) -> bool:
        """Whether what is asked for stands in the input as it is."""
        return not self.says("computed") and not self.says("said") and not self.target(_meaning("notations"), reach=6)

    @cached_property
    def notation(self) -> str:
        """The notation something is to be turned into, if one is named."""
        found = self.target(_meaning("notations"), reach=100)
        partly = found in ("uppercase", "lowercase") and self.says("letters")
        return "" if partly else found

    @cached_property
    def type(self) -> str:
        """The type something is to be turned into, if one is named."""
        return self.target(_meaning("types"), reach=1)

    def target(self, meaning: dict[str, str], *, reach: int) -> str:
        """Return what the first words after "to", "as" or "into" mean."""
        for place, word in enumerate(self.order):
            if word in ("to", "as", "into"):
                after = [other for other in self.order[place + 1 :] if other not in _ARTICLES][:reach]
                return next((meaning[other] for other in after if other in meaning), "")
        return ""

    @cached_property
    def plain(self) -> bool:
        """Whether nothing else is said: no condition, no further step."""
        return self.words <= _of("exact", "plain")

    @cached_property
    def operation(self) -> str:
        """The one operation a request names that says nothing else."""
        named = [key for key in ("sum", "mean", "max", "min", "reverse") if self.words & _of("exact", key)]
        if len(named) != 1:
            return ""
        return named[0] if self.words - _of("exact", named[0]) <= _of("exact", "plain") else ""

    @cached_property
    def of_words(self) -> bool:
        """Whether it is about the words or lines of a text, or about each of several texts."""
        return bool(
            self.words & {"words", "lines", "word", "line", "strings", "texts", "numbers", "number", "integers"}
        )


@lru_cache(maxsize=4096)
def asked(intent: str) -> Asked:
    """Read *intent*."""
    clauses: list[list[str]] = [[]]
    ends = _of("position", "ends")
    for token in tokens(intent[:_LONGEST]):
        if token.kind in ("sign", "line", "item") or token.plain in ends:
            clauses.append([])
        if token.plain not in ends or token.plain == "then":
            clauses[-1] += (part for part in (token.plain or token.text.lower()).split("-") if token.kind in _SAID)
    return Asked(clauses=tuple(tuple(clause) for clause in clauses if clause))


# What is quoted, and what names a file or an address, says nothing of what is to be done.
_SAID = frozenset(("word", "number", "code"))


def _kind_of(clause: tuple[str, ...]) -> str:
    polite = _of("position", "polite") | {"then"}
    words = [word for place, word in enumerate(clause) if word not in polite or set(clause[:place]) - polite]
    if not words:
        return ""
    if words[:2] in (["how", "many"], ["number", "of"]) or words[:3] == ["the", "number", "of"]:
        return "count"
    if words[0] in ("remove", "drop", "eliminate") and {"duplicates", "duplicate", "repeated"} & set(words):
        return "unique"
    if words[0] in ("determine", "decide") and not {"whether", "if"} & set(words):
        return ""
    return _verb(words[0])


def _verb(word: str) -> str:
    verbs = _meaning("verbs")
    return next((verbs[form] for form in sorted(bases(word)) if form in verbs and not word.endswith(("ed", "ing"))), "")
