"""A compiled program as bytes and back, to be kept from one process to the next.

An evaluation needs a small part of a program, so most of it comes back asleep: each rule, relation and function is
bytes until somebody touches it. To read such bytes is to run what they say: hand in only what is sure to be `freeze`'s.
"""

import marshal
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from io import BytesIO
from threading import Lock
from types import FunctionType, MappingProxyType
from typing import Any, NamedTuple

from mayfly.mangle._checked import Checked, Rule
from mayfly.mangle._collector import paused
from mayfly.mangle._symbols import Place, Symbol
from mayfly.mangle.engine._base import Base
from mayfly.mangle.engine._layout import Layout
from mayfly.mangle.engine._plan import Made, Plan
from mayfly.mangle.engine._program import Program
from mayfly.mangle.engine._relation import Relation

_PACKAGE = __name__.partition(".engine.")[0]
_PROTOCOL = 5
_RULE: tuple[str, ...] = Rule.__slots__  # type: ignore[attr-defined]


def freeze(program: Program) -> bytes:
    """Return *program* with the functions it has made so far and what it has found to follow from its own facts."""
    with paused():
        rules, checked = program.rules, program._checked
        texts = [_rule_text(rule) for rule in rules]
        whole = checked.frozen if isinstance(checked, _Asleep) else _written(checked, rules)
        return pickle.dumps((texts, whole, _written({**vars(program), "_checked": None}, rules)), _PROTOCOL)


def thaw(data: bytes) -> Program:
    """Return the program that `freeze` was given."""
    with paused():
        texts, whole, state = pickle.loads(data)
        rules = tuple(
            _asleep(_AsleepRule, number=number, where=Place(*where), frozen=text)
            for number, (where, text) in enumerate(texts)
        )
        program = object.__new__(Program)
        vars(program).update(_read(state, rules), _checked=_Asleep(whole, rules))
        return program


def functions(program: Program) -> int:
    """Return how many functions the program has made or brought along; where these have grown, freeze it again."""
    return sum(len(_frozen(plan.made).keys() | plan.made.keys()) for plan in program._layout.plans)


class _Writer(pickle.Pickler):
    """Write a part of a program; its rules are written elsewhere, once, and here by their numbers."""

    def __init__(self, file: BytesIO, rules: Sequence[Rule]) -> None:
        super().__init__(file, _PROTOCOL)
        self._rules = rules
        self.dispatch_table = {
            **dict.fromkeys(_nodes(), lambda thing: (_dataclass, (_kind(thing), *_values(thing)))),
            Plan: lambda plan: (_plan, (_state(plan), self._functions(plan.made), rules)),
            # What aggregates and deferred predicates are evaluated with is made again.
            Layout: lambda layout: (_layout, (_laid_out(layout),)),
            Base: lambda base: (_base, ({**vars(base), "_lock": None},)),
            **dict.fromkeys(
                (Relation, _AsleepRelation), lambda one: (_relation, (one.settled, self._rows(one), rules))
            ),
            MappingProxyType: lambda proxy: (_proxy, (dict(proxy),)),
        }

    def persistent_id(self, thing: object) -> object:
        if thing is self._rules:
            return "rules"
        if type(thing) is FunctionType:
            return _builtins().get(thing)
        if isinstance(thing, Rule) and thing.number < len(self._rules) and self._rules[thing.number] is thing:
            return thing.number
        return None

    def _functions(self, made: Mapping[int, Made]) -> dict[int, bytes]:
        new = {kind: self._function(function) for kind, function in made.items() if kind not in _frozen(made)}
        return {**_frozen(made), **{kind: frozen for kind, frozen in new.items() if frozen is not None}}

    def _function(self, function: Any) -> bytes | None:
        """Return a generated function; None for one in several parts, or with something in it that has no name."""
        if any(name.startswith("part") for name in function.__code__.co_names):
            return None
        try:
            return _written((marshal.dumps(function.__code__), function.__defaults__), self._rules)
        except (pickle.PicklingError, AttributeError, TypeError):
            return None

    def _rows(self, relation: Relation) -> bytes:
        return relation.frozen if isinstance(relation, _AsleepRelation) else _written(relation.rows, self._rules)


class _Reader(pickle.Unpickler):
    """Read a part of a program; nothing from outside this package has a place in it."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
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


def _rule_text(rule: Rule) -> tuple[tuple[str, int, int], bytes]:
    text = rule.frozen if isinstance(rule, _AsleepRule) else _written(_values(rule), ())
    return tuple(rule.place), text  # type: ignore[return-value]


def _written(thing: object, rules: Sequence[Rule]) -> bytes:
    file = BytesIO()
    _Writer(file, rules).dump(thing)
    return file.getvalue()


def _read(data: bytes, rules: Sequence[Rule]) -> Any:
    return _Reader(data, rules).load()


@cache
def _nodes() -> tuple[type, ...]:
    """Return the frozen dataclasses that programs are made of."""
    from mayfly.mangle import _ast, _checked
    from mayfly.mangle.engine import _plan

    everything = (found for module in (_ast, _checked, _plan) for found in vars(module).values())
    return (*(found for found in everything if isinstance(found, type) and is_dataclass(found)), _AsleepRule)


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
    from mayfly.mangle.builtins import FUNCTIONS, PREDICATES
    from mayfly.mangle.engine._write import all_solutions

    found = getattr(FUNCTIONS[name] if kind == "call" else PREDICATES[name], kind)
    return all_solutions(found) if kind == "solve" and found is not None else found


class _Asleep(NamedTuple):
    """What passed the checks, until somebody asks for it."""

    frozen: bytes
    rules: Sequence[Rule]

    def __call__(self) -> Checked:
        found: Checked = _read(self.frozen, self.rules)
        return found


class _AsleepRule(Rule):
    """A rule of which only the number and the place are known until more is asked for."""

    __slots__ = ("frozen", "where")
    frozen: bytes
    where: Place

    @property
    def place(self) -> Place:
        """Where the rule begins."""
        return self.where

    def __getattr__(self, name: str) -> Any:
        if name not in _RULE:
            raise AttributeError(name)
        _fill(self, _RULE, _read(self.frozen, ()))
        return object.__getattribute__(self, name)


class _AsleepRelation(Relation):
    """A relation of which only the number of rows is known until one is wanted; nobody adds to it."""

    __slots__ = ("frozen", "rules")
    frozen: bytes
    rules: Sequence[Rule]

    def __getattr__(self, name: str) -> Any:
        if name != "rows":
            raise AttributeError(name)
        self.rows = _read(self.frozen, self.rules)
        return self.rows


class _Functions(dict[int, Made]):
    """The functions of a rule by kind, each made of bytes when it is first called for."""

    def __init__(self, frozen: dict[int, bytes], rules: Sequence[Rule]) -> None:
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


def _frozen(made: Mapping[int, Made]) -> dict[int, bytes]:
    return made.frozen if isinstance(made, _Functions) else {}


def _state(plan: Plan) -> dict[str, Any]:
    """Return all that is known of a rule, also what is found out when it is first needed."""
    return {**vars(plan), "starts": plan.starts, "lazy": plan.lazy, "made": None}


def _plan(state: dict[str, Any], frozen: dict[int, bytes], rules: Sequence[Rule]) -> Plan:
    plan = object.__new__(Plan)
    vars(plan).update(state, made=_Functions(frozen, rules))
    return plan


def _laid_out(layout: Layout) -> dict[str, Any]:
    for readers in layout.readers:
        readers.arrange()
    return {**vars(layout), "_groupings": {}, "_asked": {}}


def _layout(state: dict[str, Any]) -> Layout:
    layout = object.__new__(Layout)
    vars(layout).update(state)
    return layout


def _base(state: dict[str, Any]) -> Base:
    base = object.__new__(Base)
    vars(base).update(state, _lock=Lock())
    return base


def _relation(size: int, frozen: bytes, rules: Sequence[Rule]) -> Relation:
    known = {"settled": size, "weighed": size, "indices": {}, "_extend": {}, "_upto": {}}
    asleep: Relation = _asleep(_AsleepRelation, frozen=frozen, rules=rules, **known)
    return asleep


def _proxy(mapping: dict[Any, Any]) -> Any:
    return MappingProxyType(mapping)


def _dataclass(kind: type, *values: object) -> Any:
    return _fill(object.__new__(kind), kind.__slots__, values)  # type: ignore[attr-defined]


def _asleep(kind: type, **known: object) -> Any:
    return _fill(object.__new__(kind), known, known.values())


def _kind(thing: object) -> type:
    return Rule if isinstance(thing, Rule) else type(thing)


def _values(thing: Any) -> tuple[object, ...]:
    return tuple(getattr(thing, field) for field in thing.__dataclass_fields__)


def _fill(thing: object, names: Any, values: Any) -> Any:
    for name, value in zip(names, values, strict=True):
        object.__setattr__(thing, name, value)
    return thing
