"""The text of one generated function: lines with their depth, and the objects that the text refers to by made-up names.

Nothing of a rule is ever printed into the text: constants, functions and indices are bound as default arguments. Python
allows few loops inside each other, so the text of a long rule goes on in further functions, called from the innermost
loop of the one before.
"""

import re
from functools import lru_cache
from types import CodeType
from typing import Any, Final

from mayfly.mangle._values import Value
from mayfly.mangle.engine._marks import FIRST_LOOK

MOST_LOOPS: Final = 1000
_LOOPS: Final = 15
_MUCH: Final = 8
_LONGEST_KEPT: Final = 20_000
_WORD: Final = re.compile(r"[a-z]+[0-9]*")


class TooLong(Exception):
    """Say that a rule has more loops inside each other than can be evaluated."""


class Source:
    """Collect the lines of a function and what it needs."""

    def __init__(self, parameters: str) -> None:
        self.depth = 0
        self.cost = 0
        """How much is done for each row of the innermost loop: if it is much, rows are counted one by one."""
        self._parameters = parameters
        self._top: list[str] = []
        self._end: list[str] = []
        self._lines: list[str] = []
        self._parts: list[tuple[str, list[str]]] = []
        """The functions before the present one, each with the name of the next one that it calls."""
        self._bound: dict[str, Any] = {}
        self._constants: dict[tuple[type, Value], str] = {}
        self._setups: dict[str, str] = {}
        self._count = 0

    def fresh(self, letter: str) -> str:
        """Return a name that was not used before."""
        self._count += 1
        return f"{letter}{self._count}"

    def line(self, text: str) -> None:
        """Add a line at the present depth."""
        self._lines.append("    " * (self.depth + 1) + text)

    def bind(self, letter: str, thing: object) -> str:
        """Return the name by which the text may refer to an object."""
        name = self.fresh(letter)
        self._bound[name] = thing
        return name

    def constant(self, value: Value) -> str:
        """Return the name of a constant."""
        key = (type(value), value)
        name = self._constants.get(key)
        if name is None:
            name = self._constants[key] = self.bind("k", value)
        return name

    def setup(self, letter: str, expression: str) -> str:
        """Return the name of something computed once at the start of the function."""
        name = self._setups.get(expression)
        if name is None:
            name = self._setups[expression] = self.fresh(letter)
            self._top.append(f"    {name} = {expression}")
        return name

    def finish(self, text: str) -> None:
        """Add a line to what is done when all loops have ended by themselves."""
        self._end.append(f"    {text}")

    @property
    def leave(self) -> str:
        """What ends the present attempt."""
        return "continue" if self.depth else "return left"

    def unless(self, condition: str) -> None:
        """Go on only if a condition holds."""
        self.line(f"if not ({condition}): {self.leave}")

    def stop(self) -> None:
        """End everything: no further row can give anything new."""
        self.line("return None")

    def loop(self, target: str, rows: str) -> None:
        """Begin a loop over a list; a nested one counts its rows, so that the clock is looked at now and then."""
        if self.depth == _LOOPS:
            self._go_on()
        if self.depth or self._parts:
            self.line(f"left -= len({rows})")
            self.line("if left < 0: left = tick()")
        self.line(f"for {target} in {rows}:")
        self.depth += 1
        if self.cost > _MUCH:
            self.line(f"left -= {self.cost}")
            self.line("if left < 0: left = tick()")

    def _go_on(self) -> None:
        """Begin the next function."""
        if len(self._parts) * _LOOPS > MOST_LOOPS:
            raise TooLong
        name = self.fresh("part")
        self._parts.append((name, self._lines))
        self._lines = []
        self.depth = 0

    def function(self) -> Any:
        """Compile the function."""
        defaults = "".join(f", {name}={name}" for name in self._bound)
        head = f"def rule({self._parameters}{defaults}):"
        text = "\n".join(
            [
                *self._later(),
                head,
                f"    left = {FIRST_LOOK}",
                *self._top,
                *self._first(),
                *self._end,
                "    return left",
            ]
        )
        space: dict[str, Any] = dict(self._bound)
        exec(_compiled(text) if len(text) < _LONGEST_KEPT else compile(text, "<rule>", "exec"), space)
        return space["rule"]

    def _first(self) -> list[str]:
        return self._parts[0][1] if self._parts else self._lines

    def _later(self) -> list[str]:
        """Return the text of the further functions; each takes what it and those after it use of the ones before."""
        if not self._parts:
            return []
        bodies = [lines for _, lines in self._parts] + [self._lines]
        parameters = [word.strip() for word in self._parameters.split(",")]
        known: dict[str, int] = dict.fromkeys(parameters, 0)
        for at, lines in enumerate([[*self._top, *bodies[0]], *bodies[1:]]):
            for word in _WORD.findall("\n".join(lines)):
                if word == "origin" or (word[-1].isdigit() and word not in self._bound):
                    known.setdefault(word, at)
        needed: dict[str, None] = {}
        text: list[str] = []
        for at in range(len(bodies) - 1, 0, -1):
            words = (word for word in _WORD.findall("\n".join(bodies[at])) if word in known)
            needed = {word: None for word in (*needed, *words) if known[word] < at}
            listed = ", ".join(["left", *needed])
            name, before = self._parts[at - 1]
            before += [
                "    " * (_LOOPS + 1) + f"left = {name}({listed})",
                "    " * (_LOOPS + 1) + "if left is None: return None",
            ]
            text += [f"def {name}({listed}):", *bodies[at], "    return left"]
        return text


@lru_cache(maxsize=4096)
def _compiled(text: str) -> CodeType:
    """Compile a text once: rules of the same shape have the same text, whatever their constants are."""
    return compile(text, "<rule>", "exec")
