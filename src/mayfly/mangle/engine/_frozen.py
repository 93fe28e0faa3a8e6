"""A compiled program as bytes and back, to be kept from one process to the next.

An evaluation needs a small part of a program: rules and functions come back as bytes that are read when one is first
touched, so that an evaluation loads neither the syntax tree nor the builtins that it does not use. To read such bytes
is to run what they say: hand in only what is sure to be `freeze`'s.
"""

import marshal
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from io import BytesIO
from types import FunctionType
from typing import Any, NamedTuple

from mayfly.mangle._checked import CheckedProgram, CheckedRule
from mayfly.mangle._collector import paused
from mayfly.mangle._symbols import Place, Symbol
from mayfly.mangle.engine._layout import Plan
from mayfly.mangle.engine._marks import Made
from mayfly.mangle.engine._program import Program

_PACKAGE = __name__.partition(".engine.")[0]
_PROTOCOL = 5
_RULE = tuple(field.name for field in fields(CheckedRule))
_PLAN = tuple(field.name for field in fields(Plan) if field.name != "made")


def freeze(program: Program) -> bytes:
    """Return *program* with the functions it has made so far and what it has found to follow from its own facts."""
    with paused():
        rules, checked, layout = program.rules, program._checked, program._layout
        # What aggregates and deferred predicates are evaluated with is made again.
        layout.groupings.clear()
        layout.asked.clear()
        texts = [(tuple(rule.place), _rule_bytes(rule)) for rule in rules]
        whole = checked.frozen if isinstance(checked, _AsleepProgram) else _written(checked, rules)
        return pickle.dumps((texts, whole, _written({**vars(program), "_checked": None}, rules)), _PROTOCOL)


def thaw(data: bytes) -> Program:
    """Return the program that `freeze` was given."""
    with paused():
        texts, whole, state = pickle.loads(data)
        rules = tuple(_AsleepRule(number, Place(*where), text) for number, (where, text) in enumerate(texts))
        program = object.__new__(Program)
        vars(program).update(_read(state, rules), _checked=_AsleepProgram(whole, rules))
        return program


def functions(program: Program) -> int:
    """Return how many functions the program has made or brought along; where these have grown, freeze it again."""
    return sum(len(_brought(plan.made).keys() | plan.made.keys()) for plan in program._layout.plans)


class _Writer(pickle.Pickler):
    """Write a part of a program; its rules are written elsewhere, once, and here by their numbers."""

    def __init__(self, file: BytesIO, rules: Sequence[CheckedRule]) -> None:
        super().__init__(file, _PROTOCOL)
        self._rules = rules
        self.dispatch_table = {Plan: self._reduce_plan}

    def persistent_id(self, thing: object) -> object:
        if thing is self._rules:
            return "rules"
        if type(thing) is FunctionType:
            return _builtins().get(thing)
        if isinstance(thing, CheckedRule) and thing.number < len(self._rules) and self._rules[thing.number] is thing:
            return thing.number
        return None

    def _reduce_plan(self, plan: Plan) -> tuple[Callable[..., Plan], tuple[object, ...]]:
        made = {kind: frozen for kind, one in plan.made.items() if (frozen := self._function(one)) is not None}
        state = {name: getattr(plan, name) for name in _PLAN}
        return _make_plan, (state, {**made, **_brought(plan.made)}, self._rules)

    def _function(self, function: Any) -> bytes | None:
        """Return a generated function; None for one in several parts, or with something in it that has no name."""
        if any(name.startswith("part") for name in function.__code__.co_names):
            return None
        try:
            return _written((marshal.dumps(function.__code__), function.__defaults__), self._rules)
        except (pickle.PicklingError, AttributeError, TypeError):
            return None


class _Reader(pickle.Unpickler):
    """Read a part of a program; nothing from outside this package has a place in it."""

    def __init__(self, data: bytes, rules: Sequence[CheckedRule]) -> None:
        super().__init__(BytesIO(data))
        self._rules = rules

    def persistent_load(self, pid: Any) -> Any:
        if isinstance(pid, tuple):
            return _builtin(*pid)
        return self._rules if pid == "rules" else self._rules[pid]

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(f"{_PACKAGE}."):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a program")


def _written(thing: object, rules: Sequence[CheckedRule]) -> bytes:
    file = BytesIO()
    _Writer(file, rules).dump(thing)
    return file.getvalue()


def _read(data: bytes, rules: Sequence[CheckedRule]) -> Any:
    return _Reader(data, rules).load()


def _rule_bytes(rule: CheckedRule) -> bytes:
    return rule.frozen if isinstance(rule, _AsleepRule) else _written([getattr(rule, name) for name in _RULE], ())


@cache
def _builtins() -> dict[object, tuple[str, str | Symbol]]:
    """Return what generated functions call and no module has a name for, by how it is found again."""
    from mayfly.mangle.builtins import FUNCTIONS, PREDICATES

    names = [("call", name) for name in FUNCTIONS] + [
        (kind, symbol) for symbol in PREDICATES for kind in ("test", "holds", "solve")
    ]
    found = {_builtin(*name): name for name in names}
    return {call: name for call, name in found.items() if "<" in getattr(call, "__qualname__", "")}


def _builtin(kind: str, name: Any) -> object:
    # Most rules compare texts at most: who evaluates them does not load the calendar, say.
    if kind == "call":
        from mayfly.mangle.builtins import FUNCTIONS

        return FUNCTIONS[name].call
    from mayfly.mangle.builtins._comparisons import COMPARISONS

    entry = COMPARISONS.get(name)
    if entry is None:
        from mayfly.mangle.builtins import PREDICATES

        entry = PREDICATES[name]
    found = getattr(entry, kind)
    if kind != "solve" or found is None:
        return found
    from mayfly.mangle.engine._write import all_solutions

    return all_solutions(found)


class _AsleepProgram(NamedTuple):
    """What passed the checks, as bytes until it is called for."""

    frozen: bytes
    rules: Sequence[CheckedRule]

    def __call__(self) -> CheckedProgram:
        found: CheckedProgram = _read(self.frozen, self.rules)
        return found


class _AsleepRule(CheckedRule):
    """A rule of which only the number and the place are known until more is asked for."""

    __slots__ = ("frozen", "where")

    def __init__(self, number: int, where: Place, frozen: bytes) -> None:
        self.number = number  # type: ignore[misc]
        self.where = where
        self.frozen = frozen

    @property
    def place(self) -> Place:
        """Where the rule begins."""
        return self.where

    def __getattr__(self, name: str) -> Any:
        if name not in _RULE:
            raise AttributeError(name)
        for field, value in zip(_RULE, _read(self.frozen, ()), strict=True):
            setattr(self, field, value)
        return object.__getattribute__(self, name)


class _Functions(dict[int, Made]):
    """The functions of a rule by kind, each made of bytes when it is first called for."""

    def __init__(self, frozen: dict[int, bytes], rules: Sequence[CheckedRule]) -> None:
        super().__init__()
        self.frozen = frozen
        self._rules = rules

    def get(self, kind: int, default: Any = None) -> Any:
        """Return a function that was made, by this process or an earlier one."""
        found = super().get(kind)
        if found is None and kind in self.frozen:
            code, defaults = _read(self.frozen[kind], self._rules)
            found = self[kind] = FunctionType(marshal.loads(code), {}, "rule", defaults)
        return default if found is None else found


def _brought(made: Mapping[int, Made]) -> dict[int, bytes]:
    return made.frozen if isinstance(made, _Functions) else {}


def _make_plan(state: dict[str, Any], frozen: dict[int, bytes], rules: Sequence[CheckedRule]) -> Plan:
    return Plan(**state, made=_Functions(frozen, rules))
