"""Understand rankings: the top five, the most common, the largest, the slowest."""

from __future__ import annotations

from mayfly.synthesis.records._ask import Ask, Match
from mayfly.synthesis.records._ask_what import LINKS, MEASURES, add_bucket
from mayfly.synthesis.records._model import Field, Key, Measure

DEFAULT_LIMIT = 10
_ROLE_OF_RANK = {"slow": "duration", "fast": "duration", "new": "timestamp", "old": "timestamp"}
_ROLE_OF_RANK |= {"expensive": "amount", "cheap": "amount"}
_DOWN = ("top", "high", "slow", "new", "expensive")


def ranks(ask: Ask) -> None:
    """Understand top five, most common, largest, slowest."""
    for index in range(len(ask.tokens)):
        found = ask.phrase(index, "ranks") if ask.free(index) else None
        if found is None or ask.word(index - 1) == "at":
            continue
        start, end, number = index, found.end, None
        if ask.free(end) and ask.tokens[end].kind == "number" and not ask.tokens[end].unit:
            number, end = ask.tokens[end].value, end + 1
        elif ask.free(index - 1) and ask.tokens[index - 1].kind == "number" and not ask.tokens[index - 1].unit:
            number, start = ask.tokens[index - 1].value, index - 1
        if again := ask.phrase(end, "ranks"):
            end, meaning = again.end, again.meaning if found.meaning == "top" else found.meaning
        else:
            meaning = found.meaning
        ask.spend(start, end)
        if number is not None and (not isinstance(number, int) or number < 1):
            ask.problems.append("a ranking needs a whole number above zero")
            return
        whole = number if isinstance(number, int) else None
        if found.text in ("most", "fewest", "least") and _is_counted(ask, end):
            _most(ask, found.text, end, whole)
        else:
            _ranked(ask, meaning, end, whole)
        return


def _is_counted(ask: Ask, at: int) -> bool:
    """Whether records are spoken of, as in the most requests or the most 404s."""
    token = ask.tokens[at] if ask.free(at) else None
    return token is not None and (
        ask.is_record(at) or token.kind in ("class", "number") or bool(ask.phrase(at, "levels"))
    )


def _most(ask: Ask, word: str, at: int, number: int | None) -> None:
    """Remember that whatever fields are named otherwise are ranked by how many records they have."""
    ask.most, ask.limit, ask.descending = word, number, word == "most"
    if ask.is_record(at):
        ask.spend(at, at + 1)


def _ranked(ask: Ask, meaning: str, at: int, number: int | None) -> None:
    ask.descending = meaning in _DOWN
    at = ask.skip(at, LINKS)
    match = None if ask.is_record(at) else ask.field_at(at)
    ask.limit = number or _usual(ask, meaning, at)
    if number is None and ask.limit == DEFAULT_LIMIT:
        ask.notes.append(f"no number was named; the first {DEFAULT_LIMIT} are given")
    span = ask.bucket(at) if match is None or match.fields[0].role == "timestamp" else None
    if span and meaning in ("top", "bottom"):
        add_bucket(ask, span[0])
        ask.spend(at, span[1])
        ask.ranked, ask.measure = True, "count"
    elif match is None:
        _ranked_records(ask, meaning, at)
    else:
        _ranked_field(ask, ask.choose(match), meaning, at, match.end)


def _usual(ask: Ask, meaning: str, at: int) -> int | None:
    """Return how many are meant where no number is named: one, some, or all."""
    plural = ask.free(at) and ask.tokens[at].text.lower() != ask.word(at)
    if meaning in ("top", "bottom"):
        return DEFAULT_LIMIT if plural or not ask.bucket(at) else 1
    return None if plural else 1


def _ranked_field(ask: Ask, field: Field, meaning: str, start: int, end: int) -> None:
    ask.spend(start, end)
    timed = field.kind in ("time", "epoch") and meaning in ("new", "old")
    if timed or (field.numeric and meaning in ("high", "low") and field.role not in ("status", "pid", "id")):
        _extreme(
            ask, field, "high" if meaning in ("high", "new") else "low", ask.limit if ask.numbered(start) else None
        )
    else:
        _ranked_groups(ask, field, meaning, end)


def _extreme(ask: Ask, field: Field, meaning: str, number: int | None) -> None:
    """Understand the highest value of a field, or its five highest values."""
    if number is None:
        ask.measure, ask.of, ask.limit = ("max" if meaning == "high" else "min"), field.name, None
        ask.descending = False
        return
    ask.select, ask.order = [field.name], field.name


def _ranked_groups(ask: Ask, field: Field, meaning: str, end: int) -> None:
    ask.keys.append(Key(field=field.name))
    ask.ranked = True
    ask.measure = "count"
    while ask.word(end) in ("and", ",") and (more := ask.field_at(end + 1)):
        ask.keys.append(Key(field=ask.choose(more).name))
        ask.spend(end, more.end)
        end = more.end
    role = _ROLE_OF_RANK.get(meaning, "")
    if role and role != "timestamp":
        held = ask.role(role)
        if held is None:
            ask.problems.append(f"no field of the sample holds a {role} to rank by")
            return
        extreme: Measure = "max" if meaning == "expensive" else "min"
        ask.measure, ask.of = ("mean" if role == "duration" else extreme), held.name
    by = _by(ask, end)
    if by is None:
        return
    measure, match, stop = by
    if match is not None:
        ask.of = ask.choose(match).name
        ask.measure = measure or "sum"
    ask.spend(end, stop)


def _by(ask: Ask, at: int) -> tuple[Measure | None, Match | None, int] | None:
    """Read what a ranking goes by: a field of numbers, perhaps summed or averaged, or the number of records."""
    at = ask.skip(at, ("in", "terms", "of", "ranked", "sorted", "ordered", "measured"))
    if ask.word(at) not in ("by", "with", "according") or not ask.free(at):
        return None
    start = ask.skip(at + 1, ("to", "the", "most", "highest", "largest", "their", "fewest", "lowest"))
    found = ask.phrase(start, "measures")
    after = ask.skip(found.end, LINKS) if found else start
    match = ask.field_at(after, numeric=True) if not found or found.meaning != "count" else None
    if match is not None:
        return (MEASURES[found.meaning] if found else None), match, match.end
    if found and found.meaning == "count":
        end = ask.skip(found.end, LINKS)
        return None, None, end + 1 if ask.is_record(end) else found.end
    if ask.is_record(start):
        return None, None, start + 1
    return None


def _ranked_records(ask: Ask, meaning: str, at: int) -> None:
    if ask.is_record(at):
        ask.spend(at, at + 1)
        at += 1
    elif meaning in ("top", "bottom") and ask.word(at) in ("", ",", "and", "only"):
        ask.bare_rank = True
        return
    by = _by(ask, at)
    if by is not None and by[1] is not None:
        ask.order = ask.choose(by[1]).name
        ask.spend(at, by[2])
        return
    at = ask.skip(at, ("by", "the"))
    match = ask.field_at(at) if ask.word(at - 1) in ("by", "the") else None
    if match is not None and match.fields[0].kind in ("time", "epoch"):
        ask.order = match.fields[0].name
        ask.spend(at - 1, match.end)
        return
    field = None if meaning in ("top", "bottom") else _measure_of(ask, meaning)
    if field is None:
        ask.problems.append("the ranking does not say by what; add, for example, 'by' and the name of a field")
        return
    ask.order = field.name


def _measure_of(ask: Ask, meaning: str) -> Field | None:
    """Return the field that a word such as largest or slowest speaks of."""
    if meaning in _ROLE_OF_RANK:
        return ask.role(_ROLE_OF_RANK[meaning])
    numeric = [one for one in ask.format.fields if one.numeric]
    held = [one for role in ("size", "amount") for one in numeric if one.role == role]
    named = [one for one in held if one.name in ("amount", "total", "size", "bytes")]
    return next(iter([*named, *held]), numeric[0] if len(numeric) == 1 else None)
