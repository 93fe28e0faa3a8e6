"""Expressions in words, and what the words of an intent name: constants, operations and fields of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from mayfly.core import clipped
from mayfly.synthesis.examples._tree import (
    ApplyOperation,
    Choose,
    Concat,
    Each,
    Expr,
    FixedList,
    InputPart,
    Literal,
    LoopItem,
    RecordTree,
    Value,
    walk,
)

_LONGEST = 200
_COUNTED = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def describe(expr: Expr) -> str:
    """Return a sentence about what the program gives."""
    text = words(expr)
    return f"Give {text}." if len(text) <= _LONGEST else f"Give {text[:_LONGEST]}..."


def words(expr: Expr) -> str:
    """Return an expression in words."""
    if isinstance(expr, InputPart):
        return "the input" if not expr.path else " of ".join(_step(step) for step in reversed(expr.path))
    if isinstance(expr, LoopItem):
        return "each element"
    if isinstance(expr, Literal):
        return constant_words(expr.constant)
    if isinstance(expr, Concat):
        return ", then ".join(words(part) for part in expr.parts)
    if isinstance(expr, Choose):
        arms = [f"{words(result)} if {words(test)}" for test, result in expr.arms]
        return "; ".join([*arms, f"otherwise {words(expr.otherwise)}"])
    return _compound(expr)


def _compound(expr: Expr) -> str:
    if isinstance(expr, ApplyOperation):
        template = expr.op.words or expr.op.name + " of {0}"
        return re.sub(r"\{(\d)\}", lambda match: _argument(expr, int(match[1])), template)
    if isinstance(expr, Each):
        test = f" where {words(expr.test)}" if expr.test is not None else ""
        body = "" if isinstance(expr.body, LoopItem) else f" as {words(expr.body)}"
        return f"every element of {words(expr.source)}{test}{body}"
    if isinstance(expr, RecordTree):
        return "a record of " + ", ".join(f"{key} ({words(part)})" for key, part in expr.fields)
    if isinstance(expr, FixedList):
        return "a list of " + ", ".join(words(part) for part in expr.elements)
    return "something"


def _argument(expr: ApplyOperation, place: int) -> str:
    if place >= len(expr.args):
        return ""
    argument = expr.args[place]
    if isinstance(argument, Literal) and expr.op.name in ("word", "field", "piece", "number_in", "element"):
        return _count(argument.constant)
    return words(argument)


def _count(value: Value) -> str:
    if not isinstance(value, int):
        return constant_words(value)
    if value >= 0:
        return f"number {value + 1}"
    return "the last one" if value == -1 else f"number {-value} from the end"


def _step(step: str | int) -> str:
    return (
        f"the field {step}"
        if isinstance(step, str)
        else f"the {_COUNTED[step] if step < len(_COUNTED) else step + 1} value"
    )


def constant_words(value: Value) -> str:
    """Return a constant for a reader, shortened."""
    if isinstance(value, dict):
        return "the table of known values"
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return clipped(text, 40, mark="...")


_QUOTES = "\"'`“”‘’"


class IntentWords:
    """The words of an intent, as far as they can name a part of a program."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _words(self) -> frozenset[str]:
        from mayfly.language import bases, is_closed, tokens

        plain = [token.plain for token in tokens(self.text) if not is_closed(token.plain)]
        return frozenset(form for word in plain for form in bases(word))

    def names(self, expr: Expr) -> bool:
        """Whether every constant of a question stands in the intent; of one without constants, the field it reads."""
        constants = list(constants_of(expr))
        if constants:
            return all(self._has(constant) for constant in constants)
        if any(isinstance(part, ApplyOperation) and self.names_operation(part) for part in walk(expr)):
            return True
        paths = [part.path for part in walk(expr) if isinstance(part, InputPart) and part.path]
        return bool(paths) and all(self._has_word(str(path[-1])) for path in paths)

    def rank(self, expr: Expr) -> int:
        """Return 0 for a question whose constants and operation the intent names, 1 for its constants, else 2."""
        if not self.names(expr):
            return 2
        return 0 if isinstance(expr, ApplyOperation) and self.names_operation(expr) else 1

    @property
    def joins(self) -> bool:
        """Whether the intent joins several conditions, of which a program may have found one."""
        return re.search(r"\b(?:and|or|but|not)\b|,", self.text, re.IGNORECASE) is not None

    def spells(self, text: str) -> bool:
        """Whether a text stands in the intent in letters that are meant: in quotes, or not as prose is written."""
        told = (
            rf"(?<!\w){re.escape(text)}(?!\w)" if text.lower() != text else rf"[{_QUOTES}]{re.escape(text)}[{_QUOTES}]"
        )
        return text.lower() == text.upper() or re.search(told, self.text) is not None

    def names_operation(self, part: ApplyOperation) -> bool:
        """Whether the intent has the verb that the operation is described with: starts, contains, ends."""
        verbs = [word for word in part.op.words.split() if word.isalpha()]
        return any(self._has_word(verb) for verb in verbs)

    def unused_field(self, given: Sequence[Value], expr: Expr) -> str:
        """Return a field of the inputs that the intent names and a question does not read, or an empty text."""
        fields = [key for key in given[0] if isinstance(key, str)] if given and isinstance(given[0], Mapping) else []
        used = {str(step) for part in walk(expr) if isinstance(part, InputPart) for step in part.path}
        whole = any(isinstance(part, InputPart) and not part.path for part in walk(expr))
        used |= {
            str(part.args[1]) for part in walk(expr) if isinstance(part, ApplyOperation) and part.op.name == "field of"
        }
        return "" if whole else next((key for key in fields if key not in used and self._has_word(key)), "")

    def _has(self, constant: Value) -> bool:
        if isinstance(constant, (int, float)):
            return re.search(rf"(?<![\w.]){re.escape(f'{constant:g}')}(?![\w]|\.\d)", self.text) is not None
        text = str(constant)
        if re.fullmatch(r"\w+", text) and (len(text) > 1 or text.isdigit()):
            return self._has_word(text)
        # One letter is an article, and a mark ends a sentence, unless it stands apart or in quotes.
        quoted = rf"[{_QUOTES}]{re.escape(text)}[{_QUOTES}]"
        apart = rf"(?:^|[\s(]){re.escape(text)}(?:[\s)]|$)" if not text.isalnum() else quoted
        longer = len(text) > 1 and text.casefold() in self.text.casefold()
        return longer or re.search(f"{quoted}|{apart}", self.text) is not None

    def _has_word(self, text: str) -> bool:
        from mayfly.language import bases

        return not bases(text).isdisjoint(self._words) or (text.isdigit() and self._has(int(text)))


def constants_of(expr: Expr) -> Iterator[Value]:
    """Yield the constants that were chosen to fit: no keys of fields, and not which number of a text is meant."""
    if isinstance(expr, Literal):
        yield expr.constant
    elif isinstance(expr, ApplyOperation) and expr.op.name == "is_below":
        units, places = (part.constant for part in expr.args[1:] if isinstance(part, Literal))
        yield float(str(units)) / 10 ** int(str(places))
        yield from constants_of(expr.args[0])
    elif isinstance(expr, ApplyOperation) and expr.op.name in ("field of", "number_in"):
        yield from constants_of(expr.args[0])
    else:
        for child in expr.children():
            yield from constants_of(child)
