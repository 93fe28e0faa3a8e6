"""Judge what is imported: an allow list decides, some modules are never allowed, and the risks have to add up.

A module is judged by its real name, also where it is reached as an attribute of another one (`re.enum.sys`). Chance
without a seed is refused: what is proven once has to give the same the next time.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

from mayfly.core import Tier, Verdict, shipped_table
from mayfly.gates._profile import Profile
from mayfly.gates.stability._scan import Scan, reject, revise

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
    files: dict[str, str]
    chance: dict[str, str]


@cache
def import_table() -> Table:
    """Read imports.toml, once."""
    found = shipped_table(Path(__file__).with_name("imports.toml"))
    return Table(
        unknown=float(found["unknown_risk"]),
        forbidden=frozenset(found["forbidden"]),
        known=frozenset(found["known"]),
        risk=found["risk"],
        granted={kind: frozenset(names) for kind, names in found["granted"].items()},
        files=found["files"],
        chance=found["chance"],
    )


def granted_modules(profile: Profile) -> frozenset[str]:
    """Return the modules that are importable because of a grant, not because of the list."""
    kinds = {grant.partition(":")[0] for grant in profile.grants}
    return frozenset().union(*(names for kind, names in import_table().granted.items() if kind in kinds))


def importable(profile: Profile) -> frozenset[str] | None:
    """Return what the sandbox's importer lets through: the list and what grants add; None, all, with packages."""
    return None if "package" in profile.grants else profile.imports | granted_modules(profile)


def refusal(module: str, profile: Profile) -> str | None:
    """Return why *module*, named in full, may not be used, or None."""
    top = module.partition(".")[0]
    if top == "__future__":
        return None
    if top == _OURSELVES:
        return None if profile.tier is Tier.BUILTIN else _RECURSION
    if top in granted_modules(profile):
        return None
    parts = module.split(".")
    listed = [name for count in range(len(parts)) if (name := ".".join(parts[: count + 1])) in profile.imports]
    # A part that is listed by its full name (urllib.parse) is meant, whatever is forbidden about the rest.
    if profile.scaled and top in import_table().forbidden and not any("." in name for name in listed):
        return f"{top} is forbidden at tier {profile.tier}"
    if listed or "package" in profile.grants:
        return None
    return f"{top} is not on the list"


def risk_of(scan: Scan, profile: Profile) -> float:
    """Add up the risks of what is imported, each module once; what a grant covers was weighed with the grant."""
    names = {_weighed(module) for node in scan.imports for module in _meant(node)}
    unknown = 0.0 if "package" in profile.grants else import_table().unknown
    return round(sum(import_table().risk.get(name, unknown) for name in names - granted_modules(profile)), 6)


def _weighed(module: str) -> str:
    """Return the name under which a module has its risk: its own where that is listed, else that of its package."""
    return module if module in import_table().risk else module.partition(".")[0]


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
    for module in _meant(node):
        because = refusal(module, profile)
        if because:
            return _refused(node, because, profile, module)
    if any(alias.name == "*" for alias in node.names):
        return _refused(node, "a star import hides what is used", profile)
    hidden = [
        a.asname for a in node.names if a.asname in import_table().forbidden and profile.scaled and a.asname != a.name
    ]
    if hidden:
        return _refused(node, f"the alias {hidden[0]} is the name of a forbidden module", profile)
    return None


def _meant(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the full name of each module that *node* names; `from urllib import parse` names `urllib.parse`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if node.level or not node.module:
        return []
    parts = [f"{node.module}.{alias.name}" for alias in node.names]
    return parts if all(part in import_table().risk for part in parts) else [node.module]


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
    # The attributes of each module that are used, by the node that names them.
    used: dict[int, str] = {}
    resolved: dict[int, str | None] = {}
    _follow_aliases(scan, bound, profile, resolved)
    for attribute in scan.of(ast.Attribute) if bound else ():
        base = _resolve(attribute.value, bound, profile, resolved)
        if base is not None:
            used[id(attribute)] = f"{base}.{attribute.attr}"
            yield from _reached(base, attribute.attr, attribute, profile)
    for call in scan.of(ast.Call) if bound else ():
        yield from _by_name(call, bound, profile, resolved)
    if profile.scaled:
        yield from check_chance(scan, used)


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
    if isinstance(node, ast.Import) or any(refusal(module, profile) for module in _meant(node)):
        return
    if node.level or not node.module:
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
    yield from _named(f"{module}.{name}", node, profile)
    inner = _module_attribute(module, name)
    if inner is None and profile.scaled and name.lstrip("_") in import_table().forbidden and not _is_known(module):
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


def _named(name: str, node: ast.expr | ast.stmt, profile: Profile) -> Iterator[Verdict]:
    """Judge a name of a module that may be imported: some of them reach files, some give what chance gives."""
    module, _, last = name.rpartition(".")
    if name in import_table().files and not any(grant.startswith("fs:") for grant in profile.grants):
        told, fix = "reaches files, which needs the grant fs", import_table().files[name]
        yield reject(code="NAME", message=f"{name} {told}", measured=name, line=node.lineno, fix=fix)
    # All of random but its class draws from one hidden stream that nobody has given a seed.
    drawn = module == "random" and last != "Random"
    if profile.scaled and (name in import_table().chance or drawn):
        fix = import_table().chance.get(name, "make random.Random(seed) and use its methods")
        message = f"{name} gives another value in every run"
        yield reject(code="CHANCE", message=message, measured=name, line=node.lineno, fix=fix)


def _own(module: str, name: str, inner: str, profile: Profile) -> bool:
    """Whether *inner*, found as `module.name`, is a public part of *module*, or a module that is listed itself."""
    if inner == f"{module}.{name}" and not name.startswith("_") and refusal(inner, profile) is None:
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
    return module.partition(".")[0] in import_table().known


@lru_cache(maxsize=2048)
def _module_attribute(module: str, name: str) -> str | None:
    """Return the full name of the module that is `module.name`, if *module* is one we may look into."""
    if not _is_known(module):
        return None
    try:
        # Not getattr: a module may answer that with a warning.
        found = vars(importlib.import_module(module)).get(name)
        if found is None and name.isidentifier() and not name.startswith("_"):
            # Found, not imported: a part of a known package may bring the network with it.
            part = importlib.util.find_spec(f"{module}.{name}")
            return part.name if part else None
    except (ImportError, ValueError):
        return None
    return found.__name__ if isinstance(found, ModuleType) else None


_SEEDED = "random.Random"


def check_chance(scan: Scan, used: dict[int, str]) -> Iterator[Verdict]:
    """Yield a verdict for each generator of random numbers that gets no seed.

    *used* names attributes of modules by the node they stand at. `random.Random` may be called with a seed and named
    in annotations; handed around in any other way, nobody can see whether it gets one.
    """
    modules = {module for node in scan.imports for module in modules_of(node)}
    if "random" in modules:
        yield from _unseeded(scan, used)
        yield from _methods(scan, "seed")
    if "statistics" in modules and "samples" not in scan.defined:
        yield from _methods(scan, "samples")


def modules_of(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules from which *node* takes something."""
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def _unseeded(scan: Scan, used: dict[int, str]) -> Iterator[Verdict]:
    own = {
        alias.asname or alias.name
        for node in scan.imports
        if isinstance(node, ast.ImportFrom) and node.module == "random"
        for alias in node.names
        if alias.name == "Random"
    }
    named: list[ast.expr] = [node for node in scan.of(ast.Attribute) if used.get(id(node)) == _SEEDED]
    named += [use.node for use in scan.names if use.node.id in own]
    fine = {id(call.func) for call in scan.of(ast.Call) if _has_seed(call)} | _annotated(scan)
    for node in named:
        if id(node) not in fine:
            yield _without_seed(_SEEDED, node, "random.Random(seed)")


def _methods(scan: Scan, name: str) -> Iterator[Verdict]:
    """Judge a method that takes its seed as an argument and the computer's chance without one."""
    for call in scan.of(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == name:
            # `seed(x)` has it first, `samples(n, seed=x)` by its name only.
            given = _has_seed(call) if name == "seed" else any(word.arg == "seed" for word in call.keywords)
            if not given:
                yield _without_seed(name, call, "seed(x)" if name == "seed" else "samples(n, seed=x)")


def _has_seed(call: ast.Call) -> bool:
    given = [*call.args, *(word.value for word in call.keywords)]
    return bool(given) and not (isinstance(given[0], ast.Constant) and given[0].value is None)


def _annotated(scan: Scan) -> set[int]:
    """Return the nodes that stand in annotations, where a class is only named."""
    annotations: list[ast.expr | None] = [node.annotation for node in scan.of(ast.arg)]
    annotations += [node.annotation for node in scan.of(ast.AnnAssign)]
    annotations += [node.returns for node in scan.of(ast.FunctionDef)]
    annotations += [node.returns for node in scan.of(ast.AsyncFunctionDef)]
    return {id(inner) for node in annotations if node is not None for inner in ast.walk(node)}


def _without_seed(name: str, node: ast.expr, instead: str) -> Verdict:
    return reject(
        code="CHANCE",
        message=f"{name} without a seed gives another value in every run",
        measured=name,
        line=node.lineno,
        fix=f"give a seed: {instead}",
    )
