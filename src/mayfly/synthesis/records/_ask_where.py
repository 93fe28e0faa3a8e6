"""Understand which records are asked for: classes of status, comparisons, values, levels, texts."""

from __future__ import annotations

from mayfly.synthesis.records import _lexicon
from mayfly.synthesis.records._ask import Ask, Match, Placed
from mayfly.synthesis.records._model import Condition, Field, Operator
from mayfly.synthesis.records._tokens import Token

SCALES = {"us": 0.001, "ms": 1.0, "s": 1000.0, "min": 60_000.0, "h": 3_600_000.0}
SIZES = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
AFTER_CLASS = frozenset(
    {"error", "status", "code", "response", "request", "pattern", "range", "answer", "failure", "class"}
)
_OPERATORS: dict[str, Operator] = {
    "gt": "gt",
    "ge": "ge",
    "lt": "lt",
    "le": "le",
    "eq": "eq",
    "ne": "ne",
    "prefix": "prefix",
}
_OPERATORS |= {"contains": "contains", "suffix": "suffix"}
_SIZED = ("lt", "le", "gt", "ge")


def classes(ask: Ask) -> None:
    """Understand 4xx, 5xx, client errors and server errors."""
    for index, token in enumerate(ask.tokens):
        if not ask.free(index):
            continue
        number, end = (token.value, index + 1) if token.kind == "class" else (None, index)
        if token.plain in ("client", "server") and ask.word(index + 1) in ("error", "failure") and ask.role("status"):
            number, end = (4 if token.plain == "client" else 5), index + 2
        if token.kind == "word" and ask.role("status") and (kind := ask.phrase(index, "outcomes")):
            number, end = int(kind.meaning), kind.end
        if isinstance(number, int):
            _class(ask, number, index, end)


def _class(ask: Ask, number: int, start: int, end: int) -> None:
    field = ask.role("status")
    high = number
    if ask.word(end) in ("and", "or", ",") and end + 1 < len(ask.tokens) and ask.tokens[end + 1].kind == "class":
        other = ask.tokens[end + 1].value
        number, high = sorted((number, other if isinstance(other, int) else number))
        end += 2
        if high - number > 1:
            ask.problems.append("classes of status that do not follow each other")
    while ask.free(end) and ask.word(end) in AFTER_CLASS:
        end += 1
    if ask.free(start - 1) and ask.word(start - 1) in ("status", "code", "http"):
        start -= 1
    if field is None or not field.numeric:
        ask.problems.append("a class of status is asked for, but the sample has no field with a status")
        ask.spend(start, end)
        return
    ask.add(Condition(field=field.name, operator="in", value=(number * 100, high * 100 + 100)), start, end)


def comparisons(ask: Ask) -> None:
    """Understand a field, a comparing word or sign and a value, in this order or with the field left to be guessed."""
    for index in range(len(ask.tokens)):
        found = ask.phrase(index, "compare") if ask.free(index) else None
        if found is None or found.meaning not in _OPERATORS:
            continue
        operator = _OPERATORS[found.meaning]
        at = ask.skip(found.end, ("the", "a", "an", "word", "text", "string", "phrase", "to"))
        if not ask.free(at) or (ask.word(at) == "," or ask.tokens[at].kind == "sign"):
            continue
        named = ask.field_before(_back(ask, index))
        token = ask.tokens[at]
        if operator in _SIZED:
            _sized(ask, operator, found.text, index, at)
        elif operator in ("contains", "prefix", "suffix"):
            _contained(ask, operator, found.text, index, at)
        elif named and token.kind in ("number", "quoted", "address", "path", "word"):
            equal(ask, operator, ask.choose(named[0]), named[1], at)


def ranges(ask: Ask) -> None:
    """Understand a field between two numbers, both of which belong to it."""
    for index in range(len(ask.tokens) - 3):
        if not ask.free(index) or ask.word(index) != "between" or ask.word(index + 2) != "and":
            continue
        low, high = ask.tokens[index + 1], ask.tokens[index + 3]
        named = ask.field_before(_back(ask, index))
        fields = [field for field in named[0].fields if field.numeric] if named else []
        if low.kind != "number" or high.kind != "number" or not named or not fields:
            ask.problems.append(f"nothing says what lies between {low.text} and {high.text}")
            ask.spend(index, index + 4)
            continue
        start = named[1]
        for operator, token in (("ge", low), ("le", high)):
            value = _scaled(ask, fields[0], token)
            ask.add(Condition(field=fields[0].name, operator=_OPERATORS[operator], value=value), start, index + 4)


def missing(ask: Ask) -> None:
    """Understand that a field has no value: without a user, with no user, user is missing."""
    for index in range(len(ask.tokens)):
        match = ask.field_at(index)
        if match is None:
            continue
        before, after = index, ask.skip(match.end, ("is", "are", "was"))
        while ask.free(before - 1) and ask.word(before - 1) in ("a", "an", "any", "the"):
            before -= 1
        lost = ask.word(after) in _lexicon.words("absent") and ask.free(after)
        denied = (
            ask.word(before - 1) in ("without", "no") and ask.free(before - 1) and not _has_value(ask, match, after)
        )
        if not lost and not denied:
            continue
        start = before - 1 if denied else index
        ask.spend(start, after + 1 if lost else match.end)
        condition = Condition(field=ask.choose(match).name, operator="eq", value=None)
        ask.conditions.append(Placed(condition, start, match.end))


def _has_value(ask: Ask, match: Match, at: int) -> bool:
    """Whether a value of the field stands behind its name."""
    if not ask.free(at):
        return False
    token = ask.tokens[at]
    seen = any(token.text.lower() == value.lower() for field in match.fields for value in field.values)
    return seen or token.kind in ("number", "quoted", "path", "address", "sign")


def _back(ask: Ask, index: int) -> int:
    while ask.free(index - 1) and ask.word(index - 1) in (
        "is",
        "are",
        "was",
        "were",
        "be",
        "of",
        "that",
        "which",
        "value",
    ):
        index -= 1
    return index


def _sized(ask: Ask, operator: Operator, text: str, index: int, at: int) -> None:
    token = ask.tokens[at]
    if token.kind != "number":
        return
    end = at + 1
    start = _back(ask, index)
    named = ask.field_before(start)
    field: Field | None = None
    if named:
        numeric = [one for one in named[0].fields if one.numeric]
        field, start = (numeric[0] if numeric else None), named[1]
        if field is None:
            ask.problems.append(f"{named[0].fields[0].name} holds no numbers to compare")
    elif (ask.is_record(end) or ask.word(end) == "time") and not token.unit:
        signs: dict[str, Operator] = {"gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}
        ask.having = Condition(field="", operator=signs[operator], value=token.value)
        ask.spend(index, end + 1)
        return
    else:
        field, end = _guessed(ask, text, token, end)
    if field is None:
        return
    value = _scaled(ask, field, token)
    if value is not None:
        ask.add(Condition(field=field.name, operator=operator, value=value), start, end)


def _guessed(ask: Ask, text: str, token: Token, end: int) -> tuple[Field | None, int]:
    """Return the field a comparison speaks of without naming it before: by its unit, its words, or a name behind."""
    behind = ask.field_at(end, numeric=True)
    if behind:
        return ask.choose(behind), behind.end
    role = "duration" if token.unit in SCALES else "size" if token.unit in SIZES else ""
    hints = {phrase: role for role, listed in _lexicon.table("hints").items() for phrase in listed}
    role = role or hints.get(text, "")
    field = ask.role(role) if role else None
    if field is None and role:
        ask.problems.append(f"no field of the sample holds a {role} to compare with {token.text}")
    if field is None and not role:
        ask.problems.append(f"nothing says what {text} {token.text} is about; name the field")
    return (field if field and field.numeric else None), end


def _scaled(ask: Ask, field: Field, token: Token) -> int | float | None:
    """Return a number in the unit of the field."""
    value = token.value
    if not isinstance(value, (int, float)):
        return None
    if token.unit in SCALES:
        unit = field.unit or ("s" if field.name.endswith(("time", "seconds")) else "")
        if not unit:
            ask.question = ask.question or f"Is {field.name} in seconds or in milliseconds? Milliseconds were taken."
        number = value * SCALES[token.unit] / SCALES.get(unit, 1.0)
    elif token.unit in SIZES:
        number = value * SIZES[token.unit] / SIZES.get(field.unit, 1)
    else:
        number = value * {"k": 1000, "M": 1_000_000}.get(token.unit, 1)
    return int(number) if float(number).is_integer() else number


def _contained(ask: Ask, operator: Operator, text: str, index: int, at: int) -> None:
    token = ask.tokens[at]
    loose = text in ("with", "having", "matching", "including", "matches", "includes")
    if token.kind not in ("word", "quoted", "number", "path", "address"):
        return
    if loose and token.kind != "quoted" and (token.kind != "path" or text in ("with", "having")):
        return
    named = ask.field_before(index)
    if named is None and operator in ("prefix", "suffix"):
        field = ask.role("path") if token.kind == "path" else None
        if field is None:
            return
    else:
        texts = [one for one in named[0].fields if not one.numeric] if named else []
        field = texts[0] if texts else None
    value = str(token.value if token.kind == "quoted" else token.text)
    if field and named and _is_plural_of(ask.tokens[index - 1].text.lower(), field.name):
        ask.select.append(field.name)
    start = named[1] if named and field else index
    condition = Condition(
        field=field.name if field else "", operator=operator, value=value, exact=token.kind == "quoted"
    )
    ask.add(condition, start, at + 1)


def _is_plural_of(word: str, name: str) -> bool:
    """Whether several of a field are asked for, as in "paths containing x"."""
    return word.endswith("s") and word != name


def equal(ask: Ask, operator: Operator, field: Field, start: int, at: int) -> None:
    values, end = _listed(ask, field, at)
    if not values:
        return
    negated = operator == "ne"
    if len(values) == 1:
        ask.add(Condition(field=field.name, operator="eq", value=values[0], negated=negated), start, end)
    else:
        ask.add(Condition(field=field.name, operator="in", value=("any", *values), negated=negated), start, end)


def _listed(ask: Ask, field: Field, at: int) -> tuple[list[object], int]:
    """Read a value, and more of them joined by or, and, or a comma."""
    values: list[object] = []
    end = at
    while ask.free(at):
        value = typed_value(field, ask.tokens[at])
        if value is None or (values and not _plausible(ask, field, at)):
            break
        values.append(value)
        end = at + 1
        at = ask.skip(end, ("or", "and", ","))
        if at == end:
            break
    return values, end


def _plausible(ask: Ask, field: Field, at: int) -> bool:
    """Whether a token further on in a list is a value of the field, and not the next part of the intent."""
    token = ask.tokens[at]
    if token.kind == "word":
        return token.text.lower() in [value.lower() for value in field.values]
    following = ask.word(at + 1)
    return token.kind in ("number", "quoted", "address", "path") and following not in ("=", ">", "<", ">=", "<=")


def typed_value(field: Field, token: Token) -> object:
    """Return the value a token stands for in a field, spelt as in the sample; None if it can be none."""
    if field.numeric:
        return token.value if token.kind == "number" else None
    text = str(token.value) if token.kind == "quoted" else token.text
    if field.kind == "bool":
        return {"true": True, "false": False, "yes": True, "no": False}.get(text.lower())
    same = [value for value in field.values if value.lower() == text.lower()]
    return text if not same or text in same else same[0]
