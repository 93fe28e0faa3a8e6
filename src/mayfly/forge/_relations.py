"""Tests that follow from the kind of request: what was found occurs in the input, what was parsed has structure."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.core import UNSET, Example, Unset
from mayfly.forge._relations_words import Asked, asked
from mayfly.gates import Test

Check = Callable[[object, object], object]

# What the files leave open, and the request decides.
_CONSTANTS = {
    "count": ("MANY",),
    "exact": ("OPERATION",),
    "example": ("EXPECTED",),
    "fix": ("LANGUAGE", "CHANGED"),
    "generate": ("SCHEMA",),
    "sort": ("ORDER",),
    "transform": ("NOTATION",),
    "typed": ("KIND",),
    "validate": ("FINDINGS",),
}


class Relation(NamedTuple):
    """One check of outputs against inputs: its source, what it says and how sure it is to apply."""

    kind: str
    source: str
    description: str
    confidence: float


def relations(intent: str, context: Mapping[str, object]) -> list[Relation]:
    """Return the relations that a result of *intent* has to have with its input, whatever that is."""
    request = asked(intent)
    kind = "find" if request.kind == "filter" else request.kind
    whatever = kind in ("find", "parse", "generate") or (kind == "transform" and bool(request.notation))
    made = _BY_KIND[kind](request, context, _ANY) if whatever else None
    return [made] if made else []


def relation_of(intent: str, context: Mapping[str, object], input: object | Unset = UNSET) -> Relation:
    """Return the one relation that says most about a result of *intent* for *input*; there always is one.

    Only what is sure to hold is asked for: a right value that is refused is lost.
    """
    if "output_schema" in context and isinstance(context["output_schema"], dict):
        return _fitting(context["output_schema"])
    request = asked(intent)
    made = _exact(request, input)
    if made is None and request.kind in _BY_KIND:
        made = _BY_KIND[request.kind](request, context, input)
    return made or relation("present", "there is a value", 0.4)


def relation(name: str, description: str, confidence: float, **constants: object) -> Relation:
    """Return the shipped relation *name* with its constants filled in."""
    source = _text(name)
    for constant, value in constants.items():
        line = f"{constant} = {value!r}".replace("\\", r"\\")
        source = re.sub(rf"^{constant} = .*$", line, source, count=1, flags=re.MULTILINE)
    return Relation(name, source, description, confidence)


@lru_cache(maxsize=256)
def in_process(name: str, source: str) -> Check | None:
    """Return the check in *source* where that is the shipped relation *name*, whatever its constants; else None.

    What was stored and is not ours to the letter has to be run behind the wall.
    """
    if not re.fullmatch(r"[a-z]+", name) or not _path(name).is_file():
        return None
    try:
        constants = {constant: _constant(constant, source) for constant in _CONSTANTS.get(name, ())}
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if relation(name, "", 0.0, **constants).source != source:
        return None
    # It is ours to the letter, with literals for what it leaves open.
    space: dict[str, Any] = {}
    exec(compile(source, f"<relation {name}>", "exec", dont_inherit=True), space)
    check: Check = space["check"]
    return check


def relations_held(relation: Relation, examples: Sequence[Example]) -> bool:
    """Say whether every example keeps a relation: what a word suggests never overrules what somebody has shown."""
    check = in_process(relation.kind, relation.source)
    if check is None:
        return not examples
    try:
        return all(check(example.input, example.output) is True for example in examples)
    except Exception:
        return False


def relation_tests(found: list[Relation], inputs: list[object]) -> list[Test]:
    """Return one test for each relation and input."""
    return [
        Test(
            name=f"{relation.kind} {number}",
            kind="relation",
            input=input,
            check=relation.source,
            description=relation.description,
            confidence=relation.confidence,
        )
        for relation in found
        for number, input in enumerate(inputs, 1)
    ]


def _fitting(schema: object) -> Relation:
    return relation("generate", "the result fits the schema", 0.9, SCHEMA=schema)


def _find(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    sure = request.unchanged and _holds_text(input)
    return relation("find", "every item that was found occurs in the input", 0.7) if sure else None


def _parse(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    sure = not request.says("computed") and _holds_text(input)
    return relation("parse", "what was parsed has structure", 0.7) if sure else None


def _filter(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    sure = request.unchanged and isinstance(input, list)
    return relation("filter", "what was kept are items of the input, in their order", 0.7) if sure else None


def _unique(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    sure = not request.says("unique") and isinstance(input, list)
    return relation("unique", "every item of the input is there, and each only once", 0.8) if sure else None


def _sort(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    fewer = request.words & {"top", "first", "last", "unique", "remove", "limit", "count"}
    if fewer or request.says("said") or not isinstance(input, (list, str)):
        return None
    order = next((name for key, name in _ORDERS.items() if request.says(key)), "up")
    return relation("sort", "the same items, in order", 0.8, ORDER=order)


# How a request orders, by what its words say; what comes first counts.
_ORDERS = {"order": "any", "down": "down", "either": "either"}


def _count(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    return relation("count", "a whole number from 0, not above what can be counted", 0.7, MANY=request.says("many"))


def _validate(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    if request.says("judged") and not request.words & {"valid", "whether", "if"}:
        return None
    return relation("validate", "the result holds a verdict", 0.8, FINDINGS="for" in request.words)


def _transform(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    notation, type = request.notation, request.type
    if notation:
        return relation("transform", f"the result can be read as {notation}", 0.6, NOTATION=notation)
    return relation("typed", f"the result is of the kind asked for: {type}", 0.7, KIND=type) if type else None


def _generate(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    schema = context.get("schema")
    return _fitting(schema) if isinstance(schema, dict) else None


def _fix(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    changed = bool(request.words & {"bug", "crash", "error", "failure", "failing", "broken", "defect", "issue"})
    language = "json" if "json" in request.words else "python" if {"python", "py"} & request.words else ""
    said = "what was fixed is there, can be read and is not what was broken"
    return relation("fix", said, 0.6, LANGUAGE=language, CHANGED=changed and isinstance(input, str))


def _join(request: Asked, context: Mapping[str, object], input: object) -> Relation | None:
    texts = isinstance(input, list) and all(isinstance(item, str) for item in input[:1000])
    sure = texts and request.plain
    return relation("join", "a text that holds every text of the input in order", 0.7) if sure else None


def _exact(request: Asked, input: object) -> Relation | None:
    """Return the relation of a request that names one operation and nothing else, for an input it is clear for."""
    operation = request.operation
    numbers = isinstance(input, list) and bool(input) and all(_is_number(item) for item in input[:100_000])
    short = isinstance(input, list) and len(input) <= 100_000
    fits = (
        operation == "reverse"
        and (isinstance(input, list) or bool(request.words & {"string", "text"}))
        and not request.of_words
    )
    if (numbers and short and operation and operation != "reverse") or fits:
        return relation("exact", f"computed again: {operation}", 0.9, OPERATION=operation)
    return None


_BY_KIND: dict[str, Callable[[Asked, Mapping[str, object], object], Relation | None]] = {
    "parse": _parse,
    "find": _find,
    "filter": _filter,
    "unique": _unique,
    "sort": _sort,
    "count": _count,
    "validate": _validate,
    "transform": _transform,
    "generate": _generate,
    "fix": _fix,
    "join": _join,
}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


# An input that something stands in, whatever it is.
_ANY = ["", ""]


def _holds_text(input: object) -> bool:
    """Whether *input* has something in it that a result can be held against; a name of a file has not."""
    if isinstance(input, str):
        return "\n" in input or not re.fullmatch(r"\S*[/.]\S*", input)
    return isinstance(input, (list, tuple, dict)) and bool(input)


def _path(name: str) -> Path:
    return Path(str(files("mayfly.forge").joinpath("relations", f"{name}.py")))


@cache
def _text(name: str) -> str:
    return _path(name).read_text(encoding="utf-8")


def _constant(name: str, source: str) -> object:
    found = re.search(rf"^{name} = (.*)$", source, flags=re.MULTILINE)
    if found is None:
        raise ValueError(f"{name} is not set")
    return ast.literal_eval(found.group(1))
