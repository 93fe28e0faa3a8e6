"""Resolve which function of a source an expression calls, as far as the source says it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mayfly.gates.stability._found import Owner, Scan, Scope

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
                return self._inherited(_owner(scope), function.attr)
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
        around: Scope | None = scope
        while around is not None and isinstance(node, ast.Name):
            if around.first == node.id:
                return around.owner
            if node.id in around.stored:
                return None
            around = around.parent
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


def _owner(scope: Scope) -> Owner | None:
    around: Scope | None = scope
    while around is not None and around.owner is None:
        around = around.parent
    return around.owner if around else None


def _lookup(name: str, scope: Scope) -> Scope | None:
    """Return the function that *name* means in *scope*, looking outwards; a variable of that name hides it."""
    around: Scope | None = scope
    while around is not None:
        if name in around.functions:
            return around.functions[name]
        if name in around.stored:
            return None
        around = around.parent
    return None
