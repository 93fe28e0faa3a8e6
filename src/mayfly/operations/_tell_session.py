"""The words for what happens in a session, to a model and at the rules, one line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mayfly.core import Money, shown

# A line of a story is no place for a whole file.
_SHORT = 300


def _began(row: Mapping[str, Any]) -> str:
    parent = f", spawned by {row['parent']}" if row.get("parent") else ""
    return f"session in {row['workspace']}, {row['model'] or 'no model'}{parent}"


def _asked(row: Mapping[str, Any]) -> str:
    return f"turn {row['turn']}: {row['text']}"


def _configured(row: Mapping[str, Any]) -> str:
    who = ", ".join(row["personas"]) or "nobody"
    only = ", only asked" if row.get("only_asked") else ""
    return f"  taken on by {who} with {len(row['tools'])} tools under {', '.join(row['policies'])}{only}"


def _said(row: Mapping[str, Any]) -> list[str]:
    lines = [f"  said: {row['text']}"] if row["text"] else []
    calls = ", ".join(str(call.get("name")) for call in row["calls"])
    return lines + ([f"  wants: {calls}"] if calls else [])


def _called(row: Mapping[str, Any]) -> str:
    return f"  {row['tool']} {shown(row['arguments'], _SHORT)}"


def _returned(row: Mapping[str, Any]) -> str:
    became = f", committed as {row['commit']}" if row.get("commit") else ""
    became += f", held as {row['held']} until somebody approves" if row.get("held") else ""
    error = f": {row['text'][:_SHORT]}" if row["status"] not in ("ok", "done", "held") else ""
    return f"  {row['tool']} {row['status']}{became}{error}"


def _turn_ended(row: Mapping[str, Any]) -> str:
    return f"turn {row['turn']} {row['status']}: {row['reason'] or row['text']}"


def _noted(row: Mapping[str, Any]) -> str:
    return f"told: {row['text']}"


def _folded(row: Mapping[str, Any]) -> str:
    return f"turns up to {row['turn']} are told by a summary from here on"


def _ended(row: Mapping[str, Any]) -> str:
    return f"session {row['status']}" + (f": {row['reason']}" if row["reason"] else "")


def _decided(row: Mapping[str, Any]) -> str:
    because = f": {'; '.join(map(str, row['because'][:3]))}" if row["because"] else ""
    return f"  rules: {row['decision']} {str(row['action']).removeprefix('/')} {row['target']}{because}"


def _model_asked(row: Mapping[str, Any]) -> str:
    return f"  asked {row['model']} for {row['purpose']}"


def _model_answered(row: Mapping[str, Any]) -> str:
    spent = f", {Money.of(row['money'])}" if row["money"] else ""
    return f"  answered: {row['input_tokens']}+{row['output_tokens']} tokens{spent}"


def _claimed(row: Mapping[str, Any]) -> str:
    again = "" if row["generation"] == 1 else f" again, for the {row['generation']}. time"
    return f"taken up by a process{again}"


TELL: dict[str, Callable[[Mapping[str, Any]], str | list[str]]] = {
    "session.began": _began,
    "session.turn_asked": _asked,
    "session.turn_configured": _configured,
    "session.model_said": _said,
    "session.tool_called": _called,
    "session.tool_returned": _returned,
    "session.turn_ended": _turn_ended,
    "session.noted": _noted,
    "session.folded": _folded,
    "session.ended": _ended,
    "policy.decided": _decided,
    "model.asked": _model_asked,
    "model.answered": _model_answered,
    "run.claimed": _claimed,
}
