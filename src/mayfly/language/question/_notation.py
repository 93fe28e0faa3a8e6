"""Read the notation in which readings are shown back into the query it stands for, or say where it is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime
from typing import NamedTuple, TypeVar, cast

from mayfly.language._moments import Span
from mayfly.language.question._query import (
    PARTS,
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Constant,
    Expression,
    Function,
    Join,
    Measure,
    Missing,
    Named,
    Not,
    Operator,
    Or,
    Order,
    PartOf,
    Pick,
    Query,
    Recent,
    Repeated,
    Scalar,
    Sign,
)
from mayfly.language.question._tell import FUNCTIONS, RESERVED

_PIECE = re.compile(
    r"\s*(?:(?P<name>\[(?:[^\]]|\]\])*\])|(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w:/-]))"
    r"|(?P<sign><=|>=|!=|[=<>(),*+]|-(?=\s)|/(?=\s))|(?P<word>[^\s(),='<>\[\]]+))"
)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_T = TypeVar("_T")


class Piece(NamedTuple):
    """One piece of the notation and where it stands."""

    kind: str
    text: str
    place: int


class Unreadable(ValueError):
    """A text is not in the notation; *place* is where that shows."""

    def __init__(self, reason: str, place: int) -> None:
        super().__init__(reason)
        self.place = place


def parse_reading(text: str, columns: Collection[str]) -> Query:
    """Return the query that a reading stands for; `Unreadable` says what is wrong and where."""
    return _Parser(text, columns).query()


class _Parser:
    """Walk through the pieces of one reading."""

    def __init__(self, text: str, columns: Collection[str]) -> None:
        self._text, self._columns, self._at = text, columns, 0
        self._pieces = list(_pieces(text))

    # Pieces.

    def _peek(self, ahead: int = 0) -> Piece:
        place = self._at + ahead
        return self._pieces[place] if place < len(self._pieces) else Piece("end", "", len(self._text))

    def _next(self) -> Piece:
        piece = self._peek()
        self._at += 1
        return piece

    def _skip(self, words: str) -> bool:
        """Pass over *words* if they stand here."""
        wanted = words.split()
        here = [self._peek(ahead) for ahead in range(len(wanted))]
        if [piece.text.lower() for piece in here] != wanted or any(p.kind in ("name", "text") for p in here):
            return False
        self._at += len(wanted)
        return True

    def _need(self, words: str) -> None:
        if not self._skip(words):
            raise self._wrong(f"expected {words!r}")

    def _wrong(self, reason: str) -> Unreadable:
        piece = self._peek()
        found = f"found {piece.text!r}" if piece.text else "the reading ends there"
        return Unreadable(f"{reason} at character {piece.place + 1}: {found}", piece.place)

    def _number(self) -> int | float:
        piece = self._peek()
        if piece.kind != "number":
            raise self._wrong("expected a number")
        self._at += 1
        return float(piece.text) if re.search(r"[.e]", piece.text) else int(piece.text)

    def _whole(self) -> int:
        value = self._number()
        if not isinstance(value, int) or value < 0:
            raise self._wrong("expected a whole number")
        return value

    def _several(self, read: Callable[[], _T], joint: str = "and") -> tuple[_T, ...]:
        found = [read()]
        while self._skip(joint):
            found.append(read())
        return tuple(found)

    # Queries.

    def query(self) -> Query:
        held = self._what()
        if self._skip("where"):
            held["where"] = self._condition()
        while self._skip(","):
            self._clause(held)
        if self._peek().kind != "end":
            raise self._wrong("expected a comma or the end")
        return Query(**held)  # type: ignore[arg-type]

    def _what(self) -> dict[str, object]:
        for word, lines in (("records", False), ("lines", True)):
            if self._skip(word):
                return {"lines": lines}
            if self._skip(f"unique {word}"):
                return {"lines": lines, "unique": True}
        if self._skip("columns"):
            return {"columns": self._several(self._expression)}
        if self._skip("unique"):
            return {"columns": self._several(self._expression), "unique": True}
        picked = self._pick()
        if picked is not None:
            return picked
        return {"measures": self._several(self._measure)}

    def _pick(self) -> dict[str, object] | None:
        start, ahead = self._at, self._peek(1)
        way = self._peek().text.lower()
        if way in ("first", "last") and self._peek().kind == "word" and ahead.kind == "number":
            self._at += 1
        elif self._peek().kind != "number":
            return None
        number = self._whole()
        lines = self._skip("lines")
        if not lines and not self._skip("records"):
            self._at = start
            return None
        if way in ("first", "last"):
            return {"lines": lines, "pick": Pick(number=number, last=way == "last")}
        self._need("with")
        descending = self._skip("highest")
        if not descending:
            self._need("lowest")
        return {"lines": lines, "pick": Pick(number=number, by=self._expression(), descending=descending)}

    def _measure(self) -> Measure:
        for function, words in FUNCTIONS.items():
            if self._skip(words):
                return Measure(function=cast("Function", function), of=self._expression())
        if self._skip("count"):
            return Measure(function="count")
        if self._skip("percentile"):
            at = float(self._number())
            self._need("of")
            return Measure(function="percentile", at=at, of=self._expression())
        if self._skip("ratio of"):
            part = self._expression()
            self._need("to")
            whole = self._expression()
            self._need("in percent")
            return Measure(function="ratio", of=part, per=whole)
        of = self._expression() if self._skip("percent of unique") else None
        if of is None:
            self._need("percent of records")
        self._need("where (")
        where = self._condition()
        self._need(")")
        return Measure(function="share", of=of, where=where)

    def _clause(self, held: dict[str, object]) -> None:
        for words, read in self._clauses().items():
            if self._skip(words):
                for key, value in read().items():
                    before = held.get(key, ())
                    both = isinstance(before, tuple) and isinstance(value, tuple) and key in ("added", "renamed")
                    held[key] = (
                        (*cast("tuple[object, ...]", before), *cast("tuple[object, ...]", value)) if both else value
                    )
                return
        raise self._wrong("expected by, sorted by, first, last or another part of a reading")

    def _clauses(self) -> dict[str, Callable[[], dict[str, object]]]:
        return {
            "joined on": self._join,
            "over lines": lambda: {"lines": True},
            "for each item of": lambda: {"items": Column(name=self._column())},
            "for each": lambda: {"keys": self._several(self._expression)},
            "without doubles in": lambda: {"keys": self._several(self._expression), "unique": True},
            "by": lambda: {"keys": self._several(self._expression)},
            "having": lambda: {"having": (self._operator(), self._number())},
            "in percent of total": lambda: {"of_total": True},
            "adding": self._add,
            "renaming": self._rename,
            "dropping": lambda: {"dropped": self._several(self._column)},
            "largest first": lambda: {"order": (Order(by=0, descending=True),)},
            "smallest first": lambda: {"order": (Order(by=0),)},
            "sorted by": lambda: {"order": self._several(self._order)},
            "from": self._range,
            "first": lambda: {"limit": self._whole()},
            "last": lambda: {"last": self._whole()},
            "how many": lambda: {"tally": True},
            "rounded to": lambda: {"digits": self._whole()},
            "divided by": self._scale,
        }

    def _join(self) -> dict[str, object]:
        left = self._column()
        self._need("=")
        right = self._any_name()
        if self._skip("keeping all"):
            return {"join": Join(left=left, right=right, kind="left")}
        if self._skip("without partner"):
            return {"join": Join(left=left, right=right, kind="anti")}
        return {"join": Join(left=left, right=right)}

    def _add(self) -> dict[str, object]:
        new = self._any_name()
        self._need("=")
        return {"added": (Named(name=new, of=self._expression()),)}

    def _rename(self) -> dict[str, object]:
        old = self._column()
        self._need("to")
        return {"renamed": ((old, self._any_name()),)}

    def _order(self) -> Order:
        by = self._whole() - 1 if self._skip("measure") else self._expression()
        return Order(by=by, descending=self._skip("descending"))

    def _range(self) -> dict[str, object]:
        skip = self._whole() - 1
        return {"skip": skip, "limit": self._whole() - skip} if self._skip("to") else {"skip": skip}

    def _scale(self) -> dict[str, object]:
        factor = float(self._number())
        self._need("for")
        return {"scale": (self._any_name(), factor)}

    # Expressions.

    def _any_name(self) -> str:
        piece = self._next()
        if piece.kind == "name":
            return piece.text[1:-1].replace("]]", "]")
        if piece.kind == "word" and piece.text.lower() not in RESERVED:
            return piece.text
        self._at -= 1
        raise self._wrong("expected a name")

    def _column(self) -> str:
        place = self._at
        found = self._any_name()
        if found not in self._columns:
            self._at = place
            raise self._wrong(f"there is no column {found!r} (columns are {', '.join(list(self._columns)[:20])})")
        return found

    def _expression(self) -> Expression:
        left = self._term()
        piece = self._peek()
        if piece.kind == "sign" and piece.text in ("+", "-", "*", "/"):
            self._at += 1
            return Arithmetic(sign=cast("Sign", piece.text), left=left, right=self._term())
        return left

    def _term(self) -> Expression:
        if self._peek().kind == "number":
            return Constant(value=self._number())
        if self._skip("("):
            inside = self._expression()
            self._need(")")
            return inside
        if self._skip("line"):
            return Column(name="")
        for part in sorted(PARTS, key=len, reverse=True):
            if self._skip(f"{part} of"):
                return PartOf(part=part, of=self._term())
        return Column(name=self._column())

    # Conditions.

    def _condition(self) -> Condition:
        found = self._several(self._all, "or")
        return found[0] if len(found) == 1 else Or(of=found)

    def _all(self) -> Condition:
        found = self._several(self._test)
        return found[0] if len(found) == 1 else And(of=found)

    def _test(self) -> Condition:
        if self._skip("not ("):
            inside = self._condition()
            self._need(")")
            return Not(of=inside)
        if self._skip("repeated ("):
            of = self._several(self._expression)
            self._need(")")
            return Repeated(of=of)
        if self._peek().text == "(":
            return self._in_parentheses()
        left = self._expression()
        return self._comparison(left)

    def _in_parentheses(self) -> Condition:
        """Read a condition in parentheses, or a comparison whose left side begins with one."""
        start = self._at
        try:
            left = self._expression()
            return self._comparison(left)
        except Unreadable:
            self._at = start
        self._need("(")
        inside = self._condition()
        self._need(")")
        return inside

    def _comparison(self, left: Expression) -> Condition:
        if self._skip("is missing"):
            return Missing(of=left)
        if self._skip("within last"):
            number, unit = self._whole(), self._next().text
            if unit not in _SECONDS:
                self._at -= 1
                raise self._wrong("expected second, minute, hour, day or week")
            return Recent(of=left, seconds=number * _SECONDS[unit])
        if self._skip("during"):
            start = self._moment()
            self._need("to")
            return Compare(left=left, operator="during", value=Span(start, self._moment()))
        if self._skip("in ("):
            values = self._several(self._value, ",")
            self._need(")")
            return Compare(left=left, operator="in", value=values)
        if self._skip("between"):
            low = self._number()
            self._need("and")
            return Compare(left=left, operator="between", value=(low, self._number()))
        operator = self._operator()
        if self._peek().kind == "name":
            return Compare(left=left, operator=operator, value=Column(name=self._column()))
        return Compare(left=left, operator=operator, value=self._value())

    def _operator(self) -> Operator:
        known: tuple[Operator, ...] = (
            "contains",
            "has word",
            "starts with",
            "ends with",
            "=",
            "!=",
            "<=",
            ">=",
            "<",
            ">",
        )
        for words in known:
            if self._skip(words):
                return words
        raise self._wrong("expected a comparison")

    def _moment(self) -> datetime:
        piece = self._next()
        try:
            return datetime.fromisoformat(piece.text)
        except ValueError:
            self._at -= 1
            raise self._wrong("expected a moment such as 2026-03-02 or 2026-03-02T14:00:00") from None

    def _value(self) -> Scalar:
        piece = self._peek()
        if piece.kind == "number":
            return self._number()
        if piece.kind == "text":
            self._at += 1
            return piece.text[1:-1].replace("''", "'")
        if piece.kind != "word":
            raise self._wrong("expected a value")
        self._at += 1
        return {"true": True, "false": False}.get(piece.text, piece.text)


def _pieces(text: str) -> list[Piece]:
    found: list[Piece] = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = _PIECE.match(text, place)
        if match is None:
            raise Unreadable(f"character {place + 1} belongs to no word, name or value", place)
        kind = str(match.lastgroup)
        found.append(Piece(kind, match[kind], match.start(kind)))
        place = match.end()
    return found
