"""Read the value a schema asks for out of what a model wrote; the one rule for scripts, recordings and providers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Never, get_args, get_origin

from mayfly.models import _schema
from mayfly.models._schema import SIMPLE, plain

_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)


# Places in prose where a value may begin; more than that is no answer, and trying them all would take for ever.
_OPENINGS = 100


class Mismatch(ValueError):
    """What was written is not the value that was asked for; the message says where."""


def read_answer(kind: Any, text: str) -> Any:
    """Return the value of type *kind* that *text* holds as JSON, alone, in a fence, or among other words."""
    problems: list[Mismatch] = []
    for value in _candidates(text):
        try:
            return read_value(kind, value)
        except Mismatch as mismatch:
            problems.append(mismatch)
        except RecursionError:
            problems.append(Mismatch("the answer is nested too deeply"))
    raise problems[0] if problems else Mismatch("there is no JSON in the answer")


def read_value(kind: Any, value: object, where: str = "the answer") -> Any:
    """Return *value* as *kind*, or raise `Mismatch` naming the place."""
    kind = plain(kind)
    if kind in (Any, object):
        return value
    if kind in SIMPLE:
        return _simple(kind, value, where)
    for applies, read in _RULES:
        if applies(kind):
            return read(kind, value, where)
    raise _schema.unsupported(kind)


def _candidates(text: str) -> Iterable[object]:
    """Yield the JSON values in *text*, the most deliberate first."""
    found = _load(text)
    if found is not _NOTHING:
        yield found
        return
    for fenced in _FENCE.finditer(text):
        found = _load(fenced.group(1))
        if found is not _NOTHING:
            yield found
    for opening in islice(re.finditer(r"[\[{]", text), _OPENINGS):
        found = _load(text, start=opening.start())
        if found is not _NOTHING:
            yield found
            return


_NOTHING = object()


def _load(text: str, *, start: int | None = None) -> object:
    try:
        return _DECODER.decode(text.strip()) if start is None else _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return _NOTHING


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _simple(kind: Any, value: object, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) != (kind is bool) or not isinstance(value, kind):
        raise Mismatch(f"{where} must be {_article(SIMPLE[kind])}, not {_show(value)}")
    return value


def _literal(kind: Any, value: object, where: str) -> Any:
    for allowed in get_args(kind):
        if value == allowed and type(value) is type(allowed):
            return value
    allowed = ", ".join(str(argument) for argument in get_args(kind))
    raise Mismatch(f"{where} must be one of {allowed}, not {_show(value)}")


def _enum(kind: Any, value: object, where: str) -> Any:
    for member in kind:
        if member.value == value and type(member.value) is type(value):
            return member
    raise Mismatch(f"{where} must be one of {', '.join(str(member.value) for member in kind)}, not {_show(value)}")


def _union(kind: Any, value: object, where: str) -> Any:
    problems: list[str] = []
    # An exact type first, so that `int | float` keeps 1 and 1.0 apart.
    for argument in sorted(get_args(kind), key=lambda argument: plain(argument) is not type(value)):
        try:
            return read_value(argument, value, where)
        except Mismatch as mismatch:
            problems.append(str(mismatch))
    raise Mismatch("; or ".join(dict.fromkeys(problems)))


def _pydantic(kind: Any, value: object, where: str) -> Any:
    try:
        return kind.model_validate(value)
    except ValueError as error:
        problems: list[Any] = getattr(error, "errors", list)()
        first = problems[0] if problems else {"loc": (), "msg": str(error)}
        place = ".".join([where, *(str(part) for part in first["loc"])])
        raise Mismatch(f"{place}: {first['msg']}") from None


def _record(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise Mismatch(f"{where} must be an object, not {_show(value)}")
    given = {}
    for field in _schema.record_fields(kind):
        if field.name in value:
            given[field.name] = read_value(field.kind, value[field.name], f"{where}.{field.name}")
        elif field.required:
            raise Mismatch(f"{where} has no {field.name!r}")
    try:
        return kind(**given)
    except (TypeError, ValueError) as error:
        raise Mismatch(f"{where}: {error}") from None


def _sequence(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, list):
        raise Mismatch(f"{where} must be an array, not {_show(value)}")
    item = _schema.sequence_item(kind)
    items = [read_value(item, part, f"{where}[{index}]") for index, part in enumerate(value)]
    origin = get_origin(kind) or kind
    try:
        return origin(items) if origin in (tuple, set, frozenset) else items
    except TypeError as error:
        raise Mismatch(f"{where}: {error}") from None


def _tuple(kind: Any, value: object, where: str) -> Any:
    kinds = get_args(kind)
    if not isinstance(value, list) or len(value) != len(kinds):
        raise Mismatch(f"{where} must be an array of {len(kinds)}, not {_show(value)}")
    return tuple(
        read_value(part_kind, part, f"{where}[{index}]")
        for index, (part_kind, part) in enumerate(zip(kinds, value, strict=True))
    )


def _mapping(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise Mismatch(f"{where} must be an object, not {_show(value)}")
    arguments = get_args(kind)
    item = arguments[1] if arguments else Any
    return {key: read_value(item, part, f"{where}.{key}") for key, part in value.items()}


_RULES: tuple[tuple[Callable[[Any], bool], Callable[[Any, object, str], Any]], ...] = (
    (_schema.is_literal, _literal),
    (_schema.is_union, _union),
    (_schema.is_enum, _enum),
    (_schema.is_pydantic, _pydantic),
    (_schema.is_record, _record),
    (_schema.is_fixed_tuple, _tuple),
    (lambda kind: _schema.sequence_item(kind) is not None, _sequence),
    (_schema.is_mapping, _mapping),
)


def _article(name: str) -> str:
    return name if name == "null" else f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
