"""Find and call tools, run tasks, check code, and say why: for a client, by the same ways that commands go."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import UNSET, Artifact, InputError, Outcome, Tier, one_line, without_secrets, without_secrets_in
from mayfly.serve._reply import Reply, advice, failed, value_text

if TYPE_CHECKING:
    from mayfly.library import ToolOutcome
    from mayfly.runtime import Runtime
    from mayfly.serve._errand import Errand

Arguments = Mapping[str, Any]
# Items of a list that lies on disk which are handed to a client; there is no room for more in a conversation.
_ITEMS = 10_000
_DIFF = 20_000


class Asking:
    """The tools of the server that look, call and run."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tools = runtime.tools

    def find_tool(self, given: Arguments, errand: Errand) -> Reply:
        """Find tools by what they should do."""
        found = self._tools.find(given["intent"], given.get("limit", 10))
        tools = [
            {
                "name": one.name,
                "version": one.version,
                "summary": one.summary,
                "strength": one.strength,
                "grants": list(one.grants),
                "input_schema": dict(one.input_schema),
                "output_schema": dict(one.output_schema),
                "score": round(one.score, 4),
            }
            for one in found
        ]
        todo = "call_tool with a name and arguments" if tools else "create_tool with this intent and a few examples"
        lines = [f"{one['name']}({json.dumps(one['input_schema'])}): {one['summary']}" for one in tools]
        return Reply(text="\n".join([*lines, f"next: {todo}"]), data={"tools": tools, "next": todo})

    def call_tool(self, given: Arguments, errand: Errand) -> Reply:
        """Call a tool by its name."""
        outcome = self.called(given["name"], given.get("arguments", {}), errand, **_chosen(given, "version", "seconds"))
        if not outcome.ok:
            return call_failed(outcome)
        data = {
            "result": outcome.value,
            "name": outcome.name,
            "version": outcome.version,
            "milliseconds": outcome.milliseconds,
        }
        return Reply(text=value_text(outcome.value), data=data)

    def called(self, name: str, arguments: Mapping[str, Any], errand: Errand, **options: Any) -> ToolOutcome:
        """Call a tool of the library; the client's leaving ends it."""
        return self._tools.call(name, dict(arguments), stop=errand.stop, **options)

    def run(self, given: Arguments, errand: Errand) -> Reply:
        """Do one task."""
        if "input" in given and "lines" in given:
            raise InputError("input and lines are two inputs", fix="give one of them")
        options = _chosen(given, "examples", "ground", "reading", "bad_lines", "accept_weak", "demand_strong")
        if "lines" not in given:
            return _outcome(self._runtime.run(given["intent"], input=given.get("input", UNSET), **options))
        # A file, since lines are streamed from one; it lasts as long as the call.
        with tempfile.TemporaryDirectory(prefix="mayfly-mcp-") as folder:
            path = Path(folder) / "lines.txt"
            path.write_text(given["lines"], encoding="utf-8", errors="replace")
            return _outcome(self._runtime.run(given["intent"], lines=path, **options))

    def check_code(self, given: Arguments, errand: Errand) -> Reply:
        """Try code at the gates that do not run it."""
        from mayfly.gates import Profile
        from mayfly.views import verdict_fields

        parts, settings = self._runtime.parts, self._runtime.settings
        parts.types.start()
        profile = Profile.of(settings.gates, tier=Tier(given.get("tier", "authored")), depth=given.get("depth", 0))
        artifact = Artifact(kind="agent", source=given["source"], author=errand.client)
        found = parts.gates().admit(
            artifact, profile=profile, suite=None, intent=given.get("intent", ""), any_entry=True, last=False
        )
        verdicts = [verdict_fields(one) for one in found.verdicts]
        lines = [f"{one.decision} {one.gate}: {one_line(one.message)}" for one in found.verdicts]
        fixes = [f"  {one_line(one.fix)}" for one in found.verdicts if one.fix and one.decision != "accept"]
        data = {"decision": found.decision, "verdicts": verdicts, "repairs": list(found.repairs)}
        return Reply(text="\n".join([found.decision, *lines, *fixes]), data=data)

    def plan(self, given: Arguments, errand: Errand) -> Reply:
        """Say into which steps a task would be divided."""
        from mayfly.promise.plan import plan_json

        tree = self._runtime.plan(given["intent"], input=given.get("input", UNSET), examples=given.get("examples", ()))
        lines = [f"{promise.id} {promise.intent}" for promise in tree.walk()]
        return Reply(text="\n".join(lines), data=plan_json(tree))

    def why(self, given: Arguments, errand: Errand) -> Reply:
        """Say why a run, a decision, a goal or a tool is as it is."""
        from mayfly.serve._reasons import reasons_for

        return reasons_for(self._runtime, given["id"])

    def answer(self, given: Arguments, errand: Errand) -> Reply:
        """Answer a question of a run; what became of an effect is for a person to say."""
        from mayfly.runtime import answer_help

        if "/" in given["id"] and not given["id"].startswith("h-"):
            return failed(
                f"{given['id']} is an effect: what became of it is for a person to say",
                f"mayfly answer {given['id']} done|again|failed",
            )
        return _outcome(answer_help(self._runtime, given["id"], given["text"]))

    def approve(self, given: Arguments, errand: Errand) -> Reply:
        """Show what waits, or agree to it where the operator lets clients do that."""
        from mayfly.runtime import Desk, open_approvals
        from mayfly.session import SessionLog

        settings, ledger = self._runtime.settings, self._runtime.ledger
        desk = Desk(settings, ledger=ledger)
        waiting = open_approvals(settings, desk, ledger).get(given["id"])
        began = SessionLog(ledger, waiting.asked.session).began
        workspace = Path(began.workspace) if began is not None else None
        approvals = open_approvals(settings, Desk(settings, ledger=ledger, workspace=workspace), ledger)
        asked = waiting.asked
        if given.get("show"):
            would = without_secrets(approvals.diff(waiting))[:_DIFF]
            data = {"id": waiting.id, "approved": False, "action": asked.action, "target": asked.target, "would": would}
            return Reply(text=f"{one_line(asked.summary)}\n{would}", data=data)
        if settings.mcp.approve != "on":
            return failed(
                "who asks for something does not approve it: over MCP nothing is approved here",
                f"mayfly approve {waiting.id}",
            )
        result = approvals.approve(waiting.id, by=errand.client, reason=given.get("reason", ""))
        return Reply(text=f"approved: {result}", data={"id": waiting.id, "approved": True, "result": result})


def call_failed(outcome: ToolOutcome) -> Reply:
    """Say why a tool gave no value, and what to do about it."""
    todo = {
        "unknown": "look with find_tool; if there is nothing that fits, make it with create_tool",
        "timeout": "call it with less, or make it faster with update_tool",
        "cancelled": "call it again if the result is still wanted",
        "killed": "everything is stopped: mayfly kill off",
    }.get(outcome.status, "")
    fix = "; ".join(part for part in (outcome.fix, todo) if part)
    if not fix:
        fix = (
            "check the arguments against its input_schema; if the tool is wrong, update_tool with a test that shows it"
        )
    return failed(
        outcome.error or outcome.status, fix, status=outcome.status, name=outcome.name, version=outcome.version
    )


def _chosen(given: Arguments, *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


def _outcome(outcome: Outcome[Any]) -> Reply:
    """Say how a task ended; what is not proven is an error, so that nobody takes ground for an answer."""
    from mayfly.views import outcome_fields

    value: Any = outcome.value
    if not isinstance(value, (str, list)) and hasattr(value, "__len__") and hasattr(value, "__getitem__"):
        value = value if isinstance(value, dict) else list(value[:_ITEMS])
    fields = without_secrets_in(outcome_fields(outcome))
    assert isinstance(fields, dict), "fields stay fields"
    data = {**fields, "value": value}
    if outcome.resolved:
        read = f"read as {outcome.reading}\n" if outcome.reading else ""
        return Reply(text=f"{read}{value_text(value)}", data=data)
    lines = [f"{outcome.status}: {one_line(without_secrets(advice(outcome.reason)))}"]
    if outcome.question:
        lines.append(f"question: {one_line(outcome.question)}")
    lines += [f"reading: {one_line(offer.reading)}" for offer in outcome.readings]
    if outcome.readings:
        todo = "run it again with one of these as reading"
    elif outcome.question:
        todo = f"ask the person, then: answer with id {outcome.id} and what they say"
    elif outcome.candidate is not None:
        todo = "give examples, or take the candidate with accept_weak: true"
    else:
        todo = "say it in other words, or give input, lines or examples"
    return Reply(text="\n".join([*lines, f"next: {todo}"]), data={**data, "next": todo}, error=True)
