"""Find loops that have no way out, and estimate how the work grows with the input."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mayfly.core import Verdict, clipped
from mayfly.gates.stability._scan import Scan, Scope, called_name, line_of, reject, revise

MAX_GROWTH = 3
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
# Lazy functions that never end if what they are given never ends.
_PASSING = frozenset(
    {"enumerate", "map", "filter", "chain", "accumulate", "starmap", "filterfalse", "pairwise", "iter"}
)
_CONSUMING = frozenset({"list", "tuple", "set", "frozenset", "sum", "sorted", "max", "min", "dict", "deque", "len"})
_TYPES = frozenset({"int", "float", "str", "bytes", "bool", "list", "dict", "set", "tuple", "object", "complex"})
_GROWING = frozenset({"append", "extend", "insert", "appendleft"})
# Functions that change nothing they are given.
_PURE = frozenset(
    {"abs", "all", "any", "bool", "dict", "float", "int", "isinstance", "len", "list", "max", "min", "ord", "print"}
    | {"range", "repr", "round", "set", "sorted", "str", "sum", "tuple", "type"}
)
_LEAVING = frozenset({"exit", "_exit", "quit", "abort"})


def check_loops(scan: Scan) -> Iterator[Verdict]:
    """Yield a verdict for each loop and each iteration that nothing ends."""
    endless = _Endless(scan)
    for scope in scan.scopes:
        for loop in scope.loops:
            yield from _while(loop, scope) if isinstance(loop, ast.While) else _for(loop, scope, endless)
    for call in scan.of(ast.Call):
        name = called_name(call)
        if name in _CONSUMING and call.args and isinstance(call.func, ast.Name) and endless(call.args[0]):
            yield _verdict(f"{name} of an endless iteration never ends", call)
    made: list[ast.ListComp | ast.SetComp | ast.DictComp]
    made = [*scan.of(ast.ListComp), *scan.of(ast.SetComp), *scan.of(ast.DictComp)]
    for node in made:
        if any(endless(part.iter) for part in node.generators):
            yield _verdict("the comprehension runs over an endless iteration", node)


def growth_of(scan: Scan, *, unbounded: bool) -> str:
    """Return how the work grows, judged by how deeply loops are nested."""
    if unbounded:
        return "unbounded"
    depth = max(scope.loop_depth for scope in scan.scopes)
    return ("O(1)", "O(n)")[depth] if depth < 2 else f"O(n^{depth})"


def check_growth(scan: Scan) -> Iterator[Verdict]:
    """Ask for a simpler way where loops are nested more than three deep."""
    for scope in scan.scopes:
        if scope.loop_depth > MAX_GROWTH:
            yield revise(
                code="GROWTH",
                message=f"work grows with O(n^{scope.loop_depth}) > O(n^{MAX_GROWTH}) in {scope.name}",
                measured=scope.loop_depth,
                limit=MAX_GROWTH,
                line=scope.line,
                fix="index what the inner loops look for",
            )


def truth(node: ast.expr) -> bool | None:
    """Return whether *node* is always true or always false, or None where that depends."""
    match node:
        case ast.Constant():
            return bool(node.value)
        case ast.UnaryOp(op=ast.Not()):
            inner = truth(node.operand)
            return None if inner is None else not inner
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return truth(node.operand)
        case ast.Tuple() | ast.List() | ast.Set():
            return bool(node.elts) if not any(isinstance(part, ast.Starred) for part in node.elts) else None
        case ast.Lambda():
            return True
        case ast.BoolOp():
            return _joined(node)
        case ast.Compare(left=ast.Constant(), ops=[_], comparators=[ast.Constant()]):
            return _compared(node)
        case ast.NamedExpr():
            return truth(node.value)
    return None


def _joined(node: ast.BoolOp) -> bool | None:
    values = [truth(value) for value in node.values]
    settles = isinstance(node.op, ast.Or)
    if settles in values:
        return settles
    return None if None in values else not settles


def _compared(node: ast.Compare) -> bool | None:
    left, right = node.left, node.comparators[0]
    if not (isinstance(left, ast.Constant) and isinstance(right, ast.Constant)):
        return None
    same = left.value == right.value
    match node.ops[0]:
        case ast.Eq() | ast.Is():
            return same
        case ast.NotEq() | ast.IsNot():
            return not same
        case ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE():
            return _ordered(left.value, right.value, node.ops[0])
    return None


def _ordered(left: object, right: object, op: ast.cmpop) -> bool | None:
    if not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
        return None
    if left == right:
        return isinstance(op, (ast.LtE, ast.GtE))
    return (left < right) == isinstance(op, (ast.Lt, ast.LtE))


def _while(loop: ast.While, scope: Scope) -> Iterator[Verdict]:
    if _leaves(loop.body):
        return
    if truth(loop.test) is True:
        if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in run_by(loop.body)):
            yield _verdict(f"the generator {scope.name} never ends", loop, soft=True)
        elif not _is_left_by_error(loop, scope):
            yield _verdict(f"while {ast.unparse(loop.test)} has no break, return or raise of its own", loop)
    elif truth(loop.test) is None and not _may_change(loop.test, loop.body, scope):
        message = f"nothing in the loop changes its condition {clipped(ast.unparse(loop.test), 60)}"
        yield _verdict(message, loop, soft=True)


def _is_left_by_error(loop: ast.While, scope: Scope) -> bool:
    """Whether a `try` around the loop waits for what is called in it to fail, as in emptying a container."""
    fails = any(isinstance(node, (ast.Call, ast.Subscript)) for node in run_by(loop.body))
    tries = (node for node in ast.walk(scope.node) if fails and isinstance(node, ast.Try) and node.handlers)
    return any(inner is loop for node in tries for inner in run_by(node.body))


def _for(loop: ast.For | ast.AsyncFor, scope: Scope, endless: _Endless) -> Iterator[Verdict]:
    if _leaves(loop.body):
        return
    if endless(loop.iter):
        soft = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in run_by(loop.body))
        yield _verdict(f"the loop over {clipped(ast.unparse(loop.iter), 60)} has no way out", loop, soft=soft)
    elif isinstance(loop.iter, ast.Name) and any(_feeds(statement, loop.iter.id) for statement in loop.body):
        yield _verdict(f"the loop lengthens {loop.iter.id}, over which it runs", loop, soft=True)


def _feeds(statement: ast.stmt, name: str) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _GROWING
        and isinstance(function.value, ast.Name)
        and function.value.id == name
    )


def _verdict(message: str, node: ast.AST, *, soft: bool = False) -> Verdict:
    make = revise if soft else reject
    return make(
        code="LOOP", message=message, line=line_of(node), fix="bound the loop, or leave it with break or return"
    )


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether something in *body* leaves the loop around it; the break of an inner loop does not."""
    stack: list[tuple[ast.AST, bool]] = [(statement, True) for statement in body]
    while stack:
        node, ours = stack.pop()
        if isinstance(node, (ast.Return, ast.Raise)) or (ours and isinstance(node, ast.Break)):
            return True
        if isinstance(node, ast.Call) and called_name(node) in _LEAVING:
            return True
        if isinstance(node, _INNER):
            continue
        if isinstance(node, ast.If) and truth(node.test) is not None:
            stack.extend((inner, ours) for inner in (node.body if truth(node.test) else node.orelse))
        elif isinstance(node, _LOOPS):
            stack.extend((inner, False) for inner in node.body)
            stack.extend((inner, ours) for inner in node.orelse)
        else:
            stack.extend((inner, ours) for inner in ast.iter_child_nodes(node))
    return False


def run_by(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all that is run when *body* is run."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _INNER):
            stack.extend(ast.iter_child_nodes(node))


def _may_change(test: ast.expr, body: list[ast.stmt], scope: Scope) -> bool:
    """Whether the condition could come out differently after *body* has run."""
    parts = list(ast.walk(test))
    if any(isinstance(part, (ast.Await, ast.NamedExpr, ast.Yield)) or _acts(part) for part in parts):
        return True
    wanted = {part.id for part in parts if isinstance(part, ast.Name)} - _PURE
    reaches = any(isinstance(part, (ast.Attribute, ast.Subscript)) for part in parts)
    foreign = not wanted <= scope.stored
    for node in run_by(body):
        if (foreign or reaches) and (_acts(node) or isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom))):
            return True
        if wanted & _changed_by(node):
            return True
    return False


def _changed_by(node: ast.AST) -> set[str]:
    """Return the names that *node* binds, or whose objects it may change."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return {node.id}
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return _names_in(node.value)
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        given = [*node.args, *(keyword.value for keyword in node.keywords)] if _acts(node) else []
        return {name for part in (*receiver, *given) for name in _names_in(part)}
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return {node.name or ""}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    # A function defined in the loop may change what is around it.
    return {name for inner in ast.walk(node) for name in _outer(inner)} if isinstance(node, _INNER) else set()


def _outer(node: ast.AST) -> list[str]:
    return node.names if isinstance(node, (ast.Nonlocal, ast.Global)) else []


def _acts(node: ast.AST) -> bool:
    """Whether *node* is a call that may change something."""
    return isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _PURE)


def _names_in(node: ast.AST) -> set[str]:
    """Return the names in *node*, but not those that only say which item is meant."""
    if isinstance(node, ast.Subscript):
        return _names_in(node.value)
    inner = {name for part in ast.iter_child_nodes(node) for name in _names_in(part)}
    return inner | {node.id} if isinstance(node, ast.Name) else inner


class _Endless:
    """Tell expressions that never run out: `itertools.count()`, `iter(int, 1)`, and what is made of them."""

    def __init__(self, scan: Scan) -> None:
        self._named: dict[str, str] = {}
        self._modules: set[str] = set()
        for node in scan.imports:
            for alias in node.names:
                if isinstance(node, ast.ImportFrom) and node.module == "itertools":
                    self._named[alias.asname or alias.name] = alias.name
                elif isinstance(node, ast.Import) and alias.name == "itertools":
                    self._modules.add(alias.asname or alias.name)

    def __call__(self, node: ast.expr) -> bool:
        if isinstance(node, ast.GeneratorExp):
            return any(self(part.iter) for part in node.generators)
        if not isinstance(node, ast.Call):
            return False
        name = self._function(node.func)
        if name in {"count", "cycle"}:
            return True
        if name == "repeat":
            return len(node.args) == 1 and not node.keywords
        if name == "iter" and len(node.args) == 2:
            made = node.args[0]
            constant = isinstance(made, ast.Lambda) and isinstance(made.body, ast.Constant)
            return constant or (isinstance(made, ast.Name) and made.id in _TYPES)
        if name == "zip":
            return bool(node.args) and all(self(argument) for argument in node.args)
        return name in _PASSING and any(self(argument) for argument in node.args)

    def _function(self, node: ast.expr) -> str:
        """Return the plain name of what is called, if it is a builtin or comes from itertools."""
        if isinstance(node, ast.Name):
            found = self._named.get(node.id, node.id)
            return found if node.id in self._named or found not in {"count", "cycle", "repeat"} else ""
        module = node.value if isinstance(node, ast.Attribute) else None
        known = isinstance(module, ast.Name) and module.id in self._modules
        return node.attr if known and isinstance(node, ast.Attribute) else ""
