"""The words of one question, and what can be told about any place in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from mayfly.language._lexicon import word_set
from mayfly.language._tokens import Token
from mayfly.language.question._conditions import Conditions
from mayfly.language.question._query import Arithmetic, Compare, columns_of
from mayfly.language.question._terms import Term, Terms
from mayfly.language.question._vocabulary import NEAR, Vocabulary
from mayfly.language.question._words import ARTICLES, bases_of, in_class, is_glue, phrase_at

# Verbs that ask are commands: "name the cities" is one, "names" are things.
SHOW = word_set("show", "questions")


class Wording:
    """Hold the tokens of a question with what reads its expressions and its conditions."""

    def __init__(self, text: str, tokens: list[Token], vocabulary: Vocabulary) -> None:
        self.tokens, self.vocabulary = tokens, vocabulary
        self.terms = Terms(text, tokens, vocabulary)
        self.conditions = Conditions(self.terms)

    def word(self, place: int) -> str:
        """Return the word at a place."""
        return self.terms.word(place)

    def skip(self, place: int, words: tuple[str, ...] | frozenset[str]) -> int:
        """Return the first place from *place* on that holds none of *words*."""
        return self.terms.skip(place, words)

    def several(self, start: int) -> Iterator[tuple[Term, ...]]:
        """Yield one term, or several that are joined by "and" or a comma; the longest first."""
        for term in self.terms.at(start):
            place = self.skip(term.end, ("and", ",", "then", "by", "per"))
            if place > term.end and self.word(term.end) in ("and", ",", "then"):
                yield from ((term, *rest) for rest in self.several(self.skip(place, ARTICLES)))
            yield (term,)

    def is_measure(self, place: int) -> bool:
        """Say whether a measure begins at a place."""
        return phrase_at(self.tokens, place, "measures") is not None

    def is_value(self, place: int) -> bool:
        """Say whether a value stands at a place, and no column's name."""
        return (
            place < len(self.tokens) and not self.terms.at(place) and any(r.cost < 1 for r in self.conditions.at(place))
        )

    def is_of_names(self, place: int) -> bool:
        """Say whether "names" are those of what a column holds: "names of all the collectors"."""
        behind = self.skip(place + 1, ("of", "all", "the", "our"))
        if self.word(place) not in ("name", "names") or behind == place + 1:
            return False
        return any(term.info is not None and term.info.kind == "text" for term in self.terms.at(behind))

    def is_span(self, place: int) -> bool:
        """Say whether two moments are named at a place: "between reported and arrived"."""
        return any(
            isinstance(term.of, Arithmetic) and term.info is not None and term.info.kind == "time"
            for term in self.terms.at(place)
        )

    @cached_property
    def has_span(self) -> bool:
        """Whether the question names two moments between which something lasts."""
        return any(map(self.is_span, range(len(self.tokens))))

    @cached_property
    def words_of_conditions(self) -> frozenset[str]:
        """The words of the names of columns of which the question says a value."""
        known = self.vocabulary.by_name
        return frozenset(
            part
            for place in range(len(self.tokens))
            for read in self.conditions.at(place)
            if read.cost < NEAR and isinstance(read.condition, Compare) and read.condition.operator in ("=", "in")
            for name in columns_of(read.condition)
            if name in known
            for part in known[name].words
        )

    def is_plural(self, place: int) -> bool:
        """Say whether the word at a place stands for several things."""
        word = self.word(place)
        return (word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word in ("people", "data", "children")

    def is_name(self, place: int) -> bool:
        """Say whether a word is written as names are: with a capital inside a sentence, with digits or signs in it."""
        token = self.tokens[place]
        if token.kind in ("code", "path", "url", "address", "quoted"):
            return True
        capital = token.text[:1].isupper() and place > 0 and not token.text.isupper()
        return token.kind == "word" and (capital or any(letter.isupper() for letter in token.text[1:].rstrip("s")[1:]))

    def is_opening(self, place: int) -> bool:
        """Say whether only words that ask, and what the data is called, stand before: "parse the log and show"."""
        return all(
            is_glue(word)
            or word in SHOW
            or word == "out"
            or in_class(word, "empty")
            or bool(bases_of(word) & self.vocabulary.kinds)
            for word in map(self.word, range(place))
        )
