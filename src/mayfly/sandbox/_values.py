"""JSON in and out of the sandbox, on the host's side: what comes back is data, checked before it is believed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from mayfly.core import check_json_depth
from mayfly.sandbox.jail import _nodes

_LONG_INTEGER = 100_000
_STEP = 4_000
# It looks for the letter first: that is three times as fast in a text without one.
_LARGE_EXPONENT = re.compile(r"[eE](?<=\d[eE])\+?\d{3}")
# Bytes of JSON that are read in one go: a few milliseconds, in which no other thread of the host runs.
_AT_ONCE = 1 << 18
_OPEN = {"]": "[", "}": "{"}
_SPACE = re.compile(r"[ \t\n\r]*")


class BadValue(Exception):
    """The text is no value we accept; the message says why."""


def encode(argument: object) -> bytes:
    """Write the argument as JSON; what JSON cannot hold is a `BadValue` naming it."""
    try:
        return _dumps(argument).encode("ascii")
    except RecursionError:
        raise BadValue("the argument is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise BadValue(f"the argument is not JSON: {error}") from None


def decode(text: bytes, *, depth: int, nodes: int) -> object:
    """Read a result; nesting, too many values, constants outside JSON and endless integers are refused."""
    # No text holds more values than bytes.
    if len(text) > nodes and _nodes.count(text, nodes) > nodes:
        raise BadValue(f"the result holds more than {nodes} values, keys included")
    try:
        decoded = text.decode("utf-8")
        check_json_depth(decoded)
        value = _read_piece(decoded) if len(text) <= _AT_ONCE else _read_large(decoded, depth)
    except RecursionError:
        raise BadValue(f"the result is nested deeper than {depth}") from None
    except ValueError:
        raise BadValue("the result is not JSON") from None
    if text.count(b"[") + text.count(b"{") > depth:
        _check_depth(value, depth)
    return value


def _read_large(text: str, depth: int) -> object:
    value, end = _Large(text, depth).read(_skip(text, 0), 0)
    if _skip(text, end) != len(text):
        raise ValueError("something follows the value")
    return value


def _read_piece(text: str) -> object:
    if _LARGE_EXPONENT.search(text):
        return _careful.decode(text)
    try:
        return _plain.decode(text)
    except ValueError as error:
        if "digits" not in str(error):
            raise
        return _careful.decode(text)


class _Large:
    """Read a long text piece by piece, so that other threads run in between.

    A container that does not fit into a piece is gone into. Every piece is read a few times at most, so the work
    grows with the text, however it is made.
    """

    def __init__(self, text: str, depth: int) -> None:
        self._text = text
        self._depth = depth

    def read(self, start: int, level: int) -> tuple[Any, int]:
        """Return the value that begins at *start* and where it ends."""
        if level > self._depth:
            raise BadValue(f"the result is nested deeper than {self._depth}")
        if self._text.startswith("[", start):
            items: list[object] = []
            return items, self._fill(start + 1, level, "]", items.extend)
        if self._text.startswith("{", start):
            pairs: dict[str, object] = {}
            return pairs, self._fill(start + 1, level, "}", pairs.update)
        return _careful.raw_decode(self._text, start)

    def _fill(self, at: int, level: int, close: str, add: Callable[[Any], None]) -> int:
        """Read the members of a container: as many as fit into a piece, or one that does not; return where it ends."""
        text = self._text
        at = _skip(text, at)
        if text.startswith(close, at):
            return at + 1
        while True:
            members, end = self._piece(at, close)
            if end == at:
                members, end = self._large_member(at, level, close)
            add(members)
            at = _skip(text, end)
            if text.startswith(close, at):
                return at + 1
            if not text.startswith(",", at):
                raise ValueError("a comma is missing")
            at = _skip(text, at + 1)

    def _piece(self, at: int, close: str) -> tuple[Any, int]:
        """Return the members of a piece that begins with one, and where the last complete one ends.

        A text that begins with a member and is complete up to a comma ends between two members.
        """
        piece = self._text[at : at + _AT_ONCE]
        ends = (piece.rfind("},") + 1, piece.rfind("],") + 1, piece.rfind(","))
        for end in dict.fromkeys(end for end in ends if end > 0):
            try:
                members: Any = _read_piece(_OPEN[close] + piece[:end] + close)
            except (ValueError, RecursionError):
                continue
            if members:
                return members, at + end
        return self._one_by_one(piece, at, close)

    def _one_by_one(self, piece: str, start: int, close: str) -> tuple[Any, int]:
        members: list[Any] = []
        end = at = 0
        try:
            while True:
                key, at = _scan_name(piece, at) if close == "}" else (None, at)
                value, at = _careful.raw_decode(piece, at)
                after = _skip(piece, at)
                if not piece.startswith((",", close), after):  # the piece ends inside of it
                    break
                members.append((key, value) if close == "}" else value)
                end = at
                if piece.startswith(close, after):
                    break
                at = _skip(piece, after + 1)
        except (ValueError, RecursionError):
            pass
        return members, start + end

    def _large_member(self, at: int, level: int, close: str) -> tuple[Any, int]:
        key, at = _scan_name(self._text, at) if close == "}" else (None, at)
        value, end = self.read(at, level + 1)
        return [(key, value) if close == "}" else value], end


def _scan_name(text: str, at: int) -> tuple[str, int]:
    """Return the name of a member of an object, and where its value begins."""
    if not text.startswith('"', at):
        raise ValueError("a name is missing")
    name, at = _careful.raw_decode(text, at)
    at = _skip(text, at)
    if not text.startswith(":", at):
        raise ValueError("a colon is missing")
    return name, _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _refuse_constant(name: str) -> NoReturn:
    raise BadValue(f"the result holds {name}, which is not JSON")


# Made once: the functions of the json module would make a new one for every call.
_dumps = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_plain = json.JSONDecoder(parse_constant=_refuse_constant)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise BadValue(f"the result holds {text}, which no float can hold")
    return number


def _long_integer(digits: str) -> int:
    if len(digits) <= _STEP:
        return int(digits)
    if len(digits) > _LONG_INTEGER:
        raise BadValue(f"the result holds an integer of {len(digits)} digits; the limit is {_LONG_INTEGER}")
    sign, digits = (-1, digits[1:]) if digits[0] == "-" else (1, digits)
    number = 0
    for start in range(0, len(digits), _STEP):
        part = digits[start : start + _STEP]
        number = number * 10 ** len(part) + int(part)
    return sign * number


def _check_depth(value: object, depth: int) -> None:
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for outer in level
            if isinstance(outer, (list, dict))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (list, dict))
        ]
        if not level:
            return
    raise BadValue(f"the result is nested deeper than {depth}")


_careful = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, parse_int=_long_integer)
