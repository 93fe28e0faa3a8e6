"""Judge the actions of a table: each row of `hostile.toml` and `benign.toml` as the kernel would have it judged."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from mayfly.mangle import Model, Name, Program, Row, Symbol, load, parse, read_source
from mayfly.policy.kernel.facts import facts_of_action

from ..configured import granted  # noqa: TID252

Told: TypeAlias = tuple[Symbol, Row]
HERE = Path(__file__).parent
RULES = Path(__file__).parents[3] / "src" / "mayfly" / "policy" / "rules"
_GOALS = [Symbol("decision", 2), Symbol("permitted", 3), Symbol("refused", 2), Symbol("needs_approval", 2)]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One action, and on whose behalf it is asked for."""

    group: str
    action: str
    target: str
    payload: str
    persona: str | None
    told: tuple[Told, ...]
    decision: str | None

    def with_approval(self) -> "Asked":
        """Return the same action as a person has agreed to it."""
        row = (Name(f"/{self.action}"), self.target, self.payload, 1)
        return replace(self, told=(*self.told, (Symbol("approved", 4), row)))

    def __str__(self) -> str:
        return f"{self.group}: {self.persona or 'somebody'}: {self.action} {self.target!r} {self.payload!r}"


@cache
def program() -> Program:
    """Compile every shipped rule file."""
    return load([parse(read_source(path), file=path.name) for path in sorted(RULES.glob("*.mg"))])


def read_table(name: str) -> list[Asked]:
    """Return the actions of a table, one for each row and persona."""
    groups = tomllib.loads((HERE / name).read_text(encoding="utf-8"))["group"]
    return [asked for group in groups for asked in _asked(group)]


def _asked(group: dict[str, Any]) -> Iterator[Asked]:
    personas = group.get("personas", [group.get("persona")])
    for persona, (action, target, payload) in product(personas, _rows(group)):
        yield Asked(
            group=group["name"],
            action=action,
            target=target,
            payload=payload,
            persona=persona,
            told=tuple(_told(group, persona, (action, target, payload))),
            decision=group.get("decision"),
        )


def _rows(group: dict[str, Any]) -> list[tuple[str, str, str]]:
    if "rows" in group:
        return [(row[0], row[1], row[2]) for row in group["rows"]]
    actions = group.get("actions", [group.get("action")])
    targets = group.get("targets", [group.get("target", "")])
    return list(product(actions, targets, group.get("payloads", [group.get("payload", "")])))


def _told(group: dict[str, Any], persona: str | None, asked: tuple[str, str, str]) -> Iterator[Told]:
    if persona:
        yield Symbol("acting", 1), (Name(f"/{persona}"),)
        yield from granted(persona)
    elif "tier" not in group:
        yield Symbol("asked_by", 1), (Name("/person"),)
    if "tier" in group:
        yield Symbol("tier", 1), (Name(f"/{group['tier']}"),)
    if "limit" in group:
        yield Symbol("spend_limit", 1), (group["limit"],)
    if group.get("approved"):
        yield Symbol("approved", 4), (Name(f"/{asked[0]}"), asked[1], asked[2], 1)
    for effect, detail in group.get("grants", []):
        yield Symbol("grant", 2), (Name(f"/{effect}"), detail)
    for host in group.get("hosts", []):
        yield Symbol("allowed_host", 1), (host,)


def judge(asked: Asked, workspace: str) -> tuple[str, list[str], Model]:
    """Return the decision on an action with its reasons, and the model they were derived in."""
    facts = facts_of_action(asked.action, asked.target, asked.payload, id="a", time=1, workspace=workspace)
    model = program().evaluate([*facts, *asked.told], goals=_GOALS)
    said = sorted(str(row[1]) for row in model.rows(Symbol("decision", 2)))
    reasons = [str(row[1]) for name in ("refused", "needs_approval") for row in model.rows(Symbol(name, 2))]
    assert len(said) == 1, (asked, said)
    return said[0].removeprefix("/"), reasons, model
