"""Hold an intent while it is being understood: which words are spent, what was found, what stands in the way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from mayfly.synthesis.records import _lexicon
from mayfly.synthesis.records._model import Bucket, Condition, Field, Format, Key, Measure
from mayfly.synthesis.records._tokens import Token

LONGEST = 4


class Phrase(NamedTuple):
    """Words that stand for something, and where they end."""

    meaning: str
    text: str
    end: int


class Match(NamedTuple):
    """Fields that words name equally well, and where the words end."""

    fields: tuple[Field, ...]
    end: int


class Placed(NamedTuple):
    """A condition, and the tokens it was read from."""

    condition: Condition
    start: int
    end: int


class Ask:
    """Hold what has been understood of one intent."""

    def __init__(self, tokens: Sequence[Token], found: Format) -> None:
        self.tokens, self.format = list(tokens), found
        self.used: set[int] = set()
        self.conditions: list[Placed] = []
        self.measure: Measure | None = None
        self.of = ""
        self.keys: list[Key] = []
        self.having: Condition | None = None
        self.gather = self.unique = self.ranked = self.descending = self.last = False
        self.order = ""
        self.rate_at = -1
        self.most = ""
        self.bare_rank = self.bare_sort = False
        self.limit: int | None = None
        self.select: list[str] = []
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.question: str | None = None

    def free(self, index: int) -> bool:
        """Whether there is a token at *index* that nothing has used."""
        return 0 <= index < len(self.tokens) and index not in self.used

    def spend(self, start: int, end: int) -> None:
        """Mark tokens as understood."""
        self.used.update(range(start, end))

    def word(self, index: int) -> str:
        """Return the word at *index* in its plain form, or nothing."""
        return self.tokens[index].plain if 0 <= index < len(self.tokens) else ""

    def skip(self, index: int, words: Collection[str]) -> int:
        """Return the first place from *index* on that holds none of *words*."""
        while self.free(index) and self.word(index) in words:
            index += 1
        return index

    def phrase(self, index: int, table: str) -> Phrase | None:
        """Return the longest phrase of a table that begins at *index*."""
        phrases = _lexicon.phrases(table)
        for length in range(LONGEST, 0, -1):
            end = index + length
            if not all(self.free(place) for place in range(index, end)):
                continue
            for words in self._forms(index, end):
                if words in phrases:
                    return Phrase(phrases[words], " ".join(words), end)
        return None

    def _forms(self, start: int, end: int) -> list[tuple[str, ...]]:
        taken = self.tokens[start:end]
        return [tuple(token.text.lower() for token in taken), tuple(token.plain for token in taken)]

    def phrase_before(self, index: int, table: str) -> tuple[Phrase, int] | None:
        """Return the longest phrase of a table that ends right before *index*, and where it begins."""
        for start in range(max(0, index - LONGEST), index):
            found = self.phrase(start, table)
            if found and found.end == index:
                return found, start
        return None

    def field_at(self, index: int, *, numeric: bool = False) -> Match | None:
        """Return the fields that the words from *index* on name, by as many words as possible."""
        for length in range(3, 0, -1):
            places = range(index, index + length)
            if not all(self.free(place) and self.tokens[place].kind == "word" for place in places):
                continue
            words = tuple(word for place in places for word in _lexicon.name_words(self.tokens[place].text))
            fields = resolve(self.format, words, numeric=numeric)
            if fields:
                return Match(fields, index + length)
        return None

    def field_before(self, index: int) -> tuple[Match, int] | None:
        """Return the fields named by the words right before *index*, and where those begin."""
        for start in range(max(0, index - 3), index):
            found = self.field_at(start)
            if found and found.end == index:
                return found, start
        return None

    def choose(self, match: Match) -> Field:
        """Return the field meant; where several fit equally well, ask which."""
        if len(match.fields) > 1 and self.question is None:
            names = " or ".join(field.name for field in match.fields)
            self.question = f"Which field is meant: {names}? The first was taken."
        return match.fields[0]

    def role(self, *roles: str) -> Field | None:
        """Return the first field that has one of the roles."""
        fitting = [field for role in roles for field in self.format.fields if field.role == role]
        return preferred(fitting)[0] if fitting else None

    def add(self, condition: Condition, start: int, end: int) -> None:
        """Keep a condition; a word of denial before it turns it round."""
        before = start - 1
        while self.free(before) and self.word(before) in (
            "the",
            "a",
            "with",
            "from",
            "for",
            "any",
            "of",
            "where",
            "and",
            "are",
            "is",
            "that",
        ):
            before -= 1
        negated = condition.negated
        if denial := self.phrase_before(before + 1, "negate"):
            self.spend(denial[1], denial[0].end)
            start, negated = denial[1], not negated
        self.spend(start, end)
        changed = Condition(
            field=condition.field,
            operator=condition.operator,
            value=condition.value,
            negated=negated,
            exact=condition.exact,
        )
        self.conditions.append(Placed(changed, start, end))

    def numbered(self, index: int) -> bool:
        """Whether a number stands among the few words before *index*."""
        return any(token.kind == "number" for token in self.tokens[max(0, index - 3) : index])

    def is_record(self, index: int) -> bool:
        """Whether the word at *index* speaks of records, and is not the name of a field."""
        word = self.word(index)
        named = any(_lexicon.name_words(field.name) == (word,) for field in self.format.fields)
        return self.free(index) and word in _lexicon.words("records") and not named

    def bucket(self, index: int) -> tuple[Bucket, int] | None:
        """Return the span of time a word names."""
        found = self.phrase(index, "buckets")
        return (_BUCKETS[found.meaning], found.end) if found else None


_BUCKETS: dict[str, Bucket] = {
    "second": "second",
    "minute": "minute",
    "hour": "hour",
    "day": "day",
    "month": "month",
    "year": "year",
}


def resolve(found: Format, words: tuple[str, ...], *, numeric: bool = False) -> tuple[Field, ...]:
    """Return the fields that go by *words*: by their own name, by what they are about, or by a part of the name."""
    fields = [field for field in found.fields if field.numeric or not numeric]
    exact = [
        field
        for field in fields
        if words in (_lexicon.name_words(field.name), _lexicon.name_words(" ".join(field.path)))
    ]
    if exact:
        return tuple(exact)
    for role in _lexicon.roles().get(words, ()):
        fitting = [field for field in fields if field.role == role]
        if fitting:
            return preferred(fitting)
    common = _lexicon.words("harmless") | _lexicon.words("records") | _lexicon.words("show") | _lexicon.words("formats")
    if len(words) == 1 and (words[0] in common or len(words[0]) < 3):
        return ()
    return preferred([field for field in fields if _holds(_lexicon.name_words(field.name), words)])


def preferred(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Return the fields that are named most plainly: by one word, and by a name rather than by a number."""
    named = [field for field in fields if _lexicon.name_words(field.name)[-1] != "id"] or list(fields)
    plain = [field for field in named if len(_lexicon.name_words(field.name)) == 1]
    return tuple(plain or named)


def _holds(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(name[start : start + len(words)] == words for start in range(len(name)))
