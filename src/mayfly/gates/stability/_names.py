"""Judge the names that are used: whole names of the tree, resolved as Python resolves them, never pieces of text."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mayfly.core import Verdict, shipped_table
from mayfly.gates._profile import Profile
from mayfly.gates._suppress import suppressions
from mayfly.gates._syntax import silently
from mayfly.gates.stability._scan import GATE, Scan, Use, called_name, line_of, reject, revise

_DUNDER = re.compile(r"__\w+__\Z")
_TEMPLATE = re.compile(r"\{[^{}]*[.\[]\s*(__\w+__)")
_GETTERS = frozenset({"getattr", "setattr", "delattr", "hasattr"})
_FETCHERS = frozenset({"attrgetter", "methodcaller"})
_NAMING = frozenset({"__name__", "__qualname__", "__doc__", "__module__"})
_FORMATTING = frozenset({"format", "format_map", "vformat"})
_LEVELS_OF_FOLDING = 50


@dataclass(frozen=True, kw_only=True)
class Names:
    """Hold what is written in names.toml."""

    builtins: dict[str, str]
    granted: dict[str, list[str]]
    hidden: frozenset[str]
    reflective: frozenset[str]
    harmless: frozenset[str]


@cache
def names() -> Names:
    """Read names.toml, once."""
    found = shipped_table(Path(__file__).with_name("names.toml"))
    attributes = {kind: frozenset(listed) for kind, listed in found["attributes"].items()}
    return Names(builtins=found["builtins"], granted=found["granted"], **attributes)


def check_names(scan: Scan, text: str, profile: Profile) -> Iterator[Verdict]:
    """Yield a verdict for each forbidden builtin, each way to the interpreter and each way around the type check."""
    yield from _builtins(scan, text, profile)
    yield from _attributes(scan)
    yield from _dunder_names(scan)
    yield from _getters(scan)
    yield from _templates(scan)
    yield from suppressions(text, gate=GATE)


def _builtins(scan: Scan, text: str, profile: Profile) -> Iterator[Verdict]:
    kinds = {grant.partition(":")[0] for grant in profile.grants}
    granted = {name for kind in kinds for name in names().granted.get(kind, ())}
    forbidden = names().builtins.keys() - granted
    uses = [use for use in scan.names if use.node.id in forbidden]
    for use in _unbound(scan, uses, text) if uses else ():
        yield reject(
            code="NAME",
            message=f"{use.node.id} may not be used",
            measured=use.node.id,
            line=use.node.lineno,
            fix=names().builtins[use.node.id],
        )


def _unbound(scan: Scan, uses: list[Use], text: str) -> Iterator[Use]:
    """Yield those *uses* that mean Python's own name: one for each name and scope."""
    wanted = {use.node.id for use in uses}
    ours = _own_globals(scan)
    with silently():
        module = symtable.symtable(text, "<source>", "exec")
    for table in _tables(module):
        top = table.get_type() == "module"
        for name in sorted(wanted.intersection(table.get_identifiers())):
            symbol = table.lookup(name)
            bound = ours.get(name)
            if not symbol.is_referenced() or not (top or symbol.is_global()):
                continue
            if bound is not None and not (top or table.get_type() == "class"):
                continue
            after = (use for use in uses if use.node.id == name and use.node.lineno >= table.get_lineno())
            use = min(after, key=lambda use: use.node.lineno, default=None)
            if use is not None and (bound is None or use.node.lineno <= bound):
                yield use


def _tables(top: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    stack = [top]
    while stack:
        table = stack.pop()
        yield table
        stack.extend(table.get_children())


def _own_globals(scan: Scan) -> dict[str, int]:
    """Return the names that the module is sure to define, with the line; a name that may be missing means Python's."""
    module = scan.module.node
    assert isinstance(module, ast.Module)
    own: dict[str, int] = {}
    for statement in module.body:
        for name in _defined_by(statement):
            own.setdefault(name, statement.end_lineno or statement.lineno)
    return {name: line for name, line in own.items() if name not in scan.deleted}


def _defined_by(statement: ast.stmt) -> Iterable[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).partition(".")[0] for alias in statement.names]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    return []


def _attributes(scan: Scan) -> Iterator[Verdict]:
    allowed = _allowed_uses(scan)
    for node in scan.of(ast.Attribute):
        if id(node) not in allowed and is_reflective(node.attr, scan):
            yield _dunder(node.attr, node)
    for pattern in scan.of(ast.MatchClass):
        yield from (_dunder(name, pattern) for name in pattern.kwd_attrs if is_reflective(name, scan))


def is_reflective(name: str, scan: Scan) -> bool:
    """Whether the attribute *name* leads to the interpreter; a dunder that the source defines itself does not."""
    if name in names().hidden:
        return True
    if not _DUNDER.match(name) or name in names().harmless:
        return False
    return name in names().reflective or name not in scan.defined


def _allowed_uses(scan: Scan) -> set[int]:
    """Return `x.__class__.__name__`, and `object.__setattr__(self, "field", value)` as frozen dataclasses need it."""
    named = {id(node.value) for node in scan.of(ast.Attribute) if node.attr in _NAMING}
    allowed = {id(node) for node in scan.of(ast.Attribute) if node.attr == "__class__" and id(node) in named}
    for call in scan.of(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__setattr__" and call.args:
            texts = [text for argument in call.args[:2] if (text := folded(argument)) is not None]
            allowed |= {id(call.func)} if texts and not any(is_reflective(t, scan) for t in texts) else set()
    return allowed


def _dunder_names(scan: Scan) -> Iterator[Verdict]:
    for use in scan.names:
        name = use.node.id
        if _DUNDER.match(name) and name not in names().builtins and is_reflective(name, scan):
            yield _dunder(name, use.node)


def _dunder(name: str, node: ast.AST) -> Verdict:
    return reject(
        code="DUNDER",
        message=f"{name} leads to the interpreter's own objects",
        measured=name,
        line=line_of(node),
        fix="use type(x).__name__" if name == "__class__" else "do without it",
    )


def _getters(scan: Scan) -> Iterator[Verdict]:
    """Judge attributes that are reached by a name made at run time."""
    called = {id(call.func) for call in scan.of(ast.Call)}
    for call in scan.of(ast.Call):
        name = called_name(call)
        if name in _GETTERS and isinstance(call.func, ast.Name):
            yield from _reached_by(name, call, call.args[1:2], scan)
        elif name in _FETCHERS:
            yield from _reached_by(name, call, call.args, scan)
    for use in scan.names:
        if use.node.id in _GETTERS and id(use.node) not in called:
            yield _computed(use.node.id, use.node, scan)


def _reached_by(function: str, call: ast.Call, arguments: list[ast.expr], scan: Scan) -> Iterator[Verdict]:
    for argument in arguments:
        text = folded(argument)
        if text is not None:
            parts = [part for part in text.split(".") if is_reflective(part, scan)]
            yield from (_dunder(part, call) for part in parts)
        elif function != "hasattr" and not _starts_plainly(argument):
            yield _computed(function, call, scan)


def _computed(function: str, node: ast.expr, scan: Scan) -> Verdict:
    """Send a computed name back; refuse it where the source also holds the text of a name that leads too far."""
    hidden = [text for text, _ in scan.texts if text in names().reflective]
    return (reject if hidden else revise)(
        code="DUNDER" if hidden else "NAME",
        message=f"{function} with a name made at run time" + (f", and the text {hidden[0]!r}" if hidden else ""),
        measured=function,
        line=node.lineno,
        fix="name the attribute, or use a dict",
    )


def _starts_plainly(argument: ast.expr) -> bool:
    """Whether this is an f-string or a sum that starts with plain text, and so can never be a dunder."""
    while isinstance(argument, ast.BinOp):
        argument = argument.left
    first = argument.values[0] if isinstance(argument, ast.JoinedStr) and argument.values else argument
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value[:1].isalpha()


def folded(node: ast.expr, level: int = 0) -> str | None:
    """Return the text that *node* is sure to be: a literal, or literals put together."""
    if level > _LEVELS_OF_FOLDING:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [folded(node.left, level + 1), folded(node.right, level + 1)]
    elif isinstance(node, ast.JoinedStr):
        parts = [folded(part, level + 1) for part in node.values]
    elif isinstance(node, ast.FormattedValue) and node.format_spec is None:
        parts = [folded(node.value, level + 1)]
    else:
        return None
    return None if None in parts else "".join(part for part in parts if part is not None)


def _templates(scan: Scan) -> Iterator[Verdict]:
    """Refuse `"{0.__class__}".format(x)`, wherever the template is kept."""
    if not any(node.attr in _FORMATTING for node in scan.of(ast.Attribute)):
        return
    for text, node in scan.texts:
        found = _TEMPLATE.search(text)
        if found and is_reflective(found.group(1), scan):
            yield _dunder(found.group(1), node)
