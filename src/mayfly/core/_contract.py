"""`Contract`: what a program is given, gives back and does at the edges, agreed on before anybody writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mayfly.core._shown import one_line
from mayfly.core.errors import InputError

# Where programs that do the same thing in the middle differ.
EDGES = ("empty", "malformed", "missing", "duplicate", "tie", "order", "rounding", "case", "encoding")
# A contract is read by people: nobody reads more than this.
_LONGEST = 500
_MOST_ASSUMPTIONS = 20


@dataclass(frozen=True, kw_only=True)
class Side:
    """Say what goes in, or what comes out: a Python type, its format in words, and what every text of it matches."""

    type: str = ""
    format: str = ""
    pattern: str = ""


@dataclass(frozen=True, kw_only=True)
class Contract:
    """Hold what whoever writes a program and whoever writes its tests both know.

    *edges* say what happens where the intent's middle ends, by the names in `EDGES`; *assumptions* are made where the
    intent is silent.
    """

    input: Side = field(default_factory=Side)
    output: Side = field(default_factory=Side)
    edges: Mapping[str, str] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what it says as plain data, without what it leaves open."""
        sides = {name: _held(getattr(self, name)) for name in ("input", "output")}
        return {**sides, "edges": dict(self.edges), "assumptions": list(self.assumptions)}

    @classmethod
    def from_json(cls, data: object) -> Contract:
        """Read a contract as a person or a model wrote it; what is none is an `InputError` that says where."""
        if not isinstance(data, Mapping):
            raise InputError('a contract is an object: {"input": …, "output": …, "edges": …, "assumptions": …}')
        unknown = [str(key) for key in data if key not in ("input", "output", "edges", "assumptions")]
        if unknown:
            raise InputError(f"a contract has no {unknown[0]!r}", fix="it has input, output, edges and assumptions")
        edges = data.get("edges") or {}
        if not isinstance(edges, Mapping):
            raise InputError("the edges of a contract are an object", fix=f"name some of: {', '.join(EDGES)}")
        odd = [str(name) for name in edges if name not in EDGES]
        if odd:
            raise InputError(f"a contract has no edge {odd[0]!r}", fix=f"name some of: {', '.join(EDGES)}")
        assumed = data.get("assumptions") or []
        if not isinstance(assumed, list):
            raise InputError("the assumptions of a contract are a list of sentences")
        return cls(
            input=_side(data.get("input"), "input"),
            output=_side(data.get("output"), "output"),
            edges={name: _text(edges[name]) for name in EDGES if edges.get(name)},
            assumptions=tuple(_text(one) for one in assumed[:_MOST_ASSUMPTIONS]),
        )

    def lines(self) -> Iterator[str]:
        """Yield it in a few lines, for people and for prompts alike."""
        for name in ("input", "output"):
            side: Side = getattr(self, name)
            told = ": ".join(part for part in (side.type, side.format) if part)
            matched = f" (every text matches {side.pattern})" if side.pattern else ""
            if told or matched:
                yield f"{name}: {told}{matched}"
        for name, said in self.edges.items():
            yield f"{name}: {said}"
        for said in self.assumptions:
            yield f"assumed: {said}"


def _held(side: Side) -> dict[str, str]:
    return {one.name: getattr(side, one.name) for one in fields(side) if getattr(side, one.name)}


def _side(data: object, name: str) -> Side:
    """Read one side; a bare text is its type."""
    if data is None:
        return Side()
    if isinstance(data, str):
        return Side(type=_text(data))
    known = {one.name for one in fields(Side)}
    if not isinstance(data, Mapping) or not {str(key) for key in data} <= known:
        raise InputError(f"the {name} of a contract is an object with some of: {', '.join(sorted(known))}")
    pattern = str(data.get("pattern") or "")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"the pattern of the {name} is no regular expression: {error}") from None
    return Side(type=_text(data.get("type") or ""), format=_text(data.get("format") or ""), pattern=pattern)


def _text(value: object) -> str:
    return one_line(str(value), limit=_LONGEST)
