"""Read conditions about values: those that a column has, and those that stand for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.language.question._combine import equals, equals_any, turn
from mayfly.language.question._operators import Read, as_operator
from mayfly.language.question._query import And, Column, Compare, Condition, Missing, Or, PartOf, Scalar
from mayfly.language.question._terms import Term, Terms
from mayfly.language.question._vocabulary import EXACT, ColumnInfo
from mayfly.language.question._when import WEEKDAYS
from mayfly.language.question._words import bases_of, phrases_at, table_bases

_JOINING = ("or", ",", "and", "nor", "vs", "versus")


def read_equal(terms: Terms, term: Term, operator: str, place: int) -> Iterator[Read]:
    """Read one value of a column, or several: "paid", "paid or pending", "'New York'"."""
    info = term.info
    if info is None or info.kind == "time":
        return
    values, end = _one_value(terms, info, place, said=place > term.end)
    if not values:
        return
    found = [(values, end)]
    while terms.word(end) in _JOINING:
        after = terms.skip(end, (*_JOINING, "either", "got", "were"))
        more, end = _one_value(terms, info, after, said=False)
        if not more:
            break
        values = (*values, *more)
        found.append((values, end))
    for held, stop in reversed(found):
        condition = equals(info, held)
        joints = {terms.word(at) for at in range(place, stop)}
        if info.kind == "list" and isinstance(condition, Or) and "and" in joints and "or" not in joints:
            # A list can have both; only one column that has a single value cannot.
            yield Read(And(of=condition.of), stop, term.cost)
            yield Read(condition, stop, term.cost + 0.6)
            continue
        yield Read(turn(condition) if operator == "!=" else condition, stop, term.cost)


def _one_value(terms: Terms, info: ColumnInfo, place: int, *, said: bool) -> tuple[tuple[Scalar, ...], int]:
    """Return the values of one column that are named here; a quoted text is one whether the data has it or not."""
    if place >= len(terms.tokens):
        return (), place
    known = [hit for hit in terms.vocabulary.values_at(terms.text, terms.tokens, place) if hit.column is info]
    if known:
        return known[0].values, known[0].end
    token = terms.tokens[place]
    if info.kind == "bool" and terms.word(place) in ("true", "false", "yes", "no"):
        return (terms.word(place) in ("true", "yes"),), place + 1
    if info.numeric and isinstance(token.value, (int, float)) and token.kind == "number" and token.unit != "xx":
        return (token.value,), place + 1
    written = token.kind in ("quoted", "path", "url", "address") or (said and token.kind in ("code", "number"))
    if info.kind == "text" and written:
        return (token.text,), place + 1
    by_role = table_bases("known").get(info.role)
    if by_role and bases_of(terms.word(place)) & by_role:
        upper = any(isinstance(value, str) and value.isupper() for value in info.values)
        return (token.text.upper() if upper else token.text.lower(),), place + 1
    return (), place


def read_weekday_of(terms: Terms, term: Term, operator: str, place: int) -> Iterator[Read]:
    """Read "day of the week is Monday"."""
    if not isinstance(term.of, PartOf) or term.of.part != "weekday":
        return
    day = next((day for day in WEEKDAYS if bases_of(terms.word(place)) & {day.lower(), day.lower()[:3]}), None)
    if day:
        condition: Condition = Compare(left=term.of, operator="=", value=day)
        yield Read(turn(condition) if operator == "!=" else condition, place + 1, term.cost)


def read_numbers(terms: Terms, term: Term, operator: str, value: int | float, end: int) -> Iterator[Read]:
    """Read a number and those that follow it: "status 404 or 500"; one that is alone comes last."""
    values, last = [value], end
    while operator in ("=", "!=") and terms.word(last) in ("or", ",", "and", "nor"):
        following = terms.number(terms.skip(last, ("or", ",", "and", "nor")))
        if following is None:
            break
        values, last = [*values, following.value], following.end
        yield Read(equals_any(term.of, operator, values), last, term.cost)
    yield Read(Compare(left=term.of, operator=as_operator(operator), value=value), end, term.cost)


# Without a column.


def read_values(terms: Terms, start: int) -> Iterator[Read]:
    """Read values that stand for themselves: "POST", "paid or pending", "Ann Lee", "5xx", an address."""
    token, vocabulary = terms.tokens[start], terms.vocabulary
    if token.kind == "number":
        yield from _read_codes(terms, start)
        return
    for column in vocabulary.columns:
        if len(column.absent) == 1 and column.absent[0].lower() == terms.word(start):
            yield Read(Missing(of=Column(name=column.name)), start + 1, 0.2)  # "absent" has no points
    hits = vocabulary.values_at(terms.text, terms.tokens, start)
    for hit in hits:
        if hit.column.numeric or hit.column.kind == "time":
            continue
        if hit.column.role == "method" and not token.text.isupper() and not vocabulary.is_noun(terms.word(hit.end)):
            continue  # "get the lines" asks for no GET requests.
        term = Term(Column(name=hit.column.name), hit.column, start, hit.cost)
        yield from read_equal(terms, term, "=", start)
    if not hits:
        yield from _read_known_values(terms, start)


def _read_codes(terms: Terms, start: int) -> Iterator[Read]:
    """Read a code that stands alone: 404, 5xx; only a column of codes has those."""
    token = terms.tokens[start]
    for column in terms.vocabulary.with_role("status"):
        if not column.numeric:
            continue
        if token.unit == "xx" and isinstance(token.value, int):
            again = [hit.end for hit in terms.vocabulary.columns_at(terms.tokens, start + 1) if hit.column is column]
            yield _answered(column, token.value, token.value, again[0] if again else start + 1)  # "a 5xx status"
        elif token.value in column.values and token.unit in ("", "s"):
            term = Term(Column(name=column.name), column, start, EXACT)
            yield from read_numbers(terms, term, "=", token.value, start + 1)  # type: ignore[arg-type]


def _read_known_values(terms: Terms, start: int) -> Iterator[Read]:
    """Read what everybody knows to be a value, whether the data has it or not: a method, an address, a path."""
    token = terms.tokens[start]
    # A method is written in capitals, "get the lines" asks for no GET requests.
    known = table_bases("known").items() if token.text.isupper() else ()
    roles = [role for role, words in known if bases_of(token.plain) & words]
    columns = [column for role in roles for column in terms.vocabulary.with_role(role)]
    kinds = {"address": ("ip",), "path": ("path",), "url": ("path", "email")}
    columns += terms.vocabulary.with_role(*kinds.get(token.kind, ()))
    for column in columns:
        yield Read(Compare(left=Column(name=column.name), operator="=", value=token.text), start + 1, EXACT)


def read_outcomes(terms: Terms, start: int) -> Iterator[Read]:
    """Read words for how it ended: "server errors", "errors" by their level, "failed" by the status."""
    codes = [one for one in terms.vocabulary.with_role("status") if one.numeric and _are_codes(one)]
    for phrase in phrases_at(terms.tokens, start, "outcome_phrases"):
        yield from (_answered(column, int(phrase.meaning), int(phrase.meaning), phrase.end) for column in codes)
    word = bases_of(terms.word(start))
    if not word or terms.tokens[start].kind != "word":
        return
    yield from _read_levels(terms, start, word)
    for column in codes:
        for digits, known in table_bases("outcomes").items():
            if word & known:
                yield _answered(column, int(digits.split()[0]), int(digits.split()[-1]), start + 1)


def _read_levels(terms: Terms, start: int, word: frozenset[str]) -> Iterator[Read]:
    for column in terms.vocabulary.with_role("level"):
        texts = [value for value in column.values if isinstance(value, str)]
        for name, known in table_bases("levels").items():
            held = [value for value in texts if value.lower() in table_bases("level_values")[name]]
            if word & known and held:
                # "errors" are those of that name; where fatal ones are told apart, they are not meant.
                own = [value for value in held if value.lower() in known] or held
                yield Read(equals(column, own), start + 1, EXACT)


def _answered(column: ColumnInfo, first: int, last: int, end: int) -> Read:
    """Ask for codes by their first digit: 5 stands for 500 to 599."""
    codes = (first * 100, last * 100 + 99)
    return Read(Compare(left=Column(name=column.name), operator="between", value=codes), end, EXACT)


def _are_codes(column: ColumnInfo) -> bool:
    """Say whether numbers are codes of answers, of which there are five hundred."""
    return all(isinstance(value, int) and 100 <= value < 600 for value in column.values)
