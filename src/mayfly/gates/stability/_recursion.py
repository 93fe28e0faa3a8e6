"""Find functions that can only end by calling themselves, whether directly, through a method or through each other.

`Calls` resolves which function an expression calls, as far as the source says it; `Path` follows the paths through a
function and sees whether one of them ends.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mayfly.core import Verdict
from mayfly.gates.stability._growth import run_by, truth
from mayfly.gates.stability._scan import MODULE, Owner, Scan, Scope, is_irrefutable, reject

# What Python calls when a builtin is given the object itself.
_PROTOCOL = {
    "str": "__str__",
    "repr": "__repr__",
    "len": "__len__",
    "hash": "__hash__",
    "iter": "__iter__",
    "next": "__next__",
    "bool": "__bool__",
    "int": "__int__",
    "float": "__float__",
    "abs": "__abs__",
    "list": "__iter__",
    "tuple": "__iter__",
}


class Calls:
    """Resolve what an expression calls, as far as the source says it."""

    def __init__(self, scan: Scan) -> None:
        self._owners = scan.owners

    def of(self, scope: Scope) -> set[int]:
        """Return the functions that may be called directly in *scope*."""
        return {id(found) for node in (*scope.calls, *scope.reads) for found in self.targets(node, scope)}

    def targets(self, node: ast.AST, scope: Scope) -> Iterator[Scope]:
        """Yield the functions that evaluating *node* itself, not its parts, would call."""
        if isinstance(node, ast.Call):
            found = self._called(node, scope)
        elif isinstance(node, ast.Attribute):
            found = self._property(node, scope)
        elif isinstance(node, ast.FormattedValue):
            wanted = "__repr__" if node.conversion == ord("r") else "__str__"
            found = self._method(self._self(node.value, scope), wanted)
        else:
            return
        if found is not None:
            yield found

    def _called(self, call: ast.Call, scope: Scope) -> Scope | None:
        function = call.func
        if isinstance(function, ast.Name):
            local = _lookup(function.id, scope)
            if local is not None or function.id in scope.stored:
                return local
            if function.id in self._owners:
                return self._method(self._owners[function.id], "__init__")
            arguments = call.args[:1] if function.id in _PROTOCOL else []
            owner = self._self(arguments[0], scope) if arguments else None
            return self._method(owner, _PROTOCOL.get(function.id, ""))
        if isinstance(function, ast.Attribute):
            return self._method_of(function, scope)
        return None

    def _method_of(self, function: ast.Attribute, scope: Scope) -> Scope | None:
        value = function.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            if value.func.id == "super":
                owner = next((around.owner for around in scope.outwards() if around.owner), None)
                return self._inherited(owner, function.attr)
            return self._method(self._owners.get(value.func.id), function.attr)
        owner = self._self(value, scope)
        if owner is None and isinstance(value, ast.Name) and value.id not in scope.stored:
            owner = self._owners.get(value.id)
        return self._method(owner, function.attr)

    def _property(self, node: ast.Attribute, scope: Scope) -> Scope | None:
        owner = self._self(node.value, scope)
        if owner is None:
            return None
        if isinstance(node.ctx, ast.Store):
            return owner.setters.get(node.attr)
        return owner.methods.get(node.attr) if node.attr in owner.properties else None

    def _self(self, node: ast.expr, scope: Scope) -> Owner | None:
        """Return the class that *node* is an instance of, if it is the `self` of a method around."""
        if not isinstance(node, ast.Name):
            return None
        for around in scope.outwards():
            if around.first == node.id:
                return around.owner
            if node.id in around.stored:
                return None
        return None

    def _method(self, owner: Owner | None, name: str) -> Scope | None:
        if owner is None or not name:
            return None
        return owner.methods.get(name) or self._inherited(owner, name)

    def _inherited(self, owner: Owner | None, name: str) -> Scope | None:
        seen: set[str] = set()
        waiting = list(owner.bases) if owner else []
        while waiting:
            base = waiting.pop(0)
            found = self._owners.get(base.id) if isinstance(base, ast.Name) and base.id not in seen else None
            if found is None or not isinstance(base, ast.Name):
                continue
            seen.add(base.id)
            if name in found.methods:
                return found.methods[name]
            waiting.extend(found.bases)
        return None


def _lookup(name: str, scope: Scope) -> Scope | None:
    """Return the function that *name* means in *scope*, looking outwards; a variable of that name hides it."""
    for around in scope.outwards():
        if name in around.functions:
            return around.functions[name]
        if name in around.stored:
            return None
    return None


Ends = frozenset[str]
_NONE: Ends = frozenset()
_FALL: Ends = frozenset({"fall"})
_LEAVE: Ends = frozenset({"leave"})


class Path:
    """Follow the paths through one function that make none of the calls that do not end."""

    def __init__(self, scope: Scope, bad: set[int], calls: Calls) -> None:
        self._scope = scope
        self._bad = bad
        self._calls = calls

    def can_end(self) -> bool:
        """Whether some path returns, raises or reaches the end."""
        node = self._scope.node
        if isinstance(node, ast.Lambda):
            return self._evaluates(node.body)
        return bool(self._block(node.body) & {"fall", "leave"})

    def _block(self, statements: list[ast.stmt]) -> Ends:
        ends: Ends = _NONE
        for statement in statements:
            found = self._statement(statement)
            ends |= found - _FALL
            if "fall" not in found:
                return ends
        return ends | _FALL

    def _statement(self, node: ast.stmt) -> Ends:
        match node:
            case ast.If():
                return self._if(node)
            case ast.While() | ast.For() | ast.AsyncFor():
                return self._loop(node)
            case ast.Try() | ast.TryStar():
                return self._try(node)
            case ast.With() | ast.AsyncWith():
                return self._block(node.body) if self._all([item.context_expr for item in node.items]) else _NONE
            case ast.Match():
                return self._match(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return _FALL
            case ast.Break() | ast.Continue():
                return frozenset({type(node).__name__})
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        if not self._all(parts):
            return _NONE
        return _LEAVE if isinstance(node, (ast.Return, ast.Raise)) else _FALL

    def _if(self, node: ast.If) -> Ends:
        if not self._evaluates(node.test):
            return _NONE
        known = truth(node.test)
        body = self._block(node.body) if known is not False else _NONE
        return body | (self._block(node.orelse) if known is not True else _NONE)

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor) -> Ends:
        first = node.test if isinstance(node, ast.While) else node.iter
        if not self._evaluates(first):
            return _NONE
        body = self._block(node.body)
        ends = body & _LEAVE | (_FALL if "Break" in body else _NONE)
        endless = isinstance(node, ast.While) and truth(node.test) is True
        return ends if endless else ends | self._block(node.orelse)

    def _try(self, node: ast.Try | ast.TryStar) -> Ends:
        ends = self._block(node.body)
        if "fall" in ends and node.orelse:
            ends = (ends - _FALL) | self._block(node.orelse)
        if self._may_raise(node.body[0]):
            for handler in node.handlers:
                ends |= self._block(handler.body)
        final = self._block(node.finalbody)
        return ends | (final - _FALL) if "fall" in final else final

    def _may_raise(self, first: ast.stmt) -> bool:
        """Whether something in the first statement can fail before it makes a call that does not end."""
        kinds = (ast.Call, ast.Subscript, ast.Raise, ast.Assert)
        found = (node for node in run_by([first]) if isinstance(node, kinds))
        return any(not self._is_bad(node) for node in found)

    def _match(self, node: ast.Match) -> Ends:
        if not self._evaluates(node.subject):
            return _NONE
        ends: Ends = _NONE if any(is_irrefutable(case) for case in node.cases) else _FALL
        for case in node.cases:
            if case.guard is None or self._evaluates(case.guard):
                ends |= self._block(case.body)
        return ends

    def _all(self, parts: Iterable[ast.expr]) -> bool:
        return all(self._evaluates(part) for part in parts)

    def _evaluates(self, node: ast.AST) -> bool:
        """Whether *node* can be evaluated without a call that does not end."""
        match node:
            case ast.BoolOp():
                return self._evaluates(node.values[0])
            case ast.IfExp():
                return self._evaluates(node.test) and (self._evaluates(node.body) or self._evaluates(node.orelse))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._evaluates(node.generators[0].iter)
            case ast.Lambda():
                return True
        return not self._is_bad(node) and all(self._evaluates(part) for part in ast.iter_child_nodes(node))

    def _is_bad(self, node: ast.AST) -> bool:
        return any(id(found) in self._bad for found in self._calls.targets(node, self._scope))


def check_recursion(scan: Scan) -> Iterator[Verdict]:
    """Yield a verdict for each function that no path leaves without calling it again."""
    calls = Calls(scan)
    edges = {id(scope): calls.of(scope) for scope in scan.scopes if scope.name != MODULE}
    scopes = {id(scope): scope for scope in scan.scopes}
    for group in _cycles(edges):
        stuck = _stuck([scopes[key] for key in group], calls)
        if stuck:
            yield _verdict(stuck)


def _verdict(stuck: list[Scope]) -> Verdict:
    stuck = sorted(stuck, key=lambda scope: scope.line)
    listed = " and ".join(scope.name for scope in stuck)
    how = "calls itself" if len(stuck) == 1 else "call each other"
    return reject(
        code="RECURSION",
        message=f"recursion without a base case: {listed} {how} on every path",
        measured=listed,
        line=stuck[0].line,
        fix="return a value for the smallest input before calling again",
    )


def _stuck(group: list[Scope], calls: Calls) -> list[Scope]:
    """Return the functions of *group* that never end: take away those that end, until nothing changes."""
    never = list(group)
    while never:
        bad = {id(scope) for scope in never}
        ending = [scope for scope in never if Path(scope, bad, calls).can_end()]
        if not ending:
            break
        never = [scope for scope in never if scope not in ending]
    return never


def _cycles(edges: dict[int, set[int]]) -> list[list[int]]:
    """Return the groups of functions that reach each other, by Tarjan's algorithm without recursion."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    held: list[int] = []
    groups: list[list[int]] = []
    for root in edges:
        work = [(root, iter(sorted(edges[root] & edges.keys())))] if root not in order else []
        while work:
            key, rest = work[-1]
            if key not in order:
                order[key] = low[key] = len(order)
                held.append(key)
            following = next(rest, None)
            if following is None:
                work.pop()
                _close(key, order, low, held, groups)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[key])
            elif following not in order:
                work.append((following, iter(sorted(edges[following] & edges.keys()))))
            elif following in held:
                low[key] = min(low[key], order[following])
    return [group for group in groups if len(group) > 1 or group[0] in edges[group[0]]]


def _close(key: int, order: dict[int, int], low: dict[int, int], held: list[int], groups: list[list[int]]) -> None:
    if low[key] == order[key]:
        at = held.index(key)
        groups.append(held[at:])
        del held[at:]
