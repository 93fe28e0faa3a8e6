"""Read the notation in which readings are shown back into the query it stands for, or say where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import cast

from mayfly.language._moments import Span
from mayfly.language.question._pieces import Pieces, Unreadable
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

_OPERATORS: tuple[Operator, ...] = ("contains", "has word", "starts with", "ends with", "=", "!=", "<=", ">=", "<", ">")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}


def parse_reading(text: str, columns: Collection[str]) -> Query:
    """Return the query that a reading stands for; `Unreadable` says what is wrong and where."""
    return _Parser(text, columns).query()


class _Parser:
    """Walk through the pieces of one reading."""

    def __init__(self, text: str, columns: Collection[str]) -> None:
        self._columns = columns
        self._pieces = Pieces(text)

    # Queries.

    def query(self) -> Query:
        held = self._what()
        if self._pieces.skip("where"):
            held["where"] = self._condition()
        while self._pieces.skip(","):
            self._clause(held)
        if self._pieces.peek().kind != "end":
            raise self._pieces.wrong("expected a comma or the end")
        return Query(**held)  # type: ignore[arg-type]

    def _what(self) -> dict[str, object]:
        for word, lines in (("records", False), ("lines", True)):
            if self._pieces.skip(word):
                return {"lines": lines}
            if self._pieces.skip(f"unique {word}"):
                return {"lines": lines, "unique": True}
        if self._pieces.skip("columns"):
            return {"columns": self._pieces.several(self._expression)}
        if self._pieces.skip("unique"):
            return {"columns": self._pieces.several(self._expression), "unique": True}
        picked = self._pick()
        if picked is not None:
            return picked
        return {"measures": self._pieces.several(self._measure)}

    def _pick(self) -> dict[str, object] | None:
        start, ahead = self._pieces.at, self._pieces.peek(1)
        way = self._pieces.peek().text.lower()
        if way in ("first", "last") and self._pieces.peek().kind == "word" and ahead.kind == "number":
            self._pieces.at += 1
        elif self._pieces.peek().kind != "number":
            return None
        number = self._pieces.whole()
        lines = self._pieces.skip("lines")
        if not lines and not self._pieces.skip("records"):
            self._pieces.at = start
            return None
        if way in ("first", "last"):
            return {"lines": lines, "pick": Pick(number=number, last=way == "last")}
        self._pieces.need("with")
        descending = self._pieces.skip("highest")
        if not descending:
            self._pieces.need("lowest")
        return {"lines": lines, "pick": Pick(number=number, by=self._expression(), descending=descending)}

    def _measure(self) -> Measure:
        for function, words in FUNCTIONS.items():
            if self._pieces.skip(words):
                return Measure(function=cast("Function", function), of=self._expression())
        if self._pieces.skip("count"):
            return Measure(function="count")
        if self._pieces.skip("percentile"):
            at = float(self._pieces.number())
            self._pieces.need("of")
            return Measure(function="percentile", at=at, of=self._expression())
        if self._pieces.skip("ratio of"):
            part = self._expression()
            self._pieces.need("to")
            whole = self._expression()
            self._pieces.need("in percent")
            return Measure(function="ratio", of=part, per=whole)
        of = self._expression() if self._pieces.skip("percent of unique") else None
        if of is None:
            self._pieces.need("percent of records")
        self._pieces.need("where (")
        where = self._condition()
        self._pieces.need(")")
        return Measure(function="share", of=of, where=where)

    def _clause(self, held: dict[str, object]) -> None:
        for words, read in self._clauses().items():
            if self._pieces.skip(words):
                for key, value in read().items():
                    before = held.get(key, ())
                    both = isinstance(before, tuple) and isinstance(value, tuple) and key in ("added", "renamed")
                    held[key] = (
                        (*cast("tuple[object, ...]", before), *cast("tuple[object, ...]", value)) if both else value
                    )
                return
        raise self._pieces.wrong("expected by, sorted by, first, last or another part of a reading")

    def _clauses(self) -> dict[str, Callable[[], dict[str, object]]]:
        return {
            "joined on": self._join,
            "over lines": lambda: {"lines": True},
            "for each item of": lambda: {"items": Column(name=self._column())},
            "for each": lambda: {"keys": self._pieces.several(self._expression)},
            "without doubles in": lambda: {"keys": self._pieces.several(self._expression), "unique": True},
            "by": lambda: {"keys": self._pieces.several(self._expression)},
            "having": lambda: {"having": (self._operator(), self._pieces.number())},
            "in percent of total": lambda: {"of_total": True},
            "adding": self._add,
            "renaming": self._rename,
            "dropping": lambda: {"dropped": self._pieces.several(self._column)},
            "largest first": lambda: {"order": (Order(by=0, descending=True),)},
            "smallest first": lambda: {"order": (Order(by=0),)},
            "sorted by": lambda: {"order": self._pieces.several(self._order)},
            "from": self._range,
            "first": lambda: {"limit": self._pieces.whole()},
            "last": lambda: {"last": self._pieces.whole()},
            "how many": lambda: {"tally": True},
            "rounded to": lambda: {"digits": self._pieces.whole()},
            "divided by": self._scale,
        }

    def _join(self) -> dict[str, object]:
        left = self._column()
        self._pieces.need("=")
        right = self._any_name()
        if self._pieces.skip("keeping all"):
            return {"join": Join(left=left, right=right, kind="left")}
        if self._pieces.skip("without partner"):
            return {"join": Join(left=left, right=right, kind="anti")}
        return {"join": Join(left=left, right=right)}

    def _add(self) -> dict[str, object]:
        new = self._any_name()
        self._pieces.need("=")
        return {"added": (Named(name=new, of=self._expression()),)}

    def _rename(self) -> dict[str, object]:
        old = self._column()
        self._pieces.need("to")
        return {"renamed": ((old, self._any_name()),)}

    def _order(self) -> Order:
        by = self._pieces.whole() - 1 if self._pieces.skip("measure") else self._expression()
        return Order(by=by, descending=self._pieces.skip("descending"))

    def _range(self) -> dict[str, object]:
        skip = self._pieces.whole() - 1
        return {"skip": skip, "limit": self._pieces.whole() - skip} if self._pieces.skip("to") else {"skip": skip}

    def _scale(self) -> dict[str, object]:
        factor = float(self._pieces.number())
        self._pieces.need("for")
        return {"scale": (self._any_name(), factor)}

    # Expressions.

    def _any_name(self) -> str:
        piece = self._pieces.next()
        if piece.kind == "name":
            return piece.text[1:-1].replace("]]", "]")
        if piece.kind == "word" and piece.text.lower() not in RESERVED:
            return piece.text
        self._pieces.at -= 1
        raise self._pieces.wrong("expected a name")

    def _column(self) -> str:
        place = self._pieces.at
        found = self._any_name()
        if found not in self._columns:
            self._pieces.at = place
            raise self._pieces.wrong(
                f"there is no column {found!r} (columns are {', '.join(list(self._columns)[:20])})"
            )
        return found

    def _expression(self) -> Expression:
        left = self._term()
        piece = self._pieces.peek()
        if piece.kind == "sign" and piece.text in ("+", "-", "*", "/"):
            self._pieces.at += 1
            return Arithmetic(sign=cast("Sign", piece.text), left=left, right=self._term())
        return left

    def _term(self) -> Expression:
        if self._pieces.peek().kind == "number":
            return Constant(value=self._pieces.number())
        if self._pieces.skip("("):
            inside = self._expression()
            self._pieces.need(")")
            return inside
        if self._pieces.skip("line"):
            return Column(name="")
        for part in sorted(PARTS, key=len, reverse=True):
            if self._pieces.skip(f"{part} of"):
                return PartOf(part=part, of=self._term())
        return Column(name=self._column())

    # Conditions.

    def _condition(self) -> Condition:
        found = self._pieces.several(self._all, "or")
        return found[0] if len(found) == 1 else Or(of=found)

    def _all(self) -> Condition:
        found = self._pieces.several(self._test)
        return found[0] if len(found) == 1 else And(of=found)

    def _test(self) -> Condition:
        if self._pieces.skip("not ("):
            inside = self._condition()
            self._pieces.need(")")
            return Not(of=inside)
        if self._pieces.skip("repeated ("):
            of = self._pieces.several(self._expression)
            self._pieces.need(")")
            return Repeated(of=of)
        if self._pieces.peek().text == "(":
            return self._in_parentheses()
        left = self._expression()
        return self._comparison(left)

    def _in_parentheses(self) -> Condition:
        """Read a condition in parentheses, or a comparison whose left side begins with one."""
        start = self._pieces.at
        try:
            left = self._expression()
            return self._comparison(left)
        except Unreadable:
            self._pieces.at = start
        self._pieces.need("(")
        inside = self._condition()
        self._pieces.need(")")
        return inside

    def _comparison(self, left: Expression) -> Condition:
        if self._pieces.skip("is missing"):
            return Missing(of=left)
        if self._pieces.skip("within last"):
            number, unit = self._pieces.whole(), self._pieces.next().text
            if unit not in _SECONDS:
                self._pieces.at -= 1
                raise self._pieces.wrong("expected second, minute, hour, day or week")
            return Recent(of=left, seconds=number * _SECONDS[unit])
        if self._pieces.skip("during"):
            start = self._moment()
            self._pieces.need("to")
            return Compare(left=left, operator="during", value=Span(start, self._moment()))
        if self._pieces.skip("in ("):
            values = self._pieces.several(self._value, ",")
            self._pieces.need(")")
            return Compare(left=left, operator="in", value=values)
        if self._pieces.skip("between"):
            low = self._pieces.number()
            self._pieces.need("and")
            return Compare(left=left, operator="between", value=(low, self._pieces.number()))
        operator = self._operator()
        if self._pieces.peek().kind == "name":
            return Compare(left=left, operator=operator, value=Column(name=self._column()))
        return Compare(left=left, operator=operator, value=self._value())

    def _operator(self) -> Operator:
        for words in _OPERATORS:
            if self._pieces.skip(words):
                return words
        raise self._pieces.wrong("expected a comparison")

    def _moment(self) -> datetime:
        piece = self._pieces.next()
        try:
            return datetime.fromisoformat(piece.text)
        except ValueError:
            self._pieces.at -= 1
            raise self._pieces.wrong("expected a moment such as 2026-03-02 or 2026-03-02T14:00:00") from None

    def _value(self) -> Scalar:
        piece = self._pieces.peek()
        if piece.kind == "number":
            return self._pieces.number()
        if piece.kind == "text":
            self._pieces.at += 1
            return piece.text[1:-1].replace("''", "'")
        if piece.kind != "word":
            raise self._pieces.wrong("expected a value")
        self._pieces.at += 1
        return {"true": True, "false": False}.get(piece.text, piece.text)
