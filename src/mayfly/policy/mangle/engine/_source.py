"""The text of one generated function: lines with their depth, and the objects that the text refers to by made-up names.

Nothing of a rule is ever printed into the text: constants, functions and indices are bound as default arguments.
"""

from functools import lru_cache
from types import CodeType
from typing import Any, Final

from mayfly.policy.mangle._values import Value

TICK: Final = 20_000
FIRST_LOOK: Final = 64


class Source:
    """Collect the lines of a function and what it needs."""

    def __init__(self, parameters: str) -> None:
        self.depth = 0
        self._parameters = parameters
        self._top: list[str] = []
        self._lines: list[str] = []
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

    @property
    def leave(self) -> str:
        """What ends the present attempt."""
        return "continue" if self.depth else "return"

    def unless(self, condition: str) -> None:
        """Go on only if a condition holds."""
        self.line(f"if not ({condition}): {self.leave}")

    def loop(self, target: str, rows: str) -> None:
        """Begin a loop over a list; a nested one counts its rows, so that the clock is looked at now and then."""
        if self.depth:
            self.line(f"left -= len({rows})")
            self.line("if left < 0: left = tick()")
        self.line(f"for {target} in {rows}:")
        self.depth += 1

    def function(self) -> Any:
        """Compile the function."""
        defaults = "".join(f", {name}={name}" for name in self._bound)
        head = f"def rule({self._parameters}{defaults}):"
        text = "\n".join([head, f"    left = {TICK}", *self._top, *self._lines])
        space: dict[str, Any] = dict(self._bound)
        exec(_compiled(text), space)
        return space["rule"]


@lru_cache(maxsize=4096)
def _compiled(text: str) -> CodeType:
    """Compile a text once: rules of the same shape have the same text, whatever their constants are."""
    return compile(text, "<rule>", "exec")
