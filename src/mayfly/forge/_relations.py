"""Tests that follow from the kind of request: what was found occurs in the input, what was parsed has structure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from mayfly.gates import Test

_WORD = re.compile(r"[a-z0-9_]+")
_KINDS = {
    "parse": {"parse", "decode", "deserialize"},
    "find": {"find", "search", "filter", "select", "extract", "identify", "list"},
    "generate": {"generate", "create", "make", "build"},
    "transform": {"transform", "convert", "format", "turn", "render", "encode"},
}
# A number that is counted or computed need not occur in the input, and what is changed does not either.
_COMPUTED = frozenset(
    {
        "count",
        "number",
        "many",
        "total",
        "sum",
        "average",
        "mean",
        "median",
        "maximum",
        "minimum",
        "difference",
        "length",
        "index",
        "position",
        "indices",
        "ratio",
        "percentage",
        "convert",
        "replace",
        "upper",
        "lower",
        "uppercase",
        "lowercase",
        "format",
        "normalize",
        "then",
        "sort",
        "lowest",
        "highest",
    }
)
_NOTATIONS = {
    "json": "json",
    "iso": "iso",
    "uppercase": "uppercase",
    "lowercase": "lowercase",
    "snake_case": "snake_case",
    "hex": "hex",
    "hexadecimal": "hex",
    "binary": "binary",
}


class Relation(NamedTuple):
    """One check of outputs against inputs: its source, what it says and how sure it is to apply."""

    kind: str
    source: str
    description: str
    confidence: float


def relations(intent: str, context: Mapping[str, object]) -> list[Relation]:
    """Return the relations that a result of *intent* has to have with its input."""
    words = _WORD.findall(intent.lower())
    kind = next((kind for word in words for kind, verbs in _KINDS.items() if word in verbs), "")
    if kind == "find" and not _COMPUTED & set(words):
        return [_shipped("find", "every item that was found occurs in the input", 0.7)]
    if kind == "parse" and not _COMPUTED & set(words):
        return [_shipped("parse", "what was parsed has structure", 0.7)]
    if kind == "transform":
        wanted = next((_NOTATIONS[word] for word in _after_to(words) if word in _NOTATIONS), "")
        notation = _shipped("transform", f"the result can be read as {wanted}", 0.6, NOTATION=wanted)
        return [notation] if wanted else []
    if kind == "generate" and isinstance(context.get("schema"), dict):
        return [_shipped("generate", "the result fits the schema", 0.9, SCHEMA=context["schema"])]
    return []


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


def _after_to(words: list[str]) -> list[str]:
    return words[words.index("to") + 1 :] if "to" in words else words[words.index("as") + 1 :] if "as" in words else []


def _shipped(name: str, description: str, confidence: float, **constants: object) -> Relation:
    source = (files("mayfly.forge") / "relations" / f"{name}.py").read_text(encoding="utf-8")
    for constant, value in constants.items():
        line = f"{constant} = {value!r}"
        source = re.sub(rf"^{constant} = .*$", line.replace("\\", r"\\"), source, flags=re.MULTILINE)
    return Relation(name, source, description, confidence)
