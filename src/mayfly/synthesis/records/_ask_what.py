"""Understand what is made of the records: counted, summed, grouped, ranked, sorted, cut to some fields."""

from __future__ import annotations

from mayfly.synthesis.records import _lexicon, _times
from mayfly.synthesis.records._ask import Ask, Match
from mayfly.synthesis.records._model import Bucket, Key, Measure

LINKS = ("of", "the", "all", "a", "in", "for", "each", "different")
MEASURES: dict[str, Measure] = {"count": "count", "sum": "sum", "mean": "mean", "min": "min", "max": "max"}
MEASURES |= {"median": "median", "share": "share", "percent": "percent"}


def orders(ask: Ask) -> None:
    """Understand sorted by, and which way."""
    ways: set[str] = set()
    for index in range(len(ask.tokens)):
        way = ask.phrase(index, "order") if ask.free(index) else None
        if way is None or _is_noun(ask, index):
            continue
        if way.meaning in ("down", "up"):
            ask.spend(index, way.end)
            ask.descending = way.meaning == "down"
            ways.add(way.meaning)
            if "recent" in way.text or way.text.split()[0] in _BY_TIME:
                _order_by_role(ask, "timestamp")
        else:
            _order(ask, index, way.end)
    if len(ways) > 1:
        ask.problems.append("both ascending and descending are asked for")


def _is_noun(ask: Ask, index: int) -> bool:
    """Whether an order is something that was ordered, or the order that records are in."""
    written = ask.tokens[index].text.lower()
    return written == "orders" or (written == "order" and index > 0 and ask.word(index + 1) != "by")


_BY_TIME = ("newest", "latest", "oldest", "earliest", "chronologically", "chronological")


def _order(ask: Ask, start: int, end: int) -> None:
    """Read what is sorted by; what is sorted may stand before the word by."""
    by = next((place for place in range(end, min(end + 4, len(ask.tokens))) if ask.word(place) == "by"), None)
    if by is None:
        if ask.tokens[start].text.lower() != "ordered":
            ask.bare_sort = True
            ask.spend(start, end)
        return
    at = ask.skip(by + 1, ("the", "their"))
    measured = ask.phrase(at, "measures")
    match = ask.field_at(measured.end if measured and ask.field_at(measured.end) else at)
    ask.spend(start, end)
    if match is not None:
        ask.order = ask.choose(match).name
        ask.spend(by, match.end)
    elif measured or ask.is_record(at):
        ask.ranked, ask.descending = True, True
        ask.spend(by, measured.end if measured else at + 1)
    else:
        named = ask.tokens[at].text if ask.free(at) else "no field was named"
        ask.problems.append(f"nothing in the sample to sort by: {named}")


def _order_by_role(ask: Ask, role: str) -> None:
    field = ask.role(role)
    if field is not None and not ask.order:
        ask.order = field.name


def limits(ask: Ask) -> None:
    """Understand the first ten, the last five."""
    for index in range(len(ask.tokens)):
        if not ask.free(index) or ask.word(index) not in ("first", "last"):
            continue
        token = ask.tokens[index + 1] if ask.free(index + 1) else None
        ends, number = index + 1, 1
        if token is not None and token.kind == "number":
            if token.unit or not isinstance(token.value, int) or token.value < 1:
                ask.problems.append(f"{ask.word(index)} {token.text} is no number of records; name dates instead")
                ask.spend(index, index + 2)
                continue
            ends, number = index + 2, token.value
        ask.limit, ask.last = number, ask.word(index) == "last"
        ask.spend(index, ends)


def groups(ask: Ask) -> None:
    """Understand by, per and for each: fields, or spans of time."""
    for index in range(len(ask.tokens)):
        if not ask.free(index):
            continue
        if ask.word(index) in _lexicon.table("group")["gather"]:
            ask.gather = True
            ask.spend(index, index + 1)
            continue
        if ask.word(index) in ("hourly", "daily", "monthly", "yearly") and (adverb := ask.bucket(index)):
            add_bucket(ask, adverb[0])
            ask.spend(index, adverb[1])
            continue
        found = ask.phrase(index, "group")
        if found is not None and found.meaning == "by":
            _keys(ask, index, found.end)


def _keys(ask: Ask, start: int, at: int) -> None:
    while True:
        at = ask.skip(at, ("the", "each", "every", "their"))
        match, span = ask.field_at(at), ask.bucket(at)
        if span and not (match and match.end > span[1]) and not (match and match.fields[0].role != "timestamp"):
            add_bucket(ask, span[0])
            end = span[1]
        elif match:
            field = ask.choose(match)
            ask.keys.append(Key(field=field.name, bucket="day" if field.kind == "epoch" else ""))
            end = match.end
        else:
            return
        ask.spend(start, end)
        start = end
        if ask.word(end) == "range":
            ask.spend(end, end + 1)
        if ask.word(end) not in ("and", ",", "by", "then", "per"):
            return
        at = ask.skip(end, ("and", ",", "by", "then", "per"))


def add_bucket(ask: Ask, span: Bucket) -> None:
    held = next((field for field in ask.format.fields if field.kind in ("time", "epoch")), None)
    if held is None:
        ask.problems.append(f"no field of the sample holds a time to make a {span} of")
        return
    whole = held.kind == "time" and "%H" not in held.layout and "%I" not in held.layout
    if whole and span in ("second", "minute", "hour"):
        ask.problems.append(f"{held.name} holds dates without a time, so there is no {span} in it")
    if held.kind == "time" and not _times.has_date(held.layout) and span in ("day", "month", "year"):
        ask.problems.append(f"{held.name} holds times without a date, so there is no {span} in it")
    ask.keys.append(Key(field=held.name, bucket=span))


def measures(ask: Ask) -> None:
    """Understand count, sum, average and the like, with the field they go over."""
    for index in range(len(ask.tokens)):
        found = ask.phrase(index, "measures") if ask.free(index) else None
        if found is None:
            continue
        named = ask.field_at(index)
        if named and found.meaning != "count" and ask.measure is not None:
            continue
        _measure(ask, MEASURES[found.meaning], index, found.end)


def _measure(ask: Ask, measure: Measure, start: int, end: int) -> None:
    if ask.measure is not None and not (ask.measure == "count" and ask.ranked):
        if measure != "count":
            ask.problems.append("two measures at once; ask for one of them")
        return
    at = ask.skip(end, LINKS)
    if measure in ("share", "percent"):
        ask.measure, ask.rate_at = measure, start
        ask.spend(start, end)
    elif measure == "count":
        _count(ask, start, end, at)
    elif measure == "sum" and (counted := ask.phrase(at, "measures")) and counted.meaning == "count":
        _count(ask, start, counted.end, ask.skip(counted.end, LINKS))
    else:
        _measure_field(ask, measure, start, end, at)


def _measure_field(ask: Ask, measure: Measure, start: int, end: int, at: int) -> None:
    """Understand which field is measured; a sum of records is their count."""
    numeric = measure not in ("min", "max")
    match = ask.field_at(at, numeric=numeric) or ask.field_at(start, numeric=True)
    if match is None and ask.is_record(at) and (match := ask.field_at(at + 1, numeric=numeric)):
        ask.spend(at, at + 1)
    if match is None and measure == "sum" and ask.is_record(at):
        _count(ask, start, end, at)
        return
    before = ask.field_before(start) if match is None else None
    if match is None and before is not None:
        match, start = Match(before[0].fields, end), before[1]
    if match is None:
        _no_numbers(ask, start, end, at)
        return
    field = ask.choose(match)
    if not field.numeric and measure not in ("min", "max"):
        ask.problems.append(f"{field.name} holds no numbers for {ask.tokens[start].text!r}")
    ask.measure, ask.of = measure, field.name
    ask.spend(start, max(end, match.end))


def _no_numbers(ask: Ask, start: int, end: int, at: int) -> None:
    """Say that what is to be measured was not found, or is no number."""
    named = ask.field_at(at)
    if named is not None:
        ask.problems.append(f"{named.fields[0].name} holds no numbers for {ask.tokens[start].text!r}")
        ask.spend(at, named.end)
    else:
        ask.problems.append(f"no field of numbers was found for {ask.tokens[start].text!r}")
    ask.spend(start, end)


def _count(ask: Ask, start: int, end: int, at: int) -> None:
    ask.measure = "count"
    ask.spend(start, end)
    if ask.word(at) in _lexicon.table("group")["unique"]:
        ask.spend(at, at + 1)
        at = ask.skip(at + 1, LINKS)
        match = ask.field_at(at)
        if match is not None:
            ask.measure, ask.of = "distinct", ask.choose(match).name
            ask.spend(at, match.end)
        return
    if ask.is_record(at):
        ask.spend(at, at + 1)
        return
    match = ask.field_at(at)
    following = ask.tokens[match.end].kind if match and ask.free(match.end) else ""
    if match is None or following in ("number", "quoted", "sign", "path", "address") or _valued(ask, match):
        return
    field = ask.choose(match)
    ask.spend(at, match.end)
    if field.role in ("status", "method", "level"):
        ask.keys.append(Key(field=field.name))
    elif field.numeric and field.role in ("size", "amount", "quantity"):
        ask.measure, ask.of = "sum", field.name
    else:
        ask.measure, ask.of = "distinct", field.name
        ask.notes.append(f"every {field.name} is counted once")


def _valued(ask: Ask, match: Match) -> bool:
    """Whether a value of the field stands right behind its name."""
    if not ask.free(match.end):
        return False
    text = ask.tokens[match.end].text.lower()
    return any(text == value.lower() for field in match.fields for value in field.values) or text in ("is", "=", "not")


def uniques(ask: Ask) -> None:
    """Understand unique and distinct, and the fields they go over."""
    for index in range(len(ask.tokens)):
        if not ask.free(index) or ask.word(index) not in _lexicon.table("group")["unique"]:
            continue
        ask.unique = True
        ask.spend(index, index + 1)
        _fields(ask, ask.skip(index + 1, ("value", "values", "of", "the", "list", "set", "combination")))


def _fields(ask: Ask, at: int) -> None:
    while match := ask.field_at(at):
        ask.select.append(ask.choose(match).name)
        ask.spend(at, match.end)
        at = ask.skip(match.end, ("and", ",", "the"))


def selections(ask: Ask) -> None:
    """Understand the fields that are left as those to be shown."""
    for index in range(len(ask.tokens)):
        if ask.free(index) and (match := ask.field_at(index)) and not _is_common(ask, index):
            name = ask.choose(match).name
            if name not in ask.select:
                ask.select.append(name)
            ask.spend(index, match.end)


def _is_common(ask: Ask, index: int) -> bool:
    """Whether a word is more likely to speak of records or of the kind of file than of a field."""
    word = ask.word(index)
    exact = any(_lexicon.name_words(field.name) == (word,) for field in ask.format.fields)
    common = word in ask.format.words or word in (
        "log",
        "access",
        "request",
        "list",
        "text",
        "value",
        "code",
        "content",
    )
    return common and not exact
