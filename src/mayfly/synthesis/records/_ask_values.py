"""Understand values that stand alone or right behind their field, and the words for levels."""

from __future__ import annotations

from mayfly.synthesis.records import _lexicon
from mayfly.synthesis.records._ask import Ask
from mayfly.synthesis.records._ask_where import AFTER_CLASS, equal, typed_value
from mayfly.synthesis.records._model import Condition, Field
from mayfly.synthesis.records._tokens import Token


def pairs(ask: Ask) -> None:
    """Understand a field with a value right behind it: status 404, user bob, method POST."""
    for index in range(len(ask.tokens)):
        match = ask.field_at(index)
        if match is None or not ask.free(match.end):
            continue
        token = ask.tokens[match.end]
        for field in match.fields:
            seen = token.kind == "word" and token.text.lower() in [value.lower() for value in field.values]
            number = field.numeric and token.kind == "number" and not token.unit
            quoted = not field.numeric and token.kind in ("quoted", "address", "path")
            if seen or number or quoted:
                equal(ask, "eq", field, index, match.end)
                break


def values(ask: Ask) -> None:
    """Understand values that stand alone: an address, a path, a status, a word seen in one field of the sample."""
    for index, token in enumerate(ask.tokens):
        if not ask.free(index):
            continue
        if token.kind in ("address", "path"):
            _only(ask, ask.role("ip" if token.kind == "address" else "path"), index)
        elif token.kind == "number":
            _status(ask, index)
        elif token.kind == "word":
            _seen(ask, index)
        elif token.kind == "quoted":
            holders = [field for field in ask.format.fields if token.text in field.values]
            if len(holders) == 1:
                _only(ask, holders[0], index)
            else:
                ask.add(Condition(field="", operator="contains", value=token.text, exact=True), index, index + 1)


def _only(ask: Ask, field: Field | None, index: int) -> None:
    if field is not None:
        value = typed_value(field, ask.tokens[index])
        ask.add(Condition(field=field.name, operator="eq", value=value), index, index + 1)


def _status(ask: Ask, index: int) -> None:
    """Read a bare number as a status where only that makes sense: 404 errors, 404s, the 500 responses."""
    token, field = ask.tokens[index], ask.role("status")
    code = isinstance(token.value, int) and 100 <= token.value <= 599
    if field is None or not field.numeric or not code or token.unit not in ("", "s"):
        return
    codes: list[object] = [token.value]
    end = index + 1
    while ask.word(end) in ("or", "and", ",") and ask.free(end + 1) and ask.tokens[end + 1].kind == "number":
        codes.append(ask.tokens[end + 1].value)
        end += 2
    while ask.free(end) and ask.word(end) in AFTER_CLASS:
        end += 1
    value, operator = (codes[0], "eq") if len(codes) == 1 else (("any", *codes), "in")
    ask.add(Condition(field=field.name, operator="eq" if operator == "eq" else "in", value=value), index, end)


def _seen(ask: Ask, index: int) -> None:
    token = ask.tokens[index]
    shouted = token.text.isupper() and len(token.text) > 1
    known = any(token.plain in _lexicon.words(name) for name in ("harmless", "show", "records", "formats"))
    holders = [field for field in ask.format.fields if field.kind == "text" and _is_value(field, token, exact=known)]
    if not holders or (known and not shouted):
        return
    if len(holders) > 1 and ask.question is None:
        ask.question = f"Is {token.text} a {' or a '.join(field.name for field in holders)}? The first was taken."
    field = min(holders, key=lambda one: len(one.values))
    values = [typed_value(field, token)]
    end = index + 1
    while (
        ask.word(end) in ("or", "and", ",") and ask.free(end + 1) and _is_value(field, ask.tokens[end + 1], exact=True)
    ):
        values.append(typed_value(field, ask.tokens[end + 1]))
        end += 2
    single = Condition(field=field.name, operator="eq", value=values[0])
    several = Condition(field=field.name, operator="in", value=("any", *values))
    ask.add(single if len(values) == 1 else several, index, end)


def _is_value(field: Field, token: Token, *, exact: bool) -> bool:
    if exact:
        return token.text in field.values
    wanted = {token.text.lower(), token.plain}
    return any(value.lower() in wanted for value in field.values)


def levels(ask: Ask) -> None:
    """Understand errors, warnings and the like, by the level, by the status, or by the word itself."""
    for index in range(len(ask.tokens)):
        found = ask.phrase(index, "levels") if ask.free(index) else None
        if found is None or (found.meaning == "debug" and found.text == "trace" and ask.role("level") is None):
            continue
        level, status = ask.role("level"), ask.role("status")
        if level is not None and not level.numeric:
            names = _spelt(level, found.meaning)
            single = Condition(field=level.name, operator="eq", value=names[0])
            several = Condition(field=level.name, operator="in", value=("any", *names))
            ask.add(single if len(names) == 1 else several, index, found.end)
        elif status is not None and status.numeric and found.meaning == "error":
            ask.add(Condition(field=status.name, operator="ge", value=400), index, found.end)
        elif found.meaning != "info":
            ask.notes.append(f"no field holds a level, so lines with the word {found.text!r} were taken")
            ask.add(Condition(field="", operator="word", value=found.text), index, found.end)


def _spelt(level: Field, meaning: str) -> list[str]:
    """Return the levels that are meant, spelt as in the sample; where none was seen, as its others are."""
    meant = _lexicon.table("level_values")[meaning]
    seen = [value for value in level.values if value.lower() in meant]
    if seen:
        return seen
    first = level.values[0] if level.values else "ERROR"
    style = str.upper if first.isupper() else str.capitalize if first[:1].isupper() else str.lower
    return [style(name) for name in meant[:1]]
