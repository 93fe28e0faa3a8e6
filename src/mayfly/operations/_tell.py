"""The story of a run in words: a sentence or a few for each event, as the ledger has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mayfly.core import Money
from mayfly.operations._tell_session import TELL as SESSION_WORDS
from mayfly.operations._words import account_words, status_words

if TYPE_CHECKING:
    from mayfly.store import Event


def tell(events: Iterable[Event]) -> Iterator[str]:
    """Yield a line for each thing that happened; what belongs to the line before begins with spaces."""
    for event in events:
        lines = _TELL.get(event.kind, _other)(event.payload)
        yield from [lines] if isinstance(lines, str) else lines


def _began(row: Mapping[str, Any]) -> list[str]:
    who = row["model"] or "no model: programs by example"
    granted = f", granted {', '.join(row['grants'])}" if row.get("grants") else ""
    where = f"tier {row['tier']}, depth {row['depth']}{granted}"
    return [f"asked: {row['intent']}", f"  {where}, {row['examples']} examples, {who}"]


def _wrote(row: Mapping[str, Any]) -> str:
    how = row["provenance"].get("how", "") if isinstance(row["provenance"], dict) else ""
    told = f": {how}" if how else ""
    return f"attempt {row['attempt']}: {row['author']} wrote {row['lines']} lines, {row['source_hash'][:12]}{told}"


def _judged(row: Mapping[str, Any]) -> list[str]:
    where = f" line {row['line']}" if row["line"] else ""
    limit = f" (limit {row['limit']})" if row["limit"] is not None else ""
    lines = [f"  {row['gate']} {row['decision']}{where}: {row['message']}{limit} [{row['code']}]"]
    return lines + ([f"    fix: {row['fix'].splitlines()[0]}"] if row["fix"] and row["decision"] != "accept" else [])


def _reflected(row: Mapping[str, Any]) -> list[str]:
    lines = [f"reflection on attempt {row['attempt']}: {row['root_cause']} (confidence {row['confidence']:g})"]
    return lines + [f"  suggestion: {suggestion}" for suggestion in row["suggestions"]]


def _created(row: Mapping[str, Any]) -> str:
    mended = f", {len(row['repairs'])} mechanical repairs" if row["repairs"] else ""
    took = f"gates {row['milliseconds']:.0f} ms"
    return f"created: {row['source_hash'][:12]} admitted at attempt {row['attempts']}{mended}, {took}"


def _proof(row: Mapping[str, Any]) -> list[str]:
    lines = [
        f"proof {row['strength']}: {row['tests']} tests, {row['held_out']} held out,"
        f" {row['mutants_killed']} of {row['mutants']} mutants caught"
    ]
    failed = [result for result in row["results"] if not result.get("passed")]
    lines += [f"  failed: {result.get('name')}: {result.get('error')}" for result in failed[:5]]
    return lines + [f"  {note}" for note in row["notes"]]


def _cached(row: Mapping[str, Any]) -> str:
    return f"cached: {row['source_hash'][:12]} {'found again' if row['hit'] else 'remembered'} under {row['key'][:12]}"


def _executed(row: Mapping[str, Any]) -> str:
    items = f", {row['items']:,} results" if row["items"] is not None else ""
    error = f": {row['error']}" if row["error"] else ""
    return f"executed: {row['status']} in {row['milliseconds']:.1f} ms, {row['lane']}, {row['level']}{items}{error}"


def _collected(row: Mapping[str, Any]) -> str:
    return f"collected: the process is gone, the source is {'kept' if row['kept'] else 'not kept'}"


def _resolved(row: Mapping[str, Any]) -> list[str]:
    return [f"resolved: {row['reason']} · {_cost(row)}", *_read(row)]


def _collapsed(row: Mapping[str, Any]) -> list[str]:
    lines = [f"{status_words(row['status'])}: {row['reason']} [{row['code']}] · {_cost(row)}", *_read(row)]
    lines += [f"  could mean: {reading}" for reading in row.get("readings") or ()]
    return lines + ([f"  question: {row['question']}"] if row.get("question") and not row.get("readings") else [])


def _read(row: Mapping[str, Any]) -> list[str]:
    """Say how the request was read and which lines the answer is about, where that was recorded."""
    lines = [f"  read as: {row['reading']}"] if row.get("reading") else []
    return lines + ([f"  lines: {account_words(row['account'])}"] if row.get("account") else [])


def _cost(row: Mapping[str, Any]) -> str:
    spent = f", {Money.of(row['money'])}" if row["money"] else ""
    tokens = f", {row['input_tokens']}+{row['output_tokens']} tokens" if row["model_calls"] else ""
    return f"{row['seconds']:.3f} s, {row['model_calls']} model calls{tokens}{spent}"


def _other(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.items())


_TELL: dict[str, Any] = {
    **SESSION_WORDS,
    "run.began": _began,
    "forge.wrote": _wrote,
    "gate.judged": _judged,
    "forge.reflected": _reflected,
    "agent.created": _created,
    "proof.made": _proof,
    "agent.cached": _cached,
    "agent.executed": _executed,
    "agent.collected": _collected,
    "run.resolved": _resolved,
    "run.collapsed": _collapsed,
}
