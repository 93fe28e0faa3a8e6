"""Why a run, a decision, a goal or a tool is as it is, for a client: from the ledger and the rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, one_line, without_secrets_in
from mayfly.serve._reply import Reply

if TYPE_CHECKING:
    from mayfly.runtime import Runtime

_RECORD = re.compile(r"[a-z]{1,3}-[0-9a-f]{4,}(/[\w.]+)?")
_DECISIONS = ("policy.decided", "policy.routed")


def reasons_for(runtime: Runtime, id: str) -> Reply:
    """Return why whatever is called *id* is as it is."""
    from mayfly.operations import Reasons, has_tree, tell

    ledger = runtime.ledger
    if not id.isprintable():
        raise InputError(f"{one_line(id, limit=80)!r} is no id", fix="use the id of a run, or the name of a tool")
    if has_tree(ledger, id.partition("/")[0]):
        found = Reasons(ledger, id)
        lines = [f"asked: {found.asked.intent}", found.status]
        lines += [f"{one.id} {one.state.value}: {one.intent}: {one.reason}" for one in found.chain]
        return _reply(lines, found.fields())
    events = list(ledger.read(subject=id)) if len(id) <= 256 else []
    if any(event.kind in _DECISIONS for event in events):
        return _decision(runtime, id)
    if events:
        steps = [{"at": event.at.isoformat(), "kind": event.kind, **event.payload} for event in events]
        return _reply(list(tell(events)), {"id": id, "steps": steps})
    if any(one.name == id for one in runtime.tools.list()):
        return _tool(runtime, id)
    if "(" not in id and (_RECORD.fullmatch(id) or " " not in id):
        raise InputError(
            f"nothing is recorded under {one_line(id, limit=80)}", fix="use the id of a run, or the name of a tool"
        )
    return _goal(runtime, id)


def _decision(runtime: Runtime, id: str) -> Reply:
    from mayfly.mangle import to_json
    from mayfly.runtime import Desk

    found = Desk(runtime.settings, ledger=runtime.ledger).kernel().explain(id)
    data = {
        "id": found.id,
        "decision": found.outcome,
        "because": list(found.because),
        "why": [to_json(tree) for tree in found.why],
        "why_not": to_json(found.why_not) if found.why_not else None,
        "permitted_if": list(found.remedies),
    }
    lines = [f"{found.id}: {found.outcome}", *found.because]
    return _reply([*lines, *(f"would be permitted if {one}" for one in found.remedies)], data)


def _goal(runtime: Runtime, goal: str) -> Reply:
    from mayfly.mangle import Why, to_json
    from mayfly.runtime import Desk

    trees = Desk(runtime.settings, ledger=runtime.ledger).explain(goal)
    holds = isinstance(trees[0], Why)
    data = {"id": goal, "holds": holds, "trees": [to_json(tree) for tree in trees]}
    return _reply([f"{goal} {'holds' if holds else 'does not hold'}"], data)


def _tool(runtime: Runtime, name: str) -> Reply:
    card, _ = runtime.tools.show(name)
    log = [{"at": event.at.isoformat(), "kind": event.kind, **event.payload} for event in runtime.tools.log(name)]
    lines = [
        f"{name}, version {card.version}, by {card.by or card.author}: {card.summary}",
        f"proof {card.strength}; who speaks for it: {card.witness}",
        *(f"{one['gate']} {one['decision']}: {one['message']}" for one in card.verdicts),
    ]
    return _reply(lines, {"id": name, "card": card.to_json(), "log": log})


def _reply(lines: list[str], data: dict[str, Any]) -> Reply:
    cleaned: Any = without_secrets_in(data)
    return Reply(text="\n".join(one_line(line, limit=2000) for line in lines), data=cleaned)
