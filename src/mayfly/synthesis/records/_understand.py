"""Turn an intent into an operation on the fields of a format, or say which words were not understood."""

from __future__ import annotations

from typing import NamedTuple

from mayfly.synthesis.records import _ask_rank, _ask_time, _ask_values, _ask_what, _ask_where, _lexicon
from mayfly.synthesis.records._ask import Ask
from mayfly.synthesis.records._model import Condition, Format, Key, Measure, Operation
from mayfly.synthesis.records._tokens import tokens


class Understood(NamedTuple):
    """What an intent asks for, and what was not understood of it."""

    operation: Operation
    problems: tuple[str, ...]
    unknown: tuple[str, ...]
    notes: tuple[str, ...]
    question: str | None


_STEPS = (
    _ask_time.times,
    _ask_where.classes,
    _ask_what.orders,
    _ask_rank.ranks,
    _ask_where.ranges,
    _ask_where.missing,
    _ask_where.comparisons,
    _ask_values.pairs,
    _ask_what.limits,
    _ask_what.groups,
    _ask_what.measures,
    _ask_what.uniques,
    _ask_values.levels,
    _ask_values.values,
    _ask_what.selections,
)


def understand(intent: str, found: Format) -> Understood:
    """Read the intent step by step; each step takes the words it understands, and none may be left over."""
    ask = Ask(tokens(intent), found)
    for step in _STEPS:
        step(ask)
    _late_values(ask)
    operation = _operation(ask)
    return Understood(operation, tuple(ask.problems), tuple(_left(ask)), tuple(ask.notes), ask.question)


def _late_values(ask: Ask) -> None:
    """Take a word nobody knows as the value of the field named right before it."""
    for index, token in enumerate(ask.tokens):
        if not ask.free(index) or token.kind != "word" or _is_known(token.plain, token.text):
            continue
        named = [name for name in ask.select if name]
        before = ask.tokens[index - 1] if index else None
        field = next((one for one in ask.format.fields if named and one.name == named[-1]), None)
        if field is None or before is None or index - 1 not in ask.used or field.numeric:
            continue
        if _lexicon.name_words(before.text)[-1] not in (*_lexicon.name_words(field.name), *_names(field.role)):
            continue
        ask.select.remove(field.name)
        ask.notes.append(f"the sample has no {field.name} {token.text}")
        ask.add(Condition(field=field.name, operator="eq", value=token.text), index - 1, index + 1)


def _names(role: str) -> list[str]:
    return [word for name in _lexicon.table("roles").get(role, []) for word in _lexicon.name_words(name)]


def _is_known(word: str, text: str) -> bool:
    lists = (_lexicon.words(name) for name in ("harmless", "show", "records", "formats"))
    return any(word in known or text.lower() in known for known in lists) or word in (
        "or",
        "between",
        "than",
        ",",
        "range",
        "descending",
        "first",
    )


def _left(ask: Ask) -> list[str]:
    """Return the words nothing was made of."""
    left = []
    for index, token in enumerate(ask.tokens):
        if not ask.free(index) or (token.kind == "sign" and token.text in (",", ":")):
            continue
        words = token.plain.split() or [token.text.lower()]
        if token.kind != "word" or not all(_is_known(word, word) for word in words):
            left.append(token.text)
    return left


def _operation(ask: Ask) -> Operation:
    conditions, share = _split(ask)
    measure, of, keys, select, unique = _measured(ask)
    keyed, grouped = bool(keys), measure is not None or bool(keys)
    order = "" if grouped else ask.order
    _complain(ask, measure, keyed, select if grouped else [], share)
    _complain_of_order(ask, keyed, order)
    gather = ask.gather and measure is None and keyed
    ranked = keyed and not gather and _is_ranked(ask, of)
    return Operation(
        conditions=tuple(_expanded(conditions)),
        share=tuple(_expanded(share)),
        measure=measure,
        of=of,
        keys=tuple(keys),
        having=ask.having,
        gather=gather,
        select=() if grouped else tuple(select),
        unique=unique,
        order=order,
        descending=ask.descending and (bool(order) or ranked),
        limit=ask.limit if not (measure and not keys) else None,
        last=ask.last,
        ranked=ranked,
    )


class _Measured(NamedTuple):
    """What is worked out, of which field, for which groups; and which fields are shown instead."""

    measure: Measure | None
    of: str
    keys: list[Key]
    select: list[str]
    unique: bool


def _measured(ask: Ask) -> _Measured:
    select = [name for name in dict.fromkeys(ask.select) if not _is_key(ask, name)]
    measure, of, keys, unique = ask.measure, ask.of, list(ask.keys), ask.unique
    if unique and (keys or measure == "count") and len(select) == 1:
        measure, of, select, unique = "distinct", select[0], [], False
    if ask.most and not keys and measure is None:
        keys, measure, select = _most(ask, select), "count", []
    if keys and measure is None and not ask.gather and _is_one_number(ask, select):
        measure, of, select = _usual_measure(ask, select[0]), select[0], []
    if ask.having is not None and select and measure is None:
        keys, measure, select = [Key(field=name) for name in select], "count", []
    if keys and measure is None and not ask.gather:
        measure = "count"
    return _Measured(measure, of, keys, select, unique)


def _is_one_number(ask: Ask, select: list[str]) -> bool:
    return len(select) == 1 and ask.format.named(select[0]).numeric


def _is_ranked(ask: Ask, of: str) -> bool:
    """Whether groups are put in the order of their values."""
    return ask.ranked or ask.bare_rank or ask.bare_sort or (bool(ask.order) and ask.order == of)


def _complain_of_order(ask: Ask, keyed: bool, order: str) -> None:
    if ask.bare_sort and not keyed and not order:
        ask.problems.append("sorting does not say by what")
    if ask.bare_rank and not keyed:
        ask.problems.append("the ranking does not say of what")


def _complain(ask: Ask, measure: Measure | None, keyed: bool, select: list[str], share: list[Condition]) -> None:
    """Note what was asked for and does not go together."""
    if select:
        ask.problems.append(f"both a measure and the fields {', '.join(select)} are asked for")
    if ask.gather and not keyed:
        ask.problems.append("grouping does not say by what")
    if ask.having is not None and not (keyed and measure == "count"):
        ask.problems.append("a number of records is compared, but nothing is counted for each group")
    if measure in ("share", "percent") and not share:
        ask.problems.append("a share is asked for, but not of what")


def _most(ask: Ask, fields: list[str]) -> list[Key]:
    """Rank the fields that were named by how many records they have."""
    if not fields:
        ask.problems.append("the ranking does not say of what")
    number = next((index for index, token in enumerate(ask.tokens) if token.kind == "number" and ask.free(index)), None)
    if ask.limit is None and number is not None:
        value = ask.tokens[number].value
        ask.limit = value if isinstance(value, int) and value > 0 else None
        ask.spend(number, number + 1)
    ask.limit = ask.limit or 1
    ask.ranked = True
    return [Key(field=name) for name in fields]


def _usual_measure(ask: Ask, name: str) -> Measure:
    """Return what is made of numbers for each group where nothing is said: an average of times, else a sum."""
    measure: Measure = "mean" if ask.format.named(name).role in ("duration", "age") else "sum"
    ask.notes.append(f"the {'average' if measure == 'mean' else 'sum'} of {name} was taken")
    return measure


def _is_key(ask: Ask, name: str) -> bool:
    return any(key.field == name for key in ask.keys)


def _split(ask: Ask) -> tuple[list[Condition], list[Condition]]:
    """Part the conditions a share is taken of from those that only say where to look."""
    if ask.measure not in ("share", "percent"):
        return [placed.condition for placed in ask.conditions], []
    stops = ("by", "per", "for", "where", "from", "since", "between", "on", "in", "when", "among")
    end = next(
        (index for index in range(ask.rate_at + 1, len(ask.tokens)) if ask.word(index) in stops), len(ask.tokens)
    )
    near = [placed for placed in ask.conditions if placed.end == ask.rate_at or ask.rate_at < placed.start < end]
    near = near or ask.conditions[:1]
    return [one.condition for one in ask.conditions if one not in near], [one.condition for one in near]


def _expanded(conditions: list[Condition]) -> list[Condition]:
    """Write a class of status as a range, and a list of values without its mark."""
    expanded: list[Condition] = []
    for condition in _ask_time.merged(conditions):
        value = condition.value
        if condition.operator != "in" or not isinstance(value, tuple):
            expanded.append(condition)
        elif value[0] == "any":
            expanded.append(Condition(field=condition.field, operator="in", value=value[1:], negated=condition.negated))
        else:
            expanded.append(Condition(field=condition.field, operator="range", value=value, negated=condition.negated))
    return expanded
