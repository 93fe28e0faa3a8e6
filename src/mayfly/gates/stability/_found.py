"""What a walk over a tree finds: functions, classes, choices, names, each in its list."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar, cast

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Loop = ast.For | ast.AsyncFor | ast.While
Node = TypeVar("Node", bound=ast.AST)
MODULE = "the module"


@dataclass(kw_only=True, eq=False)
class Owner:
    """Note one class: its bases by name, and its functions by name."""

    name: str
    bases: list[ast.expr]
    methods: dict[str, Scope] = field(default_factory=dict)
    setters: dict[str, Scope] = field(default_factory=dict)
    properties: set[str] = field(default_factory=set)


@dataclass(kw_only=True, eq=False)
class Scope:
    """Note one function, or the module, and what stands directly in it."""

    node: ast.Module | Function | ast.Lambda
    name: str
    parent: Scope | None = None
    owner: Owner | None = None
    first: str = ""
    complexity: int = 1
    loop_depth: int = 0
    stored: set[str] = field(default_factory=set)
    functions: dict[str, Scope] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)
    assigned: list[ast.Name] = field(default_factory=list)
    reads: list[ast.Attribute | ast.FormattedValue] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)

    @property
    def line(self) -> int:
        """The line on which it starts."""
        return 1 if isinstance(self.node, ast.Module) else self.node.lineno


class Arms(NamedTuple):
    """Count the ways out of one choice."""

    number: int
    node: ast.stmt | ast.expr
    scope: Scope


class Use(NamedTuple):
    """Note a name that is read, and where."""

    node: ast.Name
    scope: Scope


@dataclass(kw_only=True, eq=False)
class Scan:
    """Hold what one walk over a tree has found."""

    module: Scope
    scopes: list[Scope] = field(default_factory=list)
    owners: dict[str, Owner] = field(default_factory=dict)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    choices: list[Arms] = field(default_factory=list)
    names: list[Use] = field(default_factory=list)
    attributes: list[ast.Attribute] = field(default_factory=list)
    aliases: list[tuple[str, ast.expr]] = field(default_factory=list)
    comprehensions: list[Comprehension] = field(default_factory=list)
    classes_matched: list[ast.MatchClass] = field(default_factory=list)
    templates: list[ast.Constant] = field(default_factory=list)
    dunder_strings: list[ast.Constant] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    kinds: defaultdict[type[ast.AST], list[ast.AST]] = field(default_factory=lambda: defaultdict(list))
    nodes: int = 0
    max_blocks: int = 0
    continued: set[int] = field(default_factory=set)
    lambdas: dict[int, str] = field(default_factory=dict)

    def of(self, kind: type[Node]) -> list[Node]:
        """Return the nodes of exactly this type, in no order."""
        return cast("list[Node]", self.kinds.get(kind, []))


class Place(NamedTuple):
    """Say where in the tree a node is."""

    scope: Scope
    owner: Owner | None = None
    blocks: int = 0
    loops: int = 0
