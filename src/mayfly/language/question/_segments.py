"""Cut a question into segments, each with what it says; every word belongs to exactly one of them."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Literal

from mayfly.language._inflect import is_form_of, is_made_of, singular
from mayfly.language._lexicon import word_set
from mayfly.language._tokens import Token
from mayfly.language.question._conditions import UNSURE, Conditions
from mayfly.language.question._query import (
    Arithmetic,
    Column,
    Compare,
    Condition,
    Function,
    Missing,
    Named,
    Not,
    Or,
    columns_of,
    walk,
)
from mayfly.language.question._terms import Term, Terms
from mayfly.language.question._vocabulary import AKIN, EXACT, NEAR, Vocabulary, nouns_of
from mayfly.language.question._words import (
    ARTICLES,
    PERCENTILE,
    Adjective,
    adjective_at,
    bases_of,
    in_class,
    is_glue,
    is_turning,
    phrase_at,
    phrases_at,
    unit_of,
)

SegmentKind = Literal[
    "glue", "or", "ask", "measure", "term", "noun", "condition", "group", "sort", "way", "limit", "superlative",
    "unique", "dedupe", "keep", "of total", "digits", "scale", "rename", "add", "drop", "columns", "range", "unknown", "having", "edge",
]  # fmt: skip
# To leave a word out is worse than anything else, and never more than an offer.
LEFT_OUT = 8.0
# A little for each segment, so that of equal readings the one with longer segments comes first.
_STEP = 0.001
_GOES_ON = (
    "only",
    "just",
    "with",
    "where",
    "in",
    "from",
    "for",
    "sorted",
    "sort",
    "ordered",
    "also",
    "keep",
    "keeping",
)
# Signs that compare or work something out are never passed over.
_SAYING = frozenset((">=", "<=", "!=", "<>", "==", "=>", "=<", "=", "<", ">", "*", "+", "/", "×", "÷"))
# Verbs that ask are commands: "name the cities" is one, "names" are things.
_SHOW = word_set("show", "questions")
_ORDINALS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
_FORMATS = ("csv", "tsv", "json", "jsonl", "table", "lines")
_BESIDE = frozenset(
    (
        "and",
        "with",
        "the",
        "two",
        "both",
        "files",
        "tables",
        "inputs",
        "datasets",
        "sheets",
        "to",
        "them",
        "file",
        "table",
    )
)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
# What may stand before the name of something.
_POINTING = ("of", "the", "a", "an", "our", "their", "its", "each", "every")
# So many different values a column has at most by which anybody groups without naming it.
_FEW = 30
_MOST_CUTS, _MOST_STEPS = 80, 6000


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Some words of a question in a row, and what they say."""

    kind: SegmentKind
    start: int
    end: int
    cost: float = EXACT
    function: Function | None = None
    at: float = 0.0
    term: Term | None = None
    terms: tuple[Term, ...] = ()
    condition: Condition | None = None
    adjective: Adjective | None = None
    number: int = 0
    second: int = 0
    descending: bool = False
    last: bool = False
    name: str = ""
    word: str = ""
    named: Named | None = None
    plural: bool = False
    sorts: tuple[Segment, ...] = ()
    # A word that names nothing here, and what it was taken for is a guess.
    guess: str = ""


class Cutter:
    """Find every way to cut one question into segments, the likeliest first."""

    def __init__(self, text: str, tokens: list[Token], vocabulary: Vocabulary) -> None:
        self.text, self.tokens, self.vocabulary = text, tokens, vocabulary
        self.terms = Terms(text, tokens, vocabulary)
        self.conditions = Conditions(self.terms)
        self._known: dict[int, list[Segment]] = {}

    def cuts(self) -> Iterator[tuple[float, tuple[Segment, ...]]]:
        """Yield ways to cut the whole question with their costs, cheapest first, up to a bound."""
        order, steps = count(), 0
        heap: list[tuple[float, int, int, tuple[Segment, ...]]] = [(0.0, next(order), 0, ())]
        found = 0
        while heap and found < _MOST_CUTS and steps < _MOST_STEPS:
            cost, _, place, cut = heapq.heappop(heap)
            steps += 1
            if place == len(self.tokens):
                found += 1
                yield cost, cut
                continue
            for segment in self.at(place):
                heapq.heappush(heap, (cost + segment.cost + _STEP, next(order), segment.end, (*cut, segment)))

    def at(self, start: int) -> list[Segment]:
        """Return the segments that begin at a place, each once."""
        if start not in self._known:
            self._known[start] = list(dict.fromkeys(self._read(start)))
        return self._known[start]

    def _word(self, place: int) -> str:
        return self.terms.word(place)

    def _read(self, start: int) -> Iterator[Segment]:
        found = list(self._meaningful(start))
        yield from found
        word, token = self._word(start), self.tokens[start]
        if word == "(" and self._word(start + 2) == ")" and unit_of(self._word(start + 1)):
            yield Segment(kind="glue", start=start, end=start + 3, word="(")
        if self._takes_time(start):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        behind = self.terms.skip(start + 1, ("the", "this"))
        if (
            word == "in"
            and behind > start + 1
            and in_class(self._word(behind), "empty")
            and behind + 1 == len(self.tokens)
        ):
            yield Segment(kind="glue", start=start, end=behind + 1, word=word)  # "all links in the text"
        if word in ("days", "hours", "minutes", "weeks") and self._is_unit_of_span(start):
            yield Segment(kind="glue", start=start, end=start + 1, word=word, name="unit")
        if word == "how" and self._word(start + 1) == "many" and self._is_unit_of_span(start + 2):
            yield Segment(kind="glue", start=start, end=start + 3, word=word, name="unit")
        if not bases_of(word).isdisjoint(("take", "need", "last", "require")) and self.has_span:
            yield Segment(kind="glue", start=start, end=start + 1, word=word, name="unit")
        asks = not found and word in ("give", "list", "show", "tell", "name") and self._word(start + 1) == "the"
        if asks or (self._opens_sentence(start) and (word in _SHOW or word in ("need", "want"))):
            yield Segment(
                kind="glue", start=start, end=start + 1, word=word
            )  # "I need its number", "give me the lowest"
        if word in ("pass", "passed", "elapse", "elapsed", "lie", "lies", "go", "goes") and self.has_span:
            yield Segment(kind="glue", start=start, end=start + 1, word=word, name="unit")
        if word == "how" and self._word(start + 1) == "long" and self.has_span:
            yield Segment(kind="glue", start=start, end=start + 2, word=word, name="unit")
        if word == "(" and (listed := self._end_of_examples(start)):
            yield Segment(kind="glue", start=start, end=listed, word=word)
        if word in ("name", "names") and self._names_persons(start):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        if word in ("turn", "turns", "show", "shows", "come", "comes") and self._word(start + 1) == "up":
            yield Segment(kind="glue", start=start, end=start + 2, word=word)
        if word in ("through", "under") and not found and self._is_value(start + 1):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        if not found and (self._tells_again(start) or self._is_true_of_all(start) or self._is_span(start + 1)):
            yield Segment(kind="glue", start=start, end=start + 1, word=word, cost=0.3)
        if word in ("remain", "remains", "remaining", "left") and phrase_at(self.tokens, 0, "lists", "dedupe"):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        if word == "single" and adjective_at(self.tokens, start - 1):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)  # "the largest single donation"
        if word == "once" and self._points_back(start):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        if word == "at" and self._word(start + 1) == "all":
            yield Segment(kind="glue", start=start, end=start + 2, word=word)
        if word == "out" and start and (in_class(self._word(start - 1), "happened") or self._is_opening(start)):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)  # "came out", "find out"
        if self._word(start - 1) in ("and", "then", ",") and word in _SHOW and not found:
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        if word == "or":
            yield Segment(kind="or", start=start, end=start + 1)
        elif token.text == "-" and start and (self.terms.at(start + 1) or self.at_measure(start + 1)):
            yield from self._unsure(start, sure=True)  # One taken from the other: nobody may pass over that.
        elif (not is_turning(word) and (is_glue(word) or (token.kind == "sign" and word not in _SAYING))) or (word == "*" and self._is_opening(start)):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        elif token.kind == "word" and word in _SHOW and self._is_opening(start) and not self._is_name(start):
            yield Segment(kind="ask", start=start, end=start + 1, word=word)
        elif (
            word in ("every", "each")
            and self.terms.at(start + 1)
            and (not found or (start and self._is_opening(start)))
        ) or (word == "by" and self._is_value(start + 1)):
            yield Segment(kind="glue", start=start, end=start + 1, word=word, cost=0.2)
        elif word == "by" and any(self.at_measure(place) for place in range(start + 1, start + 4)):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        elif start > 0 and not found and self._only_happened(start):
            yield Segment(kind="glue", start=start, end=start + 1, word=word, cost=0.2)
        elif word in ("about", "regarding", "concerning") and self.conditions.at(start + 1):
            yield Segment(kind="glue", start=start, end=start + 1, word=word)  # "everything about order 88777"
        elif word == "but" and self._word(start + 1) in _GOES_ON:
            yield Segment(kind="glue", start=start, end=start + 1, word=word)
        elif word in _FORMATS and self._word(start - 1) in ("as", "in", "to"):
            yield Segment(kind="glue", start=start, end=start + 1, word=word, cost=0.2)
        elif not found and self._is_explained(start):
            yield Segment(kind="glue", start=start, end=start + 1, word=word, cost=0.5)
        elif ((in_class(word, "empty") and not self._is_compound(start)) or self._names_the_data(start)) and (
            not found or self._is_said_elsewhere(start)
        ):
            yield Segment(kind="glue", start=start, end=start + 1, word=word, cost=0.3)
        else:
            yield from self._unsure(start, sure=bool(found))

    def _is_value(self, place: int) -> bool:
        """Say whether a value stands at a place, and no column's name."""
        return (
            place < len(self.tokens) and not self.terms.at(place) and any(r.cost < 1 for r in self.conditions.at(place))
        )

    def _is_explained(self, start: int) -> bool:
        """Say whether words in brackets behind a word say what it means: "went wrong (ok=false)"."""
        place = start
        while place < min(start + 4, len(self.tokens)) and not self._explains(place):
            if place > start and self.conditions.at(place):
                return False  # That says something itself, and is not what the brackets explain.
            place += 1
        if place == start or not self._explains(place):
            return False
        behind = self.terms.skip(place + 1, ("is", "that", ","))
        return any(
            self._word(read.end) in (")", "or", "and") or read.end == len(self.tokens)
            for read in self.conditions.at(behind)
        )

    def _explains(self, place: int) -> bool:
        """Say whether an explanation begins here: a bracket, "i.e.", ", that is"."""
        if self._word(place) in ("(", "i.e", "i.e."):
            return True
        return self._word(place) == "," and self._word(place + 1) == "that" and self._word(place + 2) == "is"

    def _tells_again(self, start: int) -> bool:
        """Say whether a verb says what the column of a condition says: "picked by Ivan" with a picker."""
        word = self._word(start)
        if not word.isalpha() or len(word) < 4:
            return False
        return any(is_form_of(word, part) or is_made_of(part, word) for part in self._words_of_conditions)

    @cached_property
    def _words_of_conditions(self) -> frozenset[str]:
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

    def _is_true_of_all(self, start: int) -> bool:
        """Say whether a verb tells what happened to every record: all of them were "sold at" some moment."""
        word = self._word(start)
        return len(word) > 3 and any(
            one.kind == "time" and not one.optional and is_form_of(word, one.words[0])
            for one in self.vocabulary.columns
        )

    def _end_of_examples(self, start: int) -> int:
        """Return where a bracket ends that only gives examples: "per process (drum, payterm, ...)"; 0 for any other."""
        end = next((at for at in range(start, len(self.tokens)) if self._word(at) == ")"), 0)
        said = self.terms.text[self.tokens[start].start : self.tokens[end].end] if end else ""
        return end + 1 if re.search(r"(\.\.\.|…|\betc\.?)\s*\)$", said) else 0

    def _opens_sentence(self, start: int) -> bool:
        """Say whether a verb asks in the middle: behind the end of a sentence or of what it is about, or before "me"."""
        if not start:
            return False
        before = start - 1
        while before > 0 and self._word(before) in ("i", "please", "we", "just", "then", "also", "and"):
            before -= 1
        return self._word(before) in (".", "?", "!", ";", ":") or self._word(start + 1) in ("me", "us")

    def _is_span(self, place: int) -> bool:
        """Say whether two moments are named at a place: "between reported and arrived"."""
        return any(
            isinstance(term.of, Arithmetic) and term.info is not None and term.info.kind == "time"
            for term in self.terms.at(place)
        )

    def _names_persons(self, start: int) -> bool:
        """Say whether "names" are those of what a column holds: "names of all the collectors"."""
        place = self.terms.skip(start + 1, ("of", "all", "the", "our"))
        return place > start + 1 and any(
            term.info is not None and term.info.kind == "text" for term in self.terms.at(place)
        )

    @cached_property
    def has_span(self) -> bool:
        """Whether the question names two moments between which something lasts."""
        return any(map(self._is_span, range(len(self.tokens))))

    def _is_unit_of_span(self, start: int) -> bool:
        """Say whether a unit belongs to two moments that are named further on: "how many days ... from A to B"."""
        return self.terms.unit_at(start) > 1 and any(
            isinstance(term.of, Arithmetic)
            for place in range(start + 1, len(self.tokens))
            if self._word(place) in ("from", "between")
            for term in self.terms.at(place)
        )

    def _points_back(self, start: int) -> bool:
        """Say whether "once" ends "each owner once", which is read at its beginning."""
        return any(
            one.kind == "unique"
            and any(self.terms.skip(term.end, ("only", "just")) == start for term in self.terms.at(at + 1))
            for at in range(max(0, start - 5), start)
            for one in self.at(at)
        )

    def _takes_time(self, start: int) -> bool:
        """Say whether a verb says no more than what is behind it: "took the longest", "running for more than 3 days"."""
        if bases_of(self._word(start)).isdisjoint(("take", "last", "run")):
            return False
        found = adjective_at(self.tokens, self.terms.skip(start + 1, ARTICLES))
        timed = found is not None and found[0].superlative and "duration" in found[0].roles
        return timed or (self._word(start + 1) == "for" and bool(phrases_at(self.tokens, start + 2, "compare")))

    def _is_compound(self, start: int) -> bool:
        """Say whether a word makes another thing of the one before it: a "test file" is no test."""
        before = self._word(start - 1) if start else ""
        named = bool(before) and not is_glue(before) and not in_class(before, "empty") and before not in _SHOW
        return (
            named
            and not bases_of(self._word(start)).isdisjoint(("file", "log", "list", "line", "text", "table"))
            and not bases_of(before) & self.vocabulary.kinds
        )

    def _is_said_elsewhere(self, start: int) -> bool:
        """Say whether another word already says what is made of the records, so that "overall" adds nothing."""
        return self._word(start) in ("overall", "altogether", "combined") and any(
            place != start and (self.at_measure(place) or adjective_at(self.tokens, place))
            for place in range(len(self.tokens))
        )

    def _only_happened(self, start: int) -> bool:
        """Say whether a verb says no more than that there is a record: "orders placed in March", "that returned 404".

        One that ends a question may say all of it: "how many orders were returned".
        """
        word = self._word(start)
        codes = any(column.numeric for column in self.vocabulary.with_role("status"))
        if in_class(word, "answered") and not codes:
            return False
        if not in_class(word, "answered") and not in_class(word, "happened"):
            return False
        return start + 1 < len(self.tokens) or bool(
            bases_of(word) & {"exist", "be", "have", "occur", "happen", "appear"}
        )

    def _is_opening(self, start: int) -> bool:
        """Say whether only words that ask, and what the data is called, stand before a place: "parse the log and show"."""
        return all(
            is_glue(word)
            or word in _SHOW
            or word == "out"
            or in_class(word, "empty")
            or bool(bases_of(word) & self.vocabulary.kinds)
            for word in map(self._word, range(start))
        )

    def _names_the_data(self, start: int) -> bool:
        """Say whether a word belongs to what such data is called: "nginx access logs"."""
        place = start
        while bases_of(self._word(place)) & self.vocabulary.kinds:
            place += 1
        return place > start and "log" in bases_of(self._word(place - 1))

    def at_measure(self, place: int) -> bool:
        """Say whether a measure begins at a place."""
        return phrase_at(self.tokens, place, "measures") is not None

    def _joins(self, start: int) -> Iterator[Segment]:
        """Read how two inputs are put together: "join sales.csv with customers.csv on customer_id"."""
        if not self.vocabulary.joined:
            return
        yield from self._without_partner(start)
        phrase = phrase_at(self.tokens, start, "join")
        if phrase is None:
            if self._is_file(start):
                yield Segment(kind="glue", start=start, end=start + 1, word="file")
            return
        place = phrase.end
        while place < len(self.tokens) and (self._is_file(place) or self._word(place) in _BESIDE):
            place += 1
        if phrase.meaning == "on":
            yield from self._joined_on(start, phrase.end)
            return
        yield Segment(kind="glue", start=start, end=place, word="join")
        on = phrase_at(self.tokens, place, "join", "on")
        if on is not None:
            yield from self._joined_on(start, on.end)

    def _without_partner(self, start: int) -> Iterator[Segment]:
        """Read what only those without a partner have: "who have no timesheet entry", "whose id is not in users.csv"."""
        if not self.vocabulary.unmatched:
            return
        place = self.terms.skip(
            start, ("who", "that", "which", "with", "have", "has", "had", "are", "is", "whose", "a", "the")
        )
        for hit in self.vocabulary.columns_at(self.tokens, place):
            if hit.column.name == self.vocabulary.joined:
                place = self.terms.skip(hit.end, ("that", "which", "is", "are", "was"))
        phrase = phrase_at(self.tokens, place, "join", "anti")
        place = phrase.end if phrase else place + 1 if is_turning(self._word(place)) else 0
        place = self.terms.skip(place, ("any", "a", "an", "the", "in", "have", "been", "appear"))
        if place and self._is_file(place, loosely=True):
            place += 1
            place += in_class(self._word(place), "empty") or self._word(place) in ("at_all",)
            yield Segment(kind="glue", start=start, end=place, word="join")

    def _joined_on(self, start: int, place: int) -> Iterator[Segment]:
        for hit in self.vocabulary.columns_at(self.tokens, self.terms.skip(place, ("the", "column", "field", "same"))):
            if hit.column.name == self.vocabulary.joined:
                yield Segment(kind="glue", start=start, end=hit.end, word="join", cost=hit.cost)

    def _is_file(self, place: int, *, loosely: bool = False) -> bool:
        """Say whether a word names one of two inputs; loosely by any form of its name."""
        token = self.tokens[place] if place < len(self.tokens) else None
        if token is None:
            return False
        if loosely and any(
            bases_of(name) & bases_of(token.text.lower()) or is_made_of(singular(name), token.text.lower())
            for name in self.vocabulary.files
        ):
            return True
        return token.text.lower() in self.vocabulary.files and not self.terms.at(place)

    def _meaningful(self, start: int) -> Iterator[Segment]:
        yield from self._joins(start)
        yield from self._havings(start)
        yield from self._tables(start)
        yield from self._groups(start)
        yield from self._sorts(start)
        yield from self._limits(start)
        yield from self._superlatives(start)
        yield from self._measures(start)
        yield from self._conditions(start)
        yield from self._terms_and_nouns(start)
        yield from self._once(start)
        yield from self._of_each_kind(start)

    def _of_each_kind(self, start: int) -> Iterator[Segment]:
        """Read a column by whose values things are told apart: "events of each kind", "exceptions by type"."""
        group = phrase_at(self.tokens, start + 1, "group")
        kind = start + 1 if group is None else group.end
        if group is None or bases_of(self._word(kind)).isdisjoint(("kind", "type", "sort")) or self.terms.at(kind):
            return
        for term in self.terms.at(start):
            if term.end == start + 1 and term.info is not None and term.info.kind == "text":
                given = Not(of=Missing(of=term.of)) if term.info.optional else None
                yield Segment(
                    kind="group",
                    start=start,
                    end=kind + 1,
                    terms=(term,),
                    cost=term.cost,
                    word="by",
                    condition=given,
                )

    def _once(self, start: int) -> Iterator[Segment]:
        """Read "each owner once", and "each" where it only points back: "how often each occurred"."""
        if self._word(start) not in ("each", "every"):
            return
        for term in self.terms.at(start + 1):
            after = self.terms.skip(term.end, ("only", "just"))
            if self._word(after) == "once":
                yield Segment(kind="unique", start=start, end=start + 1)
        ends = start + 2 >= len(self.tokens) or self.tokens[start + 2].kind == "sign"
        happened = in_class(self._word(start + 1), "happened") and ends
        if phrase_at(self.tokens, start - 2, "measures", "often") or happened:
            yield Segment(kind="glue", start=start, end=start + 1, word="each")

    # What is made of the records.

    def _measures(self, start: int) -> Iterator[Segment]:
        if (
            self._word(start) == "by"
            and self.vocabulary.is_noun(self._word(start + 1))
            and not self.terms.at(start + 1)
        ):
            yield Segment(
                kind="measure", start=start, end=start + 2, function="count", word="by"
            )  # "top 5 ips by requests"
        named = start and any(term.end > start for term in self.terms.at(start - 1))
        for phrase in phrases_at(self.tokens, start, "measures", every=True):
            if named and phrase.end == start + 1:
                continue  # "ring numbers" are rings.
            if phrase.meaning == "often":
                yield Segment(kind="measure", start=start, end=phrase.end, function="count", name="often")
                continue
            function: Function = phrase.meaning  # type: ignore[assignment]
            yield Segment(kind="measure", start=start, end=phrase.end, function=function, word=self._word(start))
        yield from self._percentiles(start)
        if of_total := phrase_at(self.tokens, start, "lists", "of_total"):
            yield Segment(kind="of total", start=start, end=of_total.end)

    def _percentiles(self, start: int) -> Iterator[Segment]:
        token, following = self.tokens[start], self._word(start + 1)
        written = PERCENTILE.fullmatch(token.text.lower())
        if written is None:
            return
        if written[1]:
            end = start + 1 + (following in ("percentile",))
            yield Segment(kind="measure", start=start, end=end, function="percentile", at=float(written[1]))
        elif following in ("percentile", "pct", "centile"):
            yield Segment(kind="measure", start=start, end=start + 2, function="percentile", at=float(written[2]))

    def _havings(self, start: int) -> Iterator[Segment]:
        """Read a number of records that a group has: "more than 40 orders", "at least two visits"."""
        for phrase in phrases_at(self.tokens, start, "compare"):
            if phrase.meaning not in (">", ">=", "<", "<=") and self._word(start) != "exactly":
                continue
            if self._word(phrase.end) in _TIMES:
                at = float(_TIMES[self._word(phrase.end)])
                yield Segment(kind="having", start=start, end=phrase.end + 1, name=phrase.meaning, at=at)
            number = self.terms.number(phrase.end)
            if number is None or number.unit:
                continue
            if self._word(number.end) == "times":
                at = float(number.value)
                yield Segment(kind="having", start=start, end=number.end + 1, name=phrase.meaning, at=at)
            counted = [number.end + 1] if self.vocabulary.is_noun(self._word(number.end)) else []
            counted += [
                term.end for term in self.terms.at(number.end) if not term.numeric and self._is_plural(term.end - 1)
            ]
            for end in dict.fromkeys(counted):
                yield Segment(kind="having", start=start, end=end, name=phrase.meaning, at=float(number.value))
        number = self.terms.number(start)
        if number and self._word(number.end) == "times" and self._word(number.end + 1) == "or":
            way = {"more": ">=", "less": "<=", "fewer": "<="}.get(self._word(number.end + 2))
            if way:  # "9 times or more"
                end = number.end + 3
                yield Segment(kind="having", start=start, end=end, name=way, at=float(number.value))
        yield from self._measured_havings(start)

    def _measured_havings(self, start: int) -> Iterator[Segment]:
        """Read a measure that a group has: "whose average humidity is above 65"."""
        place = self.terms.skip(start, ("whose", "with", "where", "having", "the", "that", "have", "a", "an", "which"))
        for measure in phrases_at(self.tokens, place, "measures") if place > start else ():
            if measure.meaning not in ("sum", "mean", "median", "min", "max"):
                continue
            for term in self.terms.at(self.terms.skip(measure.end, ("of", "the"))):
                after = self.terms.skip(term.end, ("is", "are", "was", "of"))
                for phrase in phrases_at(self.tokens, after, "compare"):
                    number = self.terms.number(phrase.end)
                    if phrase.meaning in (">", ">=", "<", "<=") and number and term.numeric:
                        function: Function = measure.meaning  # type: ignore[assignment]
                        yield Segment(
                            kind="having",
                            start=start,
                            end=number.end,
                            name=phrase.meaning,
                            at=float(number.value),
                            function=function,
                            term=term,
                            cost=term.cost,
                        )

    # How they are grouped and ordered.

    def _groups(self, start: int) -> Iterator[Segment]:
        for phrase in phrases_at(self.tokens, start, "group"):
            skipped = ("the", "a", "an", "each", "every", "different", "value", "values", "of")
            yield from self._groups_of_some(start, self.terms.skip(phrase.end, skipped))
            yield from self._perhaps_grouped(start, self.terms.skip(phrase.end, skipped))
            for terms in self._several(self.terms.skip(phrase.end, skipped)):
                if self._word(self.terms.skip(terms[-1].end, ("only", "just"))) == "once":
                    continue  # "each owner once"
                # A list that goes on is not broken off without need.
                joined = self._word(terms[-1].end) in ("and", ",") and bool(
                    self.terms.at(self.terms.skip(terms[-1].end + 1, ARTICLES))
                )
                cost = sum(term.cost for term in terms) + 0.5 * joined
                # "pull out every address" takes them all and groups nothing.
                # "who come by bus" says how they come.
                cost += UNSURE * (
                    self._word(start) == "by" and in_class(self._word(start - 1), "happened") and start > 0
                )
                cost += UNSURE * self._is_narrowed(start, terms)
                cost += 0.6 * (self._word(start) in ("each", "every") and start > 0 and self._is_opening(start))
                yield Segment(
                    kind="group", start=start, end=terms[-1].end, terms=terms, cost=cost, word=self._word(start)
                )
                if self._is_narrowed(start, terms):
                    yield Segment(kind="glue", start=start, end=terms[-1].end, word="by", cost=terms[0].cost)
            # "per order": for each record by itself; only what is grouped so is said.
        for phrase in phrases_at(self.tokens, start, "parts"):
            if self._word(start).endswith("ly"):
                for term in self.terms.at(start):
                    yield Segment(kind="group", start=start, end=phrase.end, terms=(term,), cost=term.cost, word="by")

    def _groups_of_some(self, start: int, place: int) -> Iterator[Segment]:
        """Read groups of which only some are meant: "each paid order", "per student rider"."""
        if self._word(start) in ("each", "every") and self._is_opening(start):
            return  # "list every forced opening" groups nothing.
        for read in self.conditions.at(place):
            for term in self.terms.at(read.end) if read.cost < UNSURE else ():
                yield Segment(
                    kind="group",
                    start=start,
                    end=term.end,
                    terms=(term,),
                    condition=read.condition,
                    cost=read.cost + term.cost + 0.1,
                    word=self._word(start),
                )

    def _is_narrowed(self, start: int, terms: tuple[Term, ...]) -> bool:
        """Say whether "by" tells whose records are meant, and groups nothing: "by authors from Ireland"."""
        end = terms[-1].end
        if (
            self._word(start) != "by"
            or len(terms) > 1
            or self._word(end) not in ("from", "in", "with", "called", "named")
        ):
            return False
        own = {part.name.split(".")[0] for part in walk(terms[0].of) if isinstance(part, Column)}
        return any(
            own & {name.split(".")[0] for name in columns_of(read.condition)}
            for read in self.conditions.at(self.terms.skip(end + 1, ARTICLES))
        )

    def _several(self, start: int) -> Iterator[tuple[Term, ...]]:
        """Yield one term, or several that are joined by "and" or a comma; the longest first."""
        for term in self.terms.at(start):
            place = self.terms.skip(term.end, ("and", ",", "then", "by", "per"))
            if place > term.end and self._word(term.end) in ("and", ",", "then"):
                yield from ((term, *rest) for rest in self._several(self.terms.skip(place, ARTICLES)))
            yield (term,)

    def _sorts(self, start: int) -> Iterator[Segment]:
        if phrase := phrase_at(self.tokens, start, "order", "sort"):
            place = self.terms.skip(
                phrase.end, ("by", "on", "the", "them", "it", "rows", "records", "lines", "in", "order", "of")
            )
            found = list(self._sorted_by(start, place))
            measure = phrase_at(self.tokens, place, "measures")
            if measure is not None and not found:
                turned = phrase_at(self.tokens, measure.end, "order")
                end, meaning = (turned.end, turned.meaning) if turned else (measure.end, "")
                function: Function = "count" if measure.meaning == "often" else measure.meaning  # type: ignore[assignment]
                found = [Segment(kind="sort", start=start, end=end, function=function, name=meaning)]
            yield from found
            if not found:
                yield Segment(kind="sort", start=start, end=phrase.end)
        for way, descending in (("down", True), ("up", False)):
            if phrase := phrase_at(self.tokens, start, "order", way):
                yield Segment(kind="way", start=start, end=phrase.end, descending=descending)
        adjective = adjective_at(self.tokens, start)
        if adjective and adjective[0].superlative and self._word(adjective[1]) == "first":
            towards, end = adjective
            yield Segment(kind="way", start=start, end=end + 1, descending=towards.descending, adjective=towards)

    def _sorted_by(self, start: int, place: int) -> Iterator[Segment]:
        """Read what is sorted by, each with its own way: "by country, then by amount descending"."""
        for term in self.terms.at(place):
            way = phrase_at(self.tokens, self.terms.skip(term.end, (",", "in")), "order")
            ends = [(term.end, "")]
            if way and way.meaning in ("up", "down"):
                ends.insert(0, (way.end, way.meaning))
            for end, meaning in ends:
                first = Segment(kind="sort", start=start, end=end, term=term, cost=term.cost, name=meaning)
                after = self.terms.skip(end, (",", "and", "then", "by", "the"))
                if after > end and self._word(end) in (",", "and", "then"):
                    for rest in self._sorted_by(end, after):
                        more = (first, *(rest.sorts or (rest,)))
                        yield replace(rest, start=start, sorts=more, cost=first.cost + rest.cost)
                yield replace(first, cost=first.cost + 0.5 * (after > end and bool(self.terms.at(after))))

    def _limits(self, start: int) -> Iterator[Segment]:
        word = self._word(start)
        number = self.terms.number(start + 1)
        if word in ("head", "tail"):
            yield from self._shell_limits(start)
        ends = {"first": False, "head": False, "last": True, "tail": True, "final": True, "limit": False}
        if word in ends and number and isinstance(number.value, int) and number.value > 0 and not number.unit:
            yield Segment(kind="limit", start=start, end=number.end, number=number.value, last=ends[word])
        if word == "for" and self._word(start + 1) == "the" and self._word(start + 3) == "time":
            if self._word(start + 2) in ("first", "last"):  # "for the first time"
                yield Segment(kind="edge", start=start, end=start + 4, last=self._word(start + 2) == "last")
        timed = phrase_at(self.tokens, start + 1, "parts")
        if word in ("first", "last", "final") and not number and not timed:
            yield Segment(kind="edge", start=start, end=start + 1, last=word != "first")
        if word in ("top", "bottom") and number and isinstance(number.value, int) and not number.unit:
            adjective = Adjective("large", word == "top", (), True)
            yield Segment(
                kind="superlative", start=start, end=number.end, number=number.value, adjective=adjective, word=word
            )
        if word in ("line", "lines", "row", "rows", "record", "records"):
            yield from self._ranges(start)
        yield from self._numbers(start)

    def _shell_limits(self, start: int) -> Iterator[Segment]:
        """Read "head -5", "tail -n 20"."""
        place = start + 1 + (start + 1 < len(self.tokens) and self.tokens[start + 1].text == "-n")
        number = self.terms.number(place)
        if number and isinstance(number.value, int) and number.value:
            last = self._word(start) == "tail"
            yield Segment(kind="limit", start=start, end=number.end, number=abs(number.value), last=last)

    def _ranges(self, start: int) -> Iterator[Segment]:
        """Read "lines 10 to 20", "row 5"."""
        place = self.terms.skip(start + 1, ("from", "between", "number", "numbers"))
        lines = self._word(start).startswith("line")
        written = re.fullmatch(r"(\d+)[-–](\d+)", self.tokens[place].text) if place < len(self.tokens) else None
        if written and int(written[2]) >= int(written[1]) > 0:
            numbers = int(written[1]), int(written[2])
            yield Segment(kind="range", start=start, end=place + 1, number=numbers[0], second=numbers[1], plural=lines)
            return
        first = self.terms.number(place)
        if not first or not isinstance(first.value, int) or first.value < 1:
            return
        lines = self._word(start).startswith("line")
        last = (
            self.terms.number(first.end + 1)
            if self._word(first.end) in ("to", "through", "and", "until", "-")
            else None
        )
        if last and isinstance(last.value, int) and last.value >= first.value:
            yield Segment(kind="range", start=start, end=last.end, number=first.value, second=last.value, plural=lines)
        elif not last:
            yield Segment(
                kind="range", start=start, end=first.end, number=first.value, second=first.value, plural=lines
            )

    def _numbers(self, start: int) -> Iterator[Segment]:
        """Read "rounded to 2 decimals", "in MB", and a bare number before a superlative: "the 3 most expensive"."""
        if self._word(start) in ("rounded", "round"):
            place = self.terms.skip(start + 1, ("to", "the", "off", "it", "them"))
            if self._word(place) in ("whole", "nearest", "integer", "integers"):
                end = place + 1 + (self._word(place) in ("whole", "nearest") and place + 1 < len(self.tokens))
                yield Segment(kind="digits", start=start, end=end, number=0)
        decimals = self.terms.number(start)
        if decimals and isinstance(decimals.value, int) and self._word(decimals.end) in ("decimals", "digits"):
            yield Segment(kind="digits", start=start, end=decimals.end + 1, number=decimals.value)
        if self._word(start) in ("rounded", "round", "to") and "decimal" in {
            base for place in range(start, start + 5) for base in bases_of(self._word(place))
        }:
            place = self.terms.skip(start, ("rounded", "round", "to", "it", "them", "off", "the", "result"))
            number = self.terms.number(place)
            if number and isinstance(number.value, int):
                end = self.terms.skip(number.end, ("decimal", "decimals", "places", "digits", "place"))
                yield Segment(kind="digits", start=start, end=end, number=number.value)
        if self._word(start) == "in" and (unit := unit_of(self._word(start + 1))) and unit[0] in ("size", "duration"):
            yield Segment(kind="scale", start=start, end=start + 2, name=unit[1])
        number = self.terms.number(start)
        counted = adjective_at(self.tokens, start + 1) or self.vocabulary.is_noun(self._word(start + 1))
        counted = counted or any(
            self._is_plural(term.end - 1) and not term.numeric for term in self.terms.at(start + 1)
        )
        entity = bases_of(self._word(start + 1)) & nouns_of("entity") and self.vocabulary.about_things
        counted = counted or (bool(entity) and self._is_plural(start + 1))
        if number and isinstance(number.value, int) and number.end == start + 1 and counted:
            yield Segment(kind="limit", start=start, end=start + 1, number=number.value, word="number")

    def _superlatives(self, start: int) -> Iterator[Segment]:
        ordinal = _ORDINALS.get(self._word(start), 0)
        if ordinal and (nth := adjective_at(self.tokens, start + 1)) and nth[0].superlative:
            word = self._word(start + 1)
            yield Segment(kind="superlative", start=start, end=nth[1], adjective=nth[0], word=word, second=ordinal)
        found = adjective_at(self.tokens, start)
        if found is None or not found[0].superlative:
            return
        adjective, end = found
        number = self.terms.number(end)
        if number and isinstance(number.value, int) and not number.unit and number.value < 10_000:
            yield Segment(kind="superlative", start=start, end=number.end, adjective=adjective, number=number.value)
        yield Segment(kind="superlative", start=start, end=end, adjective=adjective, word=self._word(start))
        if adjective.name in ("large", "small") and self._word(start) not in ("most", "least", "top", "bottom"):
            # "average, smallest and largest amount"
            extreme: Function = "max" if adjective.descending else "min"
            yield Segment(kind="measure", start=start, end=end, function=extreme, cost=0.05)

    # What is changed in the table.

    def _tables(self, start: int) -> Iterator[Segment]:
        for phrase in phrases_at(self.tokens, start, "lists"):
            end = phrase.end
            if phrase.meaning == "unique":
                yield Segment(kind="unique", start=start, end=end)
            elif phrase.meaning == "dedupe":
                yield Segment(kind="dedupe", start=start, end=end)
            elif phrase.meaning == "repeated":
                yield Segment(kind="unique", start=start, end=end, word="repeated")
            elif phrase.meaning == "keep":
                yield from self._keeps(start, end)
            elif phrase.meaning == "rename":
                yield from self._renames(start, end)
            elif phrase.meaning == "drop":
                for terms in self._several(self.terms.skip(end, ARTICLES)):
                    yield Segment(
                        kind="drop", start=start, end=terms[-1].end, terms=terms, cost=sum(t.cost for t in terms)
                    )
            elif phrase.meaning == "add":
                yield from self._adds(start, end)
            elif phrase.meaning == "columns":
                for terms in self._several(self.terms.skip(end, ("the", ":"))):
                    if len(terms) > 1 or self._word(start) in ("column", "field", "columns", "fields"):
                        yield Segment(
                            kind="columns", start=start, end=terms[-1].end, terms=terms, cost=sum(t.cost for t in terms)
                        )

    def _keeps(self, start: int, end: int) -> Iterator[Segment]:
        """Read "keep the newest", "keeping the first one"."""
        place = self.terms.skip(end, ("only", *ARTICLES))
        found = adjective_at(self.tokens, place)
        word = self._word(place)
        after = self.terms.skip(
            found[1] if found else place + 1,
            ("one", "record", "row", "entry", "occurrence", "of", "them", "each", "only"),
        )
        if found and found[0].superlative:
            yield Segment(kind="keep", start=start, end=after, adjective=found[0])
        elif word in ("first", "last"):
            yield Segment(kind="keep", start=start, end=after, last=word == "last")

    def _renames(self, start: int, end: int) -> Iterator[Segment]:
        for term in self.terms.at(self.terms.skip(end, ARTICLES)):
            if isinstance(term.of, Column) and self._word(term.end) in ("to", "into", "as"):
                place = term.end + 1
                if place < len(self.tokens) and self.tokens[place].kind in ("word", "code", "quoted"):
                    new = self.tokens[place].text
                    one = Segment(kind="rename", start=start, end=place + 1, term=term, name=new, cost=term.cost)
                    after = self.terms.skip(place + 1, ("and", ","))
                    for rest in self._renames(place + 1, after) if after > place + 1 else ():
                        yield replace(
                            rest, start=start, sorts=(one, *(rest.sorts or (rest,))), cost=one.cost + rest.cost
                        )
                    yield one

    def _adds(self, start: int, end: int) -> Iterator[Segment]:
        """Read "add a column total = qty * price", "add a column total that is qty times price"."""
        place = self.terms.skip(end, ("called", "named"))
        if place >= len(self.tokens) or self.tokens[place].kind not in ("word", "code", "quoted"):
            return
        new = self.tokens[place].text
        after = self.terms.skip(
            place + 1, ("=", "that", "which", "is", "as", "with", "of", "the", "being", ":", "equal", "to")
        )
        for term in self.terms.at(after):
            yield Segment(kind="add", start=start, end=term.end, named=Named(name=new, of=term.of), cost=term.cost)

    # Which of them.

    def _conditions(self, start: int) -> Iterator[Segment]:
        for read in self.conditions.at(start):
            joints = {self._word(place) for place in range(start, read.end)}
            several = isinstance(read.condition, Compare) and read.condition.operator == "in"
            # "passed, failed and skipped" may be told apart, "passed or failed" is one thing.
            of_noun = self.vocabulary.is_noun(self._word(read.end)) or bases_of(self._word(read.end)) & nouns_of(
                "entity"
            )
            apart = "each" if several and joints & {"and", ","} and "or" not in joints and not of_noun else ""
            apart = "vs" if several and joints & {"vs", "versus"} else apart
            # "have no running job" says something of all records of somebody.
            denied = joints & {"no", "never", "without", "none"}
            yield Segment(
                kind="condition",
                start=start,
                end=read.end,
                condition=read.condition,
                cost=read.cost,
                name=apart,
                word="none" if denied else "",
            )

    def _terms_and_nouns(self, start: int) -> Iterator[Segment]:
        named = self._word(start) in ("name", "names") and self._names_persons(start)
        for term in self.terms.at(start) if not named else ():
            # A column of yes and no stands for itself where it can: "in-stock books".
            dearer = 0.5 if term.info is not None and term.info.kind == "bool" else 0.0
            # What records are called after is the record rather than its date.
            dearer += 0.6 if term.moment and self._is_of_moment(start) else 0.0
            yield Segment(
                kind="term",
                start=start,
                end=term.end,
                term=term,
                cost=term.cost + dearer,
                plural=self._is_plural(term.end - 1),
                word=self._word(start),
            )
        yield from self._defined(start)
        token, word = self.tokens[start], self._word(start)
        if token.kind != "word":
            return
        if self._is_of_moment(start):
            yield Segment(kind="noun", start=start, end=start + 1, word=word, plural=self._is_plural(start), cost=0.3)
        if self.vocabulary.is_noun(word):
            # A word that also names a column is said of it where it is to be shown.
            named = any(
                term.end == start + 1
                and term.info is not None
                and ((term.cost == EXACT and term.info.distinct) or term.info.role == "message")
                for term in self.terms.at(start)
            )
            yield Segment(
                kind="noun", start=start, end=start + 1, word=word, plural=self._is_plural(start), name="*" * named
            )
        elif (
            self.vocabulary.about_things
            and bases_of(word) & nouns_of("entity")
            and not self.conditions.at(start)
            and self._is_head(start)
        ):
            # A part of a column's name is as likely, unless that is a moment: "readings" with a "reading time".
            # Another word for a column names that column: "users" are the customers.
            terms = [term for term in self.terms.at(start) if not term.moment]
            cost = min((term.cost for term in terms), default=0.1)
            if 0 < cost < 1.2:
                yield Segment(
                    kind="noun", start=start, end=start + 1, word=word, plural=self._is_plural(start), cost=cost
                )

    def _is_of_moment(self, start: int) -> bool:
        """Say whether a noun is made of the verb that tells when: inspections are records with an "inspected"."""
        moments = [one for one in self.vocabulary.columns if one.kind == "time"]
        own = [one for one in moments if one.first or one.main or len(moments) == 1]
        plain = [one for one in own if len(one.words) == 1 or one.words[1] in ("on", "at", "date", "time")]
        word = self._word(start)
        plural = self._is_plural(start)  # "finds" of what was found
        return any(is_made_of(word, one.words[0]) or (plural and is_form_of(word, one.words[0])) for one in plain)

    def _defined(self, start: int) -> Iterator[Segment]:
        """Read words that are defined behind them: "value of the stock (qty times price)"."""
        opening = next((at for at in range(start + 1, min(start + 6, len(self.tokens))) if self._word(at) == "("), None)
        if (
            opening is None
            or self.at_measure(start)
            or any(is_turning(self._word(at)) or self.tokens[at].kind != "word" for at in range(start, opening))
        ):
            return
        for at in range(start, opening):
            named = any(term.cost < 1.2 for term in self.terms.at(at)) or self.conditions.at(at)
            if named or phrase_at(self.tokens, at, "group"):
                return  # These words say something themselves.
        for term in self.terms.at(opening + 1):
            if isinstance(term.of, Arithmetic) and self._word(term.end) == ")":
                yield Segment(kind="term", start=start, end=term.end + 1, term=term, cost=term.cost + 0.5)

    def _is_head(self, start: int) -> bool:
        """Say whether a noun can be what is asked about: "in every department" only says where."""
        place = start - 1
        while place >= 0 and self._word(place) in ARTICLES | {"our", "my", "all", "every", "each"}:
            if self._word(place) in ("every", "each"):
                return False
            place -= 1
        return (
            self._word(place) not in ("in", "at", "on", "per", "from", "to", "by", "for", "within")
            if place >= 0
            else True
        )

    def _is_plural(self, place: int) -> bool:
        word = self._word(place)
        return (word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word in ("people", "data", "children")

    # What is not sure.

    def _unsure(self, start: int, *, sure: bool) -> Iterator[Segment]:
        """Offer what an unknown word could be: a part of some values, a word of the texts, or nothing at all."""
        token, word = self.tokens[start], self._word(start)
        if is_turning(word):
            return
        said = token.text
        if not sure:
            yield from self._texts_with(start, said)
            yield from self._perhaps_meant(start)
        yield Segment(kind="unknown", start=start, end=start + 1, word=said, cost=LEFT_OUT)

    def _texts_with(self, start: int, said: str) -> Iterator[Segment]:
        """Read a word that stands in some values, or in the texts; a name in one column only can mean nothing else."""
        named = self._is_name(start)
        found: list[tuple[Condition, float]] = []
        for column in self.vocabulary.values_with(said.lower()):
            condition: Condition = Compare(left=Column(name=column), operator="contains", value=said)
            found.append((condition, UNSURE))
        if self.vocabulary.has_text(said) and not (named and found):
            texts = [Column(name=one.name) for one in self.vocabulary.with_role("message")] or [Column(name="")]
            contains = tuple(Compare(left=one, operator="contains", value=said) for one in texts)
            found.append((contains[0] if len(contains) == 1 else Or(of=contains), UNSURE + 1))
        for condition, cost in found:
            known = AKIN if named and len(found) == 1 else cost
            yield Segment(kind="condition", start=start, end=start + 1, condition=condition, cost=known)

    def _is_name(self, start: int) -> bool:
        """Say whether a word is written as names are: with a capital inside a sentence, with digits or signs in it."""
        token = self.tokens[start]
        if token.kind in ("code", "path", "url", "address", "quoted"):
            return True
        capital = token.text[:1].isupper() and start > 0 and not token.text.isupper()
        return token.kind == "word" and (capital or any(letter.isupper() for letter in token.text[1:].rstrip("s")[1:]))

    def _perhaps_meant(self, start: int) -> Iterator[Segment]:
        """Offer the columns of numbers that an unknown word may stand for where something is made of one."""
        measured = any(
            self.terms.skip(phrase.end, _POINTING) == start
            for place in range(max(0, start - 4), start)
            for phrase in phrases_at(self.tokens, place, "measures", every=True)
            if phrase.meaning not in ("count", "unique", "often", "share")
        )
        said = self.tokens[start].text
        asked = start > 0 and self._word(start - 1) in ("which", "what")  # "which host has the most warnings"
        for column in self.vocabulary.columns if measured or asked else ():
            term = Term(Column(name=column.name), column, start + 1, UNSURE + 1)
            few = column.kind == "text" and column.complete and 1 < len(column.values) <= _FEW
            if (measured and term.numeric) or (asked and few):
                yield Segment(kind="term", start=start, end=start + 1, term=term, cost=term.cost, guess=said)

    def _perhaps_grouped(self, start: int, place: int) -> Iterator[Segment]:
        """Offer the columns that an unknown word behind "by" may stand for."""
        token = self.tokens[place] if place < len(self.tokens) else None
        known = token is None or token.kind != "word" or is_glue(token.plain) or self.terms.at(place)
        if token is None or known or self.conditions.at(place):
            return
        if self._word(start) in ("each", "every") and self._is_opening(start):
            return  # "show me every reading"
        for column in self.vocabulary.columns:
            term = Term(Column(name=column.name), column, place + 1, UNSURE + 1)
            if column.kind in ("text", "bool") and column.complete and 1 < len(column.values) <= _FEW:
                yield Segment(
                    kind="group",
                    start=start,
                    end=place + 1,
                    terms=(term,),
                    cost=term.cost,
                    word=self._word(start),
                    guess=token.text,
                )

    @cached_property
    def length(self) -> int:
        """How many tokens the question has."""
        return len(self.tokens)


__all__ = ["LEFT_OUT", "NEAR", "Cutter", "Segment"]
