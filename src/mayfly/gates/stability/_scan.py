"""Look at every node of a tree once, and sort what the checks need into lists; say what they find in one form."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar, cast

from mayfly.core import Verdict

GATE = "stability"

reject = partial(Verdict, gate=GATE, decision="reject")
revise = partial(Verdict, gate=GATE, decision="revise")


def line_of(node: ast.AST) -> int:
    """Return the line of *node*, or the first for one that has none."""
    line = getattr(node, "lineno", 1)
    return line if isinstance(line, int) else 1


def called_name(call: ast.Call) -> str:
    """Return the last name of what is called."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


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

    def outwards(self) -> Iterator[Scope]:
        """Yield this scope and those around it, the innermost first."""
        around: Scope | None = self
        while around is not None:
            yield around
            around = around.parent


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
    choices: list[Arms] = field(default_factory=list)
    names: list[Use] = field(default_factory=list)
    aliases: list[tuple[str, ast.expr]] = field(default_factory=list)
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

    @property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """The imports of both forms."""
        return [*self.of(ast.Import), *self.of(ast.ImportFrom)]

    @property
    def texts(self) -> Iterator[tuple[str, ast.Constant]]:
        """Every literal text and its node."""
        return ((node.value, node) for node in self.of(ast.Constant) if isinstance(node.value, str))


class Place(NamedTuple):
    """Say where in the tree a node is."""

    scope: Scope
    owner: Owner | None = None
    blocks: int = 0
    loops: int = 0


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
# These parts of a node are evaluated once, outside of what the node opens.
_OUTER = frozenset({"decorator_list", "iter", "generators"})


def scan(tree: ast.Module) -> Scan:
    """Walk *tree* without recursion, so that no depth of it is too deep."""
    module = Scope(node=tree, name=MODULE)
    found = Scan(module=module, scopes=[module])
    stack: list[tuple[ast.AST, Place]] = [(tree, Place(scope=module))]
    while stack:
        node, place = stack.pop()
        found.nodes += 1
        found.kinds[type(node)].append(node)
        visit = _VISITORS.get(type(node))
        inner = visit(found, node, place) if visit else place
        for name in node._fields:
            value = getattr(node, name, None)
            there = place if name in _OUTER else inner
            if isinstance(value, list):
                stack.extend([(item, there) for item in value if isinstance(item, ast.AST)])
            elif isinstance(value, ast.AST):
                stack.append((value, there))
    return found


def is_bounded(iterable: ast.expr) -> bool:
    """Whether the number of turns is written in the source: a literal, or a range of numbers."""
    if isinstance(iterable, (*_DISPLAYS, ast.Constant)):
        return True
    called = iterable.func if isinstance(iterable, ast.Call) else None
    ranged = isinstance(called, ast.Name) and called.id in {"range", "enumerate", "reversed", "sorted", "zip"}
    return ranged and isinstance(iterable, ast.Call) and all(is_bounded(argument) for argument in iterable.args)


def _function(found: Scan, node: Function, place: Place) -> Place:
    arguments = [*node.args.posonlyargs, *node.args.args]
    scope = Scope(node=node, name=node.name, parent=place.scope, owner=place.owner)
    scope.first = arguments[0].arg if arguments and place.owner and not _decorated(node, "staticmethod") else ""
    found.scopes.append(scope)
    found.defined.add(node.name)
    if place.owner:
        _method(place.owner, scope, node)
    else:
        place.scope.functions[node.name] = scope
    return Place(scope=scope)


def _method(owner: Owner, scope: Scope, node: Function) -> None:
    if _decorated(node, "setter"):
        owner.setters[node.name] = scope
        return
    if _decorated(node, "property", "cached_property"):
        owner.properties.add(node.name)
    owner.methods[node.name] = scope


def _decorated(node: Function, *names: str) -> bool:
    found = (d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "") for d in node.decorator_list)
    return any(name in names for name in found)


def _lambda(found: Scan, node: ast.Lambda, place: Place) -> Place:
    name = found.lambdas.get(id(node))
    if name is None or place.owner:
        return place
    scope = Scope(node=node, name=name, parent=place.scope)
    found.scopes.append(scope)
    place.scope.functions[name] = scope
    return Place(scope=scope)


def _class(found: Scan, node: ast.ClassDef, place: Place) -> Place:
    owner = Owner(name=node.name, bases=node.bases)
    found.owners[node.name] = owner
    found.defined.add(node.name)
    return place._replace(owner=owner)


def _import(found: Scan, node: ast.Import | ast.ImportFrom, place: Place) -> Place:
    place.scope.stored.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    return place


def _if(found: Scan, node: ast.If, place: Place) -> Place:
    place.scope.complexity += 1
    if id(node) in found.continued:
        return place
    found.choices.append(Arms(_arms(found, node), node, place.scope))
    return _block(found, node, place)


def _arms(found: Scan, node: ast.If) -> int:
    count = 1
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        found.continued.add(id(node))
        count += 1
    return count + bool(node.orelse)


def _conditional(found: Scan, node: ast.IfExp, place: Place) -> Place:
    place.scope.complexity += 1
    if id(node) not in found.continued:
        count, last = 2, node
        while isinstance(last.orelse, ast.IfExp):
            last = last.orelse
            found.continued.add(id(last))
            count += 1
        found.choices.append(Arms(count, node, place.scope))
    return place


def _match(found: Scan, node: ast.Match, place: Place) -> Place:
    found.choices.append(Arms(len(node.cases), node, place.scope))
    place.scope.complexity += sum(not is_irrefutable(case) for case in node.cases)
    return _block(found, node, place)


def is_irrefutable(case: ast.match_case) -> bool:
    """Whether *case* takes whatever comes: `case _:` or `case name:` without a guard."""
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def _loop(found: Scan, node: Loop, place: Place) -> Place:
    place.scope.complexity += 1
    place.scope.loops.append(node)
    grows = isinstance(node, ast.While) or not is_bounded(node.iter)
    return _deeper(_block(found, node, place), int(grows))


def _comprehension(found: Scan, node: Comprehension, place: Place) -> Place:
    place.scope.complexity += len(node.generators)
    return _deeper(place, sum(not is_bounded(generator.iter) for generator in node.generators))


def _deeper(place: Place, loops: int) -> Place:
    inner = place._replace(loops=place.loops + loops)
    inner.scope.loop_depth = max(inner.scope.loop_depth, inner.loops)
    return inner


def _branch(found: Scan, node: ast.AST, place: Place) -> Place:
    place.scope.complexity += 1
    return _block(found, node, place)


def _handler(found: Scan, node: ast.ExceptHandler, place: Place) -> Place:
    place.scope.complexity += 1
    place.scope.stored.add(node.name or "")
    return place


def _block(found: Scan, node: ast.AST, place: Place) -> Place:
    found.max_blocks = max(found.max_blocks, place.blocks + 1)
    return place._replace(blocks=place.blocks + 1)


def _operands(found: Scan, node: ast.BoolOp, place: Place) -> Place:
    place.scope.complexity += len(node.values) - 1
    return place


def _call(found: Scan, node: ast.Call, place: Place) -> Place:
    place.scope.calls.append(node)
    return place


def _name(found: Scan, node: ast.Name, place: Place) -> Place:
    if isinstance(node.ctx, ast.Load):
        found.names.append(Use(node, place.scope))
        return place
    place.scope.stored.add(node.id)
    found.defined.add(node.id)
    if isinstance(node.ctx, ast.Del):
        found.deleted.add(node.id)
    return place


def _attribute(found: Scan, node: ast.Attribute, place: Place) -> Place:
    if isinstance(node.value, ast.Name):
        place.scope.reads.append(node)
    if isinstance(node.ctx, ast.Store):
        found.defined.add(node.attr)
    return place


def _formatted(found: Scan, node: ast.FormattedValue, place: Place) -> Place:
    place.scope.reads.append(node)
    return place


def _arguments(found: Scan, node: ast.arguments, place: Place) -> Place:
    positional = [*node.posonlyargs, *node.args]
    given = zip(reversed(positional), reversed(node.defaults), strict=False)
    found.aliases.extend((argument.arg, value) for argument, value in given)
    named = zip(node.kwonlyargs, node.kw_defaults, strict=True)
    found.aliases.extend((argument.arg, value) for argument, value in named if value)
    return place


def _assign(found: Scan, node: ast.Assign, place: Place) -> Place:
    for target in node.targets:
        _bind(found, target, node.value)
        _note(target, place)
    return place


def _bind(found: Scan, target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name):
        found.aliases.append((target.id, value))
        if isinstance(value, ast.Lambda):
            found.lambdas[id(value)] = target.id
    elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for one, other in zip(target.elts, value.elts, strict=False):
            _bind(found, one, other)


def _declared(found: Scan, node: ast.AnnAssign | ast.NamedExpr, place: Place) -> Place:
    if node.value is not None:
        _bind(found, node.target, node.value)
        _note(node.target, place)
    return place


def _note(target: ast.expr, place: Place) -> None:
    if isinstance(target, ast.Name) and place.owner is None:
        place.scope.assigned.append(target)


def _bound(found: Scan, node: ast.arg | ast.MatchAs | ast.MatchStar, place: Place) -> Place:
    place.scope.stored.add(node.arg if isinstance(node, ast.arg) else node.name or "")
    return place


_Visitor = Callable[[Scan, ast.AST, Place], Place]
_TABLE: dict[tuple[type[ast.AST], ...], Callable[..., Place]] = {
    _FUNCTIONS: _function,
    (ast.Lambda,): _lambda,
    (ast.ClassDef,): _class,
    (ast.Import, ast.ImportFrom): _import,
    (ast.If,): _if,
    (ast.IfExp,): _conditional,
    (ast.Match,): _match,
    (ast.For, ast.AsyncFor, ast.While): _loop,
    (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp): _comprehension,
    (ast.With, ast.AsyncWith): _branch,
    (ast.Try, ast.TryStar): _block,
    (ast.ExceptHandler,): _handler,
    (ast.BoolOp,): _operands,
    (ast.Call,): _call,
    (ast.Name,): _name,
    (ast.Attribute,): _attribute,
    (ast.FormattedValue,): _formatted,
    (ast.arguments,): _arguments,
    (ast.Assign,): _assign,
    (ast.AnnAssign, ast.NamedExpr): _declared,
    (ast.arg, ast.MatchAs, ast.MatchStar): _bound,
}
_VISITORS: dict[type[ast.AST], _Visitor] = {kind: visit for kinds, visit in _TABLE.items() for kind in kinds}
