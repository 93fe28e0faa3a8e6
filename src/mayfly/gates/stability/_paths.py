"""Follow the paths through a function and see whether one of them ends."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mayfly.gates.stability._calls import Calls
from mayfly.gates.stability._found import Scope
from mayfly.gates.stability._growth import truth
from mayfly.gates.stability._scan import is_irrefutable

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
        found = (node for node in _walk(first) if isinstance(node, kinds))
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


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield *node* and all below it that is run when it is run: not the bodies of inner functions."""
    stack = [node]
    while stack:
        inner = stack.pop()
        yield inner
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(inner))
