"""The story of a run: each event as data and in words; and the programs it rests on, each with its tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import MayflyError, Money, ending_of, shown, without_secrets, without_secrets_in
from mayfly.operations._words import account_words

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

# A line of a story is no place for a whole file.
_SHORT = 300


def event_fields(event: Event) -> dict[str, object]:
    """Return an event as data, its payload among its own fields."""
    return {"at": event.at.isoformat(), "kind": event.kind, "subject": event.subject, **event.payload}


def event_words(event: Event) -> str:
    """Say what an event is about in the words it was recorded with."""
    payload: Any = event.payload
    if event.kind == "promise.planned":
        return f"{payload['nodes']} promises, by {payload['by']}"
    if event.kind == "promise.began":
        return str(payload["by"])
    if event.kind == "promise.resolved":
        again = "again · " if payload.get("again") else ""
        return again + str((payload.get("evidence") or {}).get("description", ""))
    told = [payload.get(name) for name in ("capability", "target", "verdict", "by", "reason", "error")]
    return " · ".join(str(word) for word in told if word)


def tell(events: Iterable[Event]) -> Iterator[str]:
    """Yield a line for each thing that happened; what belongs to the line before begins with spaces."""
    for event in events:
        words = _TELL.get(event.kind, _other_event)
        told = words.format_map(event.payload) if isinstance(words, str) else words(event.payload)
        yield from [told] if isinstance(told, str) else told


def _run_began(row: Mapping[str, Any]) -> list[str]:
    who = row["model"] or "no model: programs by example"
    granted = f", granted {', '.join(row['grants'])}" if row.get("grants") else ""
    where = f"tier {row['tier']}, depth {row['depth']}{granted}"
    return [f"asked: {row['intent']}", f"  {where}, {row['examples']} examples, {who}"]


def _source_written(row: Mapping[str, Any]) -> str:
    how = row["provenance"].get("how", "") if isinstance(row["provenance"], dict) else ""
    told = f": {how}" if how else ""
    return f"attempt {row['attempt']}: {row['author']} wrote {row['lines']} lines, {row['source_hash'][:12]}{told}"


def _gate_judged(row: Mapping[str, Any]) -> list[str]:
    where = f" line {row['line']}" if row["line"] else ""
    limit = f" (limit {row['limit']})" if row["limit"] is not None else ""
    lines = [f"  {row['gate']} {row['decision']}{where}: {row['message']}{limit} [{row['code']}]"]
    return lines + ([f"    fix: {row['fix'].splitlines()[0]}"] if row["fix"] and row["decision"] != "accept" else [])


def _attempt_reflected(row: Mapping[str, Any]) -> list[str]:
    lines = [f"reflection on attempt {row['attempt']}: {row['root_cause']} (confidence {row['confidence']:g})"]
    return lines + [f"  suggestion: {suggestion}" for suggestion in row["suggestions"]]


def _agent_created(row: Mapping[str, Any]) -> str:
    mended = f", {len(row['repairs'])} mechanical repairs" if row["repairs"] else ""
    took = f"gates {row['milliseconds']:.0f} ms"
    return f"created: {row['source_hash'][:12]} admitted at attempt {row['attempts']}{mended}, {took}"


def _proof_made(row: Mapping[str, Any]) -> list[str]:
    lines = [
        f"proof {row['strength']}: {row['tests']} tests, {row['held_out']} held out,"
        f" {row['mutants_killed']} of {row['mutants']} mutants caught"
    ]
    failed = [result for result in row["results"] if not result.get("passed")]
    lines += [f"  failed: {result.get('name')}: {result.get('error')}" for result in failed[:5]]
    return lines + [f"  {note}" for note in row["notes"]]


def _agent_executed(row: Mapping[str, Any]) -> str:
    items = f", {row['items']:,} results" if row["items"] is not None else ""
    error = f": {row['error']}" if row["error"] else ""
    return f"executed: {row['status']} in {row['milliseconds']:.1f} ms, {row['lane']}, {row['level']}{items}{error}"


def _run_collapsed(row: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{ending_of(str(row['status']), str(row['code']))}: {row['reason']} [{row['code']}] · {_cost_words(row)}",
        *_reading_lines(row),
    ]
    lines += [f"  could mean: {reading}" for reading in row.get("readings") or ()]
    return lines + ([f"  question: {row['question']}"] if row.get("question") and not row.get("readings") else [])


def _reading_lines(row: Mapping[str, Any]) -> list[str]:
    """Say how the request was read and which lines the answer is about, where that was recorded."""
    lines = [f"  read as: {row['reading']}"] if row.get("reading") else []
    return lines + ([f"  lines: {account_words(row['account'])}"] if row.get("account") else [])


def _cost_words(row: Mapping[str, Any]) -> str:
    spent = f", {Money.of(row['money'])}" if row["money"] else ""
    tokens = f", {row['input_tokens']}+{row['output_tokens']} tokens" if row["model_calls"] else ""
    return f"{row['seconds']:.3f} s, {row['model_calls']} model calls{tokens}{spent}"


def _other_event(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.items())


def _session_began(row: Mapping[str, Any]) -> str:
    parent = f", spawned by {row['parent']}" if row.get("parent") else ""
    return f"session in {row['workspace']}, {row['model'] or 'no model'}{parent}"


def _turn_configured(row: Mapping[str, Any]) -> str:
    who = ", ".join(row["personas"]) or "nobody"
    only = ", only asked" if row.get("only_asked") else ""
    return f"  taken on by {who} with {len(row['tools'])} tools under {', '.join(row['policies'])}{only}"


def _model_said(row: Mapping[str, Any]) -> list[str]:
    lines = [f"  said: {row['text']}"] if row["text"] else []
    calls = ", ".join(str(call.get("name")) for call in row["calls"])
    return lines + ([f"  wants: {calls}"] if calls else [])


def _tool_returned(row: Mapping[str, Any]) -> str:
    became = f", committed as {row['commit']}" if row.get("commit") else ""
    became += f", held as {row['held']} until somebody approves" if row.get("held") else ""
    error = f": {row['text'][:_SHORT]}" if row["status"] not in ("ok", "done", "held") else ""
    return f"  {row['tool']} {row['status']}{became}{error}"


def _rules_decided(row: Mapping[str, Any]) -> str:
    because = f": {'; '.join(map(str, row['because'][:3]))}" if row["because"] else ""
    return f"  rules: {row['decision']} {str(row['action']).removeprefix('/')} {row['target']}{because}"


def _model_answered(row: Mapping[str, Any]) -> str:
    spent = f", {Money.of(row['money'])}" if row["money"] else ""
    return f"  answered: {row['input_tokens']}+{row['output_tokens']} tokens{spent}"


def _run_claimed(row: Mapping[str, Any]) -> str:
    again = "" if row["generation"] == 1 else f" again, for the {row['generation']}. time"
    return f"taken up by a process{again}"


# How each kind of event is told: a text with its fields in it, or a function of them.
_TELL: dict[str, Any] = {
    "session.began": _session_began,
    "session.turn_asked": "turn {turn}: {text}",
    "session.turn_configured": _turn_configured,
    "session.model_said": _model_said,
    "session.tool_called": lambda row: f"  {row['tool']} {shown(row['arguments'], _SHORT)}",
    "session.tool_returned": _tool_returned,
    "session.turn_ended": lambda row: f"turn {row['turn']} {row['status']}: {row['reason'] or row['text']}",
    "session.noted": "told: {text}",
    "session.folded": "turns up to {turn} are told by a summary from here on",
    "session.ended": lambda row: f"session {row['status']}" + (f": {row['reason']}" if row["reason"] else ""),
    "policy.decided": _rules_decided,
    "model.asked": "  asked {model} for {purpose}",
    "model.answered": _model_answered,
    "run.claimed": _run_claimed,
    "run.began": _run_began,
    "forge.wrote": _source_written,
    "gate.judged": _gate_judged,
    "forge.reflected": _attempt_reflected,
    "agent.created": _agent_created,
    "proof.made": _proof_made,
    "agent.cached": lambda row: (
        f"cached: {row['source_hash'][:12]} {'found again' if row['hit'] else 'remembered'} under {row['key'][:12]}"
    ),
    "agent.spread": "spread: {files} files, asked by {tasks} tasks on the nodes with {partial_hash:.12}",
    "agent.executed": _agent_executed,
    "agent.collected": lambda row: (
        f"collected: the process is gone, the source is {'kept' if row['kept'] else 'not kept'}"
    ),
    "run.resolved": lambda row: [f"resolved: {row['reason']} · {_cost_words(row)}", *_reading_lines(row)],
    "run.collapsed": _run_collapsed,
}


@dataclass(frozen=True, kw_only=True)
class TestedSource:
    """One program with its tests; *source* is empty and *why_not* says why where nothing of it was kept.

    *tests* are as the proof kept them, *results* what came of each when it was proven. No text holds a secret.
    """

    subject: str
    source_hash: str
    strength: str
    entry: str
    source: str = ""
    why_not: str = ""
    tests: Sequence[Mapping[str, Any]] = ()
    results: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    held_out: int = 0
    mutants: int = 0
    mutants_killed: int = 0


def tested_sources(ledger: Ledger, events: Iterable[Event]) -> list[TestedSource]:
    """Return every program that these events prove or take from what is remembered, each once."""
    proofs: dict[str, Event] = {}
    wanted: set[str] = set()
    for event in events:
        hash = str(event.payload.get("source_hash") or "")
        if event.kind == "proof.made":
            proofs.setdefault(hash, event)
        elif event.kind == "agent.cached" and event.payload.get("hit"):
            wanted.add(hash)
    wanted -= proofs.keys()
    # An agent that was found again was proven by another run; nothing but its hash leads there.
    for event in ledger.read(kind="proof.made") if wanted else ():
        hash = str(event.payload.get("source_hash"))
        if hash in wanted:
            proofs[hash] = event
            wanted.discard(hash)
            if not wanted:
                break
    return [_tested(ledger, event) for event in proofs.values()]


def _tested(ledger: Ledger, event: Event) -> TestedSource:
    row: Any = event.payload
    names = ("source_hash", "strength", "entry", "results", "notes", "held_out", "mutants", "mutants_killed")
    shown: dict[str, Any] = {"subject": event.subject, **{name: row[name] for name in names}}
    if row["suite_hash"] is None:
        return TestedSource(**shown, why_not="tier ephemeral keeps neither source nor tests")
    try:
        source = ledger.get_blob(shown["source_hash"]).decode("utf-8", "replace")
        suite: Any = without_secrets_in(json.loads(ledger.get_blob(str(row["suite_hash"]))))
    except (MayflyError, ValueError) as error:
        return TestedSource(**shown, why_not=f"it cannot be read: {error}")
    return TestedSource(**shown, source=without_secrets(source), tests=suite.get("tests", ()))
