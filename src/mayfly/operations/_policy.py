"""The rules as data: which are in force, what was decided, whether an action is permitted, what a change would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.persona import Desk
    from mayfly.policy import DecisionDifference, Permit, Snapshot
    from mayfly.store import Event, Ledger

# Decisions that are looked through: as many as a person scrolls through; older ones are found by their ids.
_LOOKED = 5000


def rules_in_force(snapshot: Snapshot, search: str = "") -> dict[str, Any]:
    """Return every rule file in force with its text, or the lines that have a text; and what is not in force."""
    files = []
    wanted = search.casefold()
    for file in (*snapshot.rules, *snapshot.policies.values()):
        lines = file.text.splitlines()
        matches = [
            {"line": number, "text": line}
            for number, line in enumerate(lines, 1)
            if wanted and wanted in line.casefold()
        ]
        if search and not matches:
            continue
        named = {"name": file.name, "file": file.name, "hash": file.hash, "shipped": file.base}
        text = {"matches": matches} if search else {"text": file.text}
        files.append({**named, "restricts": file.restricts, "lines": len(lines), **text})
    problems = [str(one) for one in snapshot.problems]
    return {"hash": snapshot.hash, "files": files, "problems": problems, "not_in_force": problems}


@dataclass(frozen=True, kw_only=True)
class DecisionPage:
    """Decisions of the rules, the newest first; *next* is the number before which the next page begins."""

    events: Sequence[Event]
    next: int | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        rows = [{"number": one.id, "id": one.subject, "at": one.at.isoformat(), **one.payload} for one in self.events]
        return {"decisions": rows, "next": self.next}


def decisions(ledger: Ledger, *, limit: int, before: int | None = None, decision: str = "") -> DecisionPage:
    """Return what the rules decided, of one kind where one is named."""
    after = ledger.before_last(_LOOKED, kind="policy.decided")
    found = [
        one
        for one in reversed(list(ledger.read(kind="policy.decided", after=after)))
        if (before is None or one.id < before) and decision in ("", one.payload.get("decision"))
    ]
    page = found[:limit]
    return DecisionPage(events=page, next=page[-1].id if page and len(found) > limit else None)


def permit_fields(found: Permit, *, why: bool) -> dict[str, Any]:
    """Return what the rules say of an action as plain data, with the derivations where *why* asks for them."""
    fields: dict[str, Any] = {"decision": found.decision, "because": list(found.because), "id": found.id}
    fields["reasons"] = [reason.to_json() for reason in found.reasons]
    if why:
        from mayfly.mangle import to_json

        fields |= {"why": [to_json(tree) for tree in found.trees()], "permitted_if": list(found.remedies())}
    return fields


@dataclass(frozen=True, kw_only=True)
class RulesTried:
    """What changed rules would have decided otherwise."""

    tried: int
    differences: Sequence[DecisionDifference]

    def to_json(self, *, whole_paths: bool = True) -> dict[str, Any]:
        """Return it as plain data; a server names a file without where it lay."""
        return {"tried": self.tried, "differences": [_difference(one, whole_paths) for one in self.differences]}


def try_rules(desk: Desk, paths: Sequence[Path], *, last: int) -> RulesTried:
    """Try changed rules on past decisions; nothing is put into force."""
    tried, differences = desk.simulate(paths, last=last)
    return RulesTried(tried=tried, differences=differences)


def _difference(one: DecisionDifference, whole_paths: bool) -> dict[str, Any]:
    named = pick_fields(one, "id asked before after rule")
    if one.place is None:
        return {**named, "file": None, "line": None}
    return {**named, "file": one.place.file if whole_paths else Path(one.place.file).name, "line": one.place.line}
