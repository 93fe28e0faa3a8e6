"""Words that say nothing here: each rule tells when some may be passed over, and how doubtful that is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mayfly.language._inflect import is_form_of, is_made_of
from mayfly.language.question._changing import read_changes
from mayfly.language.question._grouping import read_once
from mayfly.language.question._lasting import (
    asks_how_long,
    needs_time,
    number_of_units,
    takes_time,
    time_passes,
    unit_of_span,
)
from mayfly.language.question._segment import Segment
from mayfly.language.question._spot import Rule, Spot
from mayfly.language.question._wording import SHOW, Wording
from mayfly.language.question._words import (
    adjective_at,
    bases_of,
    in_class,
    is_glue,
    is_turning,
    phrase_at,
    unit_of,
)

# Behind "but" these go on with the question, and turn nothing round.
_GOES_ON = frozenset(
    ["only", "just", "with", "where", "in", "from", "for", "sorted", "sort", "ordered", "also", "keep", "keeping"]
)
# Signs that compare or work something out are never passed over.
_SAYING = frozenset((">=", "<=", "!=", "<>", "==", "=>", "=<", "=", "<", ">", "*", "+", "/", "×", "÷"))
_AND_SO_ON = re.compile(r"(\.\.\.|…|\betc\.?)\s*\)$")
_FORMATS = ("csv", "tsv", "json", "jsonl", "table", "lines")


def pass_besides(spot: Spot) -> Iterator[Segment]:
    """Yield the words that may say nothing, whatever else they may say."""
    yield from (found for rule in _BESIDES if (found := rule.segment(spot)))


def pass_otherwise(spot: Spot) -> Segment | None:
    """Return the words that say nothing by the first rule that holds; None where they would be left out."""
    return next((found for rule in _OTHERWISE if (found := rule.segment(spot))), None)


# Words that may say nothing besides what they say. Each returns how many words that are.


def _unit_in_brackets(spot: Spot) -> int:
    """Pass "(MB)" of "size (MB)"."""
    return 3 * bool(spot.word == "(" and spot.ahead(2) == ")" and unit_of(spot.ahead(1)))


def _in_the_text(spot: Spot) -> int:
    """Pass the end of "all links in the text"."""
    behind = spot.wording.skip(spot.start + 1, ("the", "this"))
    ends = behind > spot.start + 1 and behind + 1 == len(spot.wording.tokens)
    named = spot.word == "in" and ends and in_class(spot.wording.word(behind), "empty")
    return named * (behind + 1 - spot.start)


def _asks_again(spot: Spot) -> int:
    """Pass a verb that asks in the middle: "I need its number", "give me the lowest"."""
    if not spot.known and spot.word in ("give", "list", "show", "tell", "name") and spot.ahead(1) == "the":
        return True
    return (spot.word in SHOW or spot.word in ("need", "want")) and _opens_sentence(spot)


def _examples(spot: Spot) -> int:
    """Pass a bracket that only gives examples: "per process (drum, payterm, ...)"."""
    wording, start = spot.wording, spot.start
    last = next((at for at in range(start, len(wording.tokens)) if wording.word(at) == ")"), None)
    if spot.word != "(" or last is None:
        return 0
    said = wording.terms.text[wording.tokens[start].start : wording.tokens[last].end]
    return (last + 1 - start) * bool(_AND_SO_ON.search(said))


def _names_of(spot: Spot) -> int:
    """Pass "names" where they are those of what a column holds: "names of all the collectors"."""
    return spot.wording.is_of_names(spot.start)


def _turns_up(spot: Spot) -> int:
    """Pass "shows up" of "how often each host shows up"."""
    return 2 * (spot.word in ("turn", "turns", "show", "shows", "come", "comes") and spot.ahead(1) == "up")


def _through_value(spot: Spot) -> int:
    """Pass "through" of "bookings through the website", and "under" of what says nothing else."""
    return spot.word in ("through", "under") and not spot.known and spot.wording.is_value(spot.start + 1)


def _says_again(spot: Spot) -> int:
    """Pass a verb that says what is said anyway: "picked by Ivan" with a picker, "sold" where all records were."""
    if spot.known:
        return 0
    return _tells_again(spot) or _is_true_of_all(spot) or spot.wording.is_span(spot.start + 1)


def _remains(spot: Spot) -> int:
    """Pass "remain" of "remove duplicates, how many remain"."""
    left = spot.word in ("remain", "remains", "remaining", "left")
    return left and phrase_at(spot.wording.tokens, 0, "lists", "dedupe") is not None


def _single(spot: Spot) -> int:
    """Pass "single" of "the largest single donation"."""
    return spot.word == "single" and adjective_at(spot.wording.tokens, spot.start - 1) is not None


def _once_read_before(spot: Spot) -> int:
    """Pass "once" at the end of "each owner once", which is read at its beginning."""
    wording, start = spot.wording, spot.start
    return spot.word == "once" and any(
        one.kind == "unique"
        and any(wording.skip(term.end, ("only", "just")) == start for term in wording.terms.at(at + 1))
        for at in range(max(0, start - 5), start)
        for one in (*read_changes(wording, at), *read_once(wording, at))
    )


def _at_all(spot: Spot) -> int:
    """Pass "at all"."""
    return 2 * (spot.word == "at" and spot.ahead(1) == "all")


def _out_of_verb(spot: Spot) -> int:
    """Pass "out" of "came out", "find out"."""
    if spot.word != "out" or not spot.start:
        return 0
    return in_class(spot.ahead(-1), "happened") or spot.wording.is_opening(spot.start)


def _then_shows(spot: Spot) -> int:
    """Pass "show" of "sort them and show the first five"."""
    return not spot.known and spot.ahead(-1) in ("and", "then", ",") and spot.word in SHOW


_BESIDES = (
    Rule(_unit_in_brackets),
    Rule(takes_time),
    Rule(_in_the_text),
    Rule(unit_of_span, name="unit"),
    Rule(number_of_units, name="unit"),
    Rule(needs_time, name="unit"),
    Rule(_asks_again),
    Rule(time_passes, name="unit"),
    Rule(asks_how_long, name="unit"),
    Rule(_examples),
    Rule(_names_of),
    Rule(_turns_up),
    Rule(_through_value),
    Rule(_says_again, cost=0.3),
    Rule(_remains),
    Rule(_single),
    Rule(_once_read_before),
    Rule(_at_all),
    Rule(_out_of_verb),
    Rule(_then_shows),
)


# Words that say nothing unless an earlier rule has passed over them.


def _joins_only(spot: Spot) -> int:
    """Pass "of", "the", ",": words that join and point, and signs that compare nothing."""
    sign = spot.wording.tokens[spot.start].kind == "sign" and spot.word not in _SAYING
    return not is_turning(spot.word) and (is_glue(spot.word) or sign)


def _star_of_all(spot: Spot) -> int:
    """Pass "*" of "select * where"."""
    return spot.word == "*" and spot.wording.is_opening(spot.start)


def _asks(spot: Spot) -> int:
    """Pass "list" of "please list the hosts"."""
    wording, start = spot.wording, spot.start
    verb = wording.tokens[start].kind == "word" and spot.word in SHOW
    return verb and wording.is_opening(start) and not wording.is_name(start)


def _every_or_by(spot: Spot) -> int:
    """Pass "every" of "list every host", "by" of "picked by Ivan"."""
    wording, start = spot.wording, spot.start
    if spot.word == "by":
        return wording.is_value(start + 1)
    every = spot.word in ("every", "each") and bool(wording.terms.at(start + 1))
    return every and (not spot.known or (start > 0 and wording.is_opening(start)))


def _by_measure(spot: Spot) -> int:
    """Pass "by" of "top 3 hosts by number of errors"."""
    return spot.word == "by" and any(map(spot.wording.is_measure, range(spot.start + 1, spot.start + 4)))


def _only_happened(spot: Spot) -> int:
    """Pass a verb that says no more than that there is a record: "orders placed in March", "that returned 404".

    One that ends a question may say all of it: "how many orders were returned".
    """
    if spot.known or not spot.start:
        return 0
    wording, word = spot.wording, spot.word
    codes = any(column.numeric for column in wording.vocabulary.with_role("status"))
    if in_class(word, "answered") and not codes:
        return 0
    if not in_class(word, "answered") and not in_class(word, "happened"):
        return 0
    told = bases_of(word) & {"exist", "be", "have", "occur", "happen", "appear"}
    return spot.start + 1 < len(wording.tokens) or bool(told)


def _about(spot: Spot) -> int:
    """Pass "about" of "everything about order 88777"."""
    leads = spot.word in ("about", "regarding", "concerning")
    return leads and bool(spot.wording.conditions.at(spot.start + 1))


def _but_goes_on(spot: Spot) -> int:
    """Pass "but" of "all orders, but only from March"."""
    return spot.word == "but" and spot.ahead(1) in _GOES_ON


def _as_format(spot: Spot) -> int:
    """Pass "csv" of "as csv"."""
    return spot.word in _FORMATS and spot.ahead(-1) in ("as", "in", "to")


def _is_explained(spot: Spot) -> int:
    """Pass a word that is explained behind it: "went wrong (ok=false)"."""
    if spot.known:
        return 0
    wording, start = spot.wording, spot.start
    place = start
    while place < min(start + 4, len(wording.tokens)) and not _explains(wording, place):
        if place > start and wording.conditions.at(place):
            return 0  # That says something itself, and is not what the brackets explain.
        place += 1
    if place == start or not _explains(wording, place):
        return 0
    behind = wording.skip(place + 1, ("is", "that", ","))
    return any(
        wording.word(read.end) in (")", "or", "and") or read.end == len(wording.tokens)
        for read in wording.conditions.at(behind)
    )


def _names_data(spot: Spot) -> int:
    """Pass what the data is called, and what is said anyway: "in the file", "nginx access logs", "overall"."""
    empty = in_class(spot.word, "empty") and not _is_compound(spot)
    return (empty or _is_kind_of_log(spot)) and (not spot.known or _is_said_elsewhere(spot))


_OTHERWISE = (
    Rule(_joins_only),
    Rule(_star_of_all),
    Rule(_asks, kind="ask"),
    Rule(_every_or_by, cost=0.2),
    Rule(_by_measure),
    Rule(_only_happened, cost=0.2),
    Rule(_about),
    Rule(_but_goes_on),
    Rule(_as_format, cost=0.2),
    Rule(_is_explained, cost=0.5),
    Rule(_names_data, cost=0.3),
)


# What the rules ask.


def _opens_sentence(spot: Spot) -> bool:
    """Say whether a verb stands behind the end of a sentence or of what it is about, or before "me"."""
    if not spot.start:
        return False
    before = spot.start - 1
    while before > 0 and spot.wording.word(before) in ("i", "please", "we", "just", "then", "also", "and"):
        before -= 1
    return spot.wording.word(before) in (".", "?", "!", ";", ":") or spot.ahead(1) in ("me", "us")


def _tells_again(spot: Spot) -> bool:
    """Say whether a verb says what the column of a condition says: "picked by Ivan" with a picker."""
    word = spot.word
    if not word.isalpha() or len(word) < 4:
        return False
    return any(is_form_of(word, part) or is_made_of(part, word) for part in spot.wording.words_of_conditions)


def _is_true_of_all(spot: Spot) -> bool:
    """Say whether a verb tells what happened to every record: all of them were "sold at" some moment."""
    return len(spot.word) > 3 and any(
        one.kind == "time" and not one.optional and is_form_of(spot.word, one.words[0])
        for one in spot.wording.vocabulary.columns
    )


def _explains(wording: Wording, place: int) -> bool:
    """Say whether an explanation begins here: a bracket, "i.e.", ", that is"."""
    if wording.word(place) in ("(", "i.e", "i.e."):
        return True
    return wording.word(place) == "," and wording.word(place + 1) == "that" and wording.word(place + 2) == "is"


def _is_compound(spot: Spot) -> bool:
    """Say whether a word makes another thing of the one before it: a "test file" is no test."""
    before = spot.ahead(-1) if spot.start else ""
    named = bool(before) and not is_glue(before) and not in_class(before, "empty") and before not in SHOW
    return (
        named
        and not bases_of(spot.word).isdisjoint(("file", "log", "list", "line", "text", "table"))
        and not bases_of(before) & spot.wording.vocabulary.kinds
    )


def _is_kind_of_log(spot: Spot) -> bool:
    """Say whether a word belongs to what such data is called: "nginx access logs"."""
    place = spot.start
    while bases_of(spot.wording.word(place)) & spot.wording.vocabulary.kinds:
        place += 1
    return place > spot.start and "log" in bases_of(spot.wording.word(place - 1))


def _is_said_elsewhere(spot: Spot) -> bool:
    """Say whether another word already says what is made of the records, so that "overall" adds nothing."""
    wording = spot.wording
    return spot.word in ("overall", "altogether", "combined") and any(
        place != spot.start and (wording.is_measure(place) or adjective_at(wording.tokens, place))
        for place in range(len(wording.tokens))
    )
