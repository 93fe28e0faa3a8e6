"""Judge what is imported: an allow list decides, some modules are never allowed, and the risks have to add up.

A module is judged by its real name, also where it is reached as an attribute of another one (`re.enum.sys`).
"""

from __future__ import annotations

import ast
import importlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

from mayfly.core import Tier, Verdict
from mayfly.gates._profile import Profile
from mayfly.gates.stability._found import Scan
from mayfly.gates.stability._verdict import reject, revise

_OURSELVES = "mayfly"
_RECURSION = "JIT recursion forbidden: compiled code cannot compile"


@dataclass(frozen=True, kw_only=True)
class Table:
    """Hold what is written in imports.toml."""

    unknown: float
    forbidden: frozenset[str]
    known: frozenset[str]
    risk: dict[str, float]
    granted: dict[str, frozenset[str]]


@cache
def table() -> Table:
    """Read imports.toml, once."""
    found = tomllib.loads(Path(__file__).with_name("imports.toml").read_text(encoding="utf-8"))
    return Table(
        unknown=float(found["unknown_risk"]),
        forbidden=frozenset(found["forbidden"]),
        known=frozenset(found["known"]),
        risk=found["risk"],
        granted={kind: frozenset(names) for kind, names in found["granted"].items()},
    )


def granted_modules(profile: Profile) -> frozenset[str]:
    """Return the modules that are importable because of a grant, not because of the list."""
    kinds = {grant.partition(":")[0] for grant in profile.grants}
    return frozenset().union(*(names for kind, names in table().granted.items() if kind in kinds))


def refusal(module: str, profile: Profile) -> str | None:
    """Return why *module*, named in full, may not be used, or None."""
    top = module.partition(".")[0]
    if top == "__future__":
        return None
    if top == _OURSELVES:
        return None if profile.tier is Tier.BUILTIN else _RECURSION
    if top in granted_modules(profile):
        return None
    if profile.scaled and top in table().forbidden:
        return f"{top} is forbidden at tier {profile.tier}"
    parts = module.split(".")
    listed = any(".".join(parts[:count]) in profile.imports for count in range(1, len(parts) + 1))
    if listed or "package" in profile.grants:
        return None
    return f"{top} is not on the list"


def risk_of(scan: Scan, profile: Profile) -> float:
    """Add up the risks of what is imported, each module once; what a grant covers was weighed with the grant."""
    tops = {module.partition(".")[0] for node in scan.imports for module, _ in _modules(node)}
    unknown = 0.0 if "package" in profile.grants else table().unknown
    return round(sum(table().risk.get(top, unknown) for top in tops - granted_modules(profile)), 6)


def check_imports(scan: Scan, profile: Profile) -> Iterator[Verdict]:
    """Yield a verdict for every import that is not allowed, and one if the sum of the risks is too high."""
    yield from (found for node in scan.imports if (found := _problem(node, profile)))
    risk = risk_of(scan, profile)
    if risk > profile.max_risk:
        yield (reject if profile.scaled else revise)(
            code="IMPORT_RISK",
            message=f"import risk {risk:g} > {profile.max_risk:.3g} (budget {_budget(profile):.2f})",
            measured=risk,
            limit=round(profile.max_risk, 6),
            line=min(node.lineno for node in scan.imports),
            fix="import fewer modules",
        )


def _problem(node: ast.Import | ast.ImportFrom, profile: Profile) -> Verdict | None:
    if isinstance(node, ast.ImportFrom) and node.level:
        return _refused(node, "a relative import names no module here", profile)
    for module, _ in _modules(node):
        because = refusal(module, profile)
        if because:
            return _refused(node, because, profile, module)
    if any(alias.name == "*" for alias in node.names):
        return _refused(node, "a star import hides what is used", profile)
    hidden = [a.asname for a in node.names if a.asname in table().forbidden and profile.scaled and a.asname != a.name]
    if hidden:
        return _refused(node, f"the alias {hidden[0]} is the name of a forbidden module", profile)
    return None


def _modules(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """Return each module named by *node*, with the name it is bound to."""
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [(node.module or "", "")]
    return [(alias.name, alias.asname or alias.name.partition(".")[0]) for alias in node.names]


def _refused(node: ast.Import | ast.ImportFrom, because: str, profile: Profile, module: str = "") -> Verdict:
    recursion = because == _RECURSION
    allowed = ", ".join(sorted(profile.imports)) or "nothing"
    return reject(
        code="JIT_RECURSION" if recursion else "IMPORT",
        message=because if recursion else f"{ast.unparse(node)}: {because}",
        measured=module or ast.unparse(node),
        limit=allowed,
        line=node.lineno,
        fix="do without it" if recursion else f"use only {allowed}",
    )


def _budget(profile: Profile) -> float:
    return profile.entropy if profile.scaled else 1.0


def check_module_attributes(scan: Scan, profile: Profile) -> Iterator[Verdict]:
    """Yield a verdict wherever a module is used to reach another one that could not have been imported."""
    bound = _bound_modules(scan)
    for node in scan.imports:
        yield from _members(node, bound, profile)
    if not bound:
        return
    resolved: dict[int, str | None] = {}
    _follow_aliases(scan, bound, profile, resolved)
    for attribute in scan.attributes:
        base = _resolve(attribute.value, bound, profile, resolved)
        if base is not None:
            yield from _reached(base, attribute.attr, attribute, profile)
    for scope in scan.scopes:
        for call in scope.calls:
            yield from _by_name(call, bound, profile, resolved)


def _bound_modules(scan: Scan) -> dict[str, str]:
    """Return the names that stand for modules, with the modules' full names."""
    bound: dict[str, str] = {}
    for node in scan.imports:
        for alias in node.names if isinstance(node, ast.Import) else ():
            bound[alias.asname or alias.name.partition(".")[0]] = (
                alias.name if alias.asname else alias.name.partition(".")[0]
            )
    return bound


def _members(node: ast.Import | ast.ImportFrom, bound: dict[str, str], profile: Profile) -> Iterator[Verdict]:
    """Judge `from module import name` where the name is a module, and note it where it may be used."""
    if isinstance(node, ast.Import) or node.level or not node.module or refusal(node.module, profile):
        return
    for alias in node.names:
        verdicts = list(_reached(node.module, alias.name, node, profile))
        yield from verdicts
        inner = _module_attribute(node.module, alias.name)
        if inner and not verdicts:
            bound[alias.asname or alias.name] = inner


def _follow_aliases(scan: Scan, bound: dict[str, str], profile: Profile, resolved: dict[int, str | None]) -> None:
    """Add names given to modules by assignment, also through several steps."""
    waiting = [(name, value) for name, value in scan.aliases if isinstance(value, (ast.Name, ast.Attribute))]
    for _ in range(len(waiting)):
        fresh = [(name, value) for name, value in waiting if name not in bound]
        known = len(bound)
        for name, value in fresh:
            resolved.pop(id(value), None)
            module = _resolve(value, bound, profile, resolved)
            if module is not None:
                bound[name] = module
        if len(bound) == known:
            break
    resolved.clear()


def _resolve(node: ast.expr, bound: dict[str, str], profile: Profile, resolved: dict[int, str | None]) -> str | None:
    """Return the full name of the allowed module that *node* stands for, or None."""
    chain = []
    while isinstance(node, ast.Attribute) and id(node) not in resolved:
        chain.append(node)
        node = node.value
    module = resolved.get(id(node)) if not isinstance(node, ast.Name) else bound.get(node.id)
    for attribute in reversed(chain):
        inner = _module_attribute(module, attribute.attr) if module else None
        module = inner if inner and module and _own(module, attribute.attr, inner, profile) else None
        resolved[id(attribute)] = module
    return module


def _reached(module: str, name: str, node: ast.expr | ast.stmt, profile: Profile) -> Iterator[Verdict]:
    inner = _module_attribute(module, name)
    if inner is None and profile.scaled and name.lstrip("_") in table().forbidden and not _is_known(module):
        inner = name.lstrip("_")
    if inner is None or _own(module, name, inner, profile):
        return
    yield reject(
        code="MODULE_ATTRIBUTE",
        message=f"{module}.{name} reaches the module {inner}, which is not imported openly",
        measured=inner,
        limit=", ".join(sorted(profile.imports)) or "nothing",
        line=node.lineno,
        fix=f"import {inner} if it is allowed, else do without it",
    )


def _own(module: str, name: str, inner: str, profile: Profile) -> bool:
    """Whether *inner*, found as `module.name`, is a public part of *module*, or a module that is listed itself."""
    if inner == f"{module}.{name}" and not name.startswith("_"):
        return True
    listed = inner in profile.imports or inner in granted_modules(profile) or "package" in profile.grants
    return (listed or (module, name) == ("os", "path")) and refusal(inner, profile) is None


def _by_name(
    call: ast.Call, bound: dict[str, str], profile: Profile, resolved: dict[int, str | None]
) -> Iterator[Verdict]:
    """Judge `getattr(module, "name")` like `module.name`."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) > 1):
        return
    name = call.args[1]
    module = _resolve(call.args[0], bound, profile, resolved)
    if module and isinstance(name, ast.Constant) and isinstance(name.value, str):
        yield from _reached(module, name.value, call, profile)


def _is_known(module: str) -> bool:
    return module.partition(".")[0] in table().known


@lru_cache(maxsize=2048)
def _module_attribute(module: str, name: str) -> str | None:
    """Return the full name of the module that is `module.name`, if *module* is one we may look into."""
    if not _is_known(module):
        return None
    try:
        # Not getattr: a module may answer that with a warning.
        found = vars(importlib.import_module(module)).get(name)
        if found is None and name.isidentifier() and not name.startswith("_"):
            found = importlib.import_module(f"{module}.{name}")
    except ImportError:
        return None
    return found.__name__ if isinstance(found, ModuleType) else None
