"""A tokenizer and recursive descent parser for arithmetic."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

ARGUMENT = ["1 + 2 * 3", "(1 + 2) * 3", "-2 ** 2", "2 ** 3 ** 2", "sqrt(16) + pi", "1 / 0", "2 +", "7 // 2 % 2", "1.5e3 - .5"]


class Token(NamedTuple):
    kind: str
    text: str


TOKENS = re.compile(r"\s*(?:(?P<number>\d*\.?\d+(?:e[+-]?\d+)?)|(?P<name>[a-z]+)|(?P<symbol>\*\*|//|[-+*/%()]))")


class Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[Token] = []
        position = 0
        while position < len(text.rstrip()):
            match = TOKENS.match(text, position)
            if match is None:
                raise SyntaxError(f"unexpected {text[position]!r}")
            self.tokens.append(Token(match.lastgroup, match[match.lastgroup]))
            position = match.end()
        self.position = 0

    def peek(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def take(self) -> Token:
        if self.position >= len(self.tokens):
            raise SyntaxError("unexpected end")
        self.position += 1
        return self.tokens[self.position - 1]

    def parse(self) -> float:
        value = self.sum()
        if self.peek():
            raise SyntaxError(f"unexpected {self.peek()!r}")
        return value

    def sum(self) -> float:
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take().text == "+" else value - self.product()
        return value

    def product(self) -> float:
        value = self.unary()
        while (symbol := self.peek()) in ("*", "/", "//", "%"):
            self.take()
            right = self.unary()
            value = {"*": lambda: value * right, "/": lambda: value / right, "//": lambda: value // right, "%": lambda: value % right}[symbol]()
        return value

    def unary(self) -> float:
        if self.peek() == "-":
            self.take()
            return -self.unary()
        return self.power()

    def power(self) -> float:
        base = self.atom()
        if self.peek() == "**":
            self.take()
            return base ** self.unary()
        return base

    def atom(self) -> float:
        token = self.take()
        if token.kind == "number":
            return float(token.text)
        if token.kind == "name":
            if self.peek() == "(":
                return getattr(math, token.text)(self.atom())
            return getattr(math, token.text)
        if token.text == "(":
            value = self.sum()
            if self.take().text != ")":
                raise SyntaxError("expected )")
            return value
        raise SyntaxError(f"unexpected {token.text!r}")


def main(argument):
    found = []
    for text in argument:
        try:
            found.append(Parser(text).parse())
        except (SyntaxError, ZeroDivisionError) as error:
            found.append(f"{type(error).__name__}: {error}")
    return found
