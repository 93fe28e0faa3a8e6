"""Find and call tools, run tasks, check code, and say why: for a client, by the same ways that commands go."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly import operations
from mayfly.core import UNSET, InputError, Outcome, Tier, one_line, without_secrets, without_secrets_in
from mayfly.serve._reply import ToolReply, advice, failed, value_text

if TYPE_CHECKING:
    from mayfly.library import ToolOutcome
    from mayfly.runtime import Runtime
    from mayfly.serve._reply import Errand

Arguments = Mapping[str, Any]
# Items of a list that lies on disk which are handed to a client; there is no room for more in a conversation.
_ITEMS = 10_000
_DIFF = 20_000
# Of a file's own name is kept what makes a name in any directory.
_NOT_KEPT = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80


class Asking:
    """The tools of the server that look, call and run."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tools = runtime.tools

    def find_tool(self, given: Arguments, errand: Errand) -> ToolReply:
        """Find tools by what they should do."""
        found = operations.list_tools(self._tools, find=given["intent"], most=given.get("limit", 10))
        tools = [{**one.to_json(), "score": round(one.score, 4)} for one in found]
        todo = "call_tool with a name and arguments" if tools else "create_tool with this intent and a few examples"
        lines = [f"{one['name']}({json.dumps(one['input_schema'])}): {one['summary']}" for one in tools]
        return ToolReply(text="\n".join([*lines, f"next: {todo}"]), data={"tools": tools, "next": todo})

    def call_tool(self, given: Arguments, errand: Errand) -> ToolReply:
        """Call a tool by its name."""
        outcome = self.called(given["name"], given.get("arguments", {}), errand, **_chosen(given, "version", "seconds"))
        if not outcome.ok:
            return call_failed(outcome)
        data = {"result": outcome.value, **operations.pick_fields(outcome, "name version milliseconds")}
        return ToolReply(text=value_text(outcome.value), data=data)

    def called(self, name: str, arguments: Mapping[str, Any], errand: Errand, **options: Any) -> ToolOutcome:
        """Call a tool of the library; the client's leaving ends it."""
        return self._tools.call(name, dict(arguments), stop=errand.stop, **options)

    def run(self, given: Arguments, errand: Errand) -> ToolReply:
        """Do one task."""
        if len(given.keys() & {"input", "lines", "files"}) > 1:
            raise InputError("input, lines and files are several inputs", fix="give one of them")
        options = _chosen(given, "examples", "ground", "reading", "bad_lines", "accept_weak", "demand_strong")
        if not given.keys() & {"lines", "files"}:
            return _outcome(self._runtime.run(given["intent"], input=given.get("input", UNSET), **options))
        # A file, since lines are streamed from one; it lasts as long as the call.
        with tempfile.TemporaryDirectory(prefix="mayfly-mcp-") as folder:
            paths = [
                _written(Path(folder) / str(number), name, text)
                for number, (name, text) in enumerate(given.get("files", {"lines.txt": given.get("lines", "")}).items())
            ]
            return _outcome(self._runtime.run(given["intent"], lines=paths, **options))

    def check_code(self, given: Arguments, errand: Errand) -> ToolReply:
        """Try code at the gates that do not run it."""
        from mayfly.gates import Profile

        settings = self._runtime.settings
        profile = Profile.of(settings.gates, tier=Tier(given.get("tier", "authored")), depth=given.get("depth", 0))
        found = operations.check_source(
            self._runtime, given["source"], profile=profile, intent=given.get("intent", ""), author=errand.client
        )
        lines = [f"{one.decision} {one.gate}: {one_line(one.message)}" for one in found.verdicts]
        fixes = [f"  {one_line(one.fix)}" for one in found.verdicts if one.fix and one.decision != "accept"]
        return ToolReply(text="\n".join([found.decision, *lines, *fixes]), data=operations.admission_fields(found))

    def plan(self, given: Arguments, errand: Errand) -> ToolReply:
        """Say into which steps a task would be divided."""
        from mayfly.promise.plan import plan_json

        tree = self._runtime.plan(given["intent"], input=given.get("input", UNSET), examples=given.get("examples", ()))
        lines = [f"{promise.id} {promise.intent}" for promise in tree.walk()]
        return ToolReply(text="\n".join(lines), data=plan_json(tree))

    def why(self, given: Arguments, errand: Errand) -> ToolReply:
        """Say why a run, a decision, a goal or a tool is as it is."""
        from mayfly.persona import Desk

        runtime = self._runtime
        found = operations.why(
            runtime.ledger,
            given["id"],
            desk=lambda: Desk(runtime.settings, ledger=runtime.ledger),
            tools=lambda: self._tools,
        )
        cleaned: Any = without_secrets_in(found.to_json())
        return ToolReply(text="\n".join(one_line(line, limit=2000) for line in found.lines()), data=cleaned)

    def answer(self, given: Arguments, errand: Errand) -> ToolReply:
        """Answer a question of a run; what became of an effect is for a person to say."""
        if "/" in given["id"] and not given["id"].startswith("h-"):
            return failed(
                f"{given['id']} is an effect: what became of it is for a person to say",
                f"mayfly answer {given['id']} done|again|failed",
            )
        return _outcome(operations.answer_call(self._runtime, given["id"], given["text"]))

    def approve(self, given: Arguments, errand: Errand) -> ToolReply:
        """Show what waits, or agree to it where the operator lets clients do that."""
        settings, ledger = self._runtime.settings, self._runtime.ledger
        if given.get("show"):
            found = operations.look_at_approval(settings, ledger, given["id"])
            would = without_secrets(found.diff)[:_DIFF]
            cleaned: Any = without_secrets_in(found.to_json(most=_DIFF))
            data = {**cleaned, "approved": found.waiting.settled is not None and found.waiting.settled.approved}
            return ToolReply(text=f"{one_line(found.waiting.asked.summary)}\n{would}", data={**data, "would": would})
        waiting = operations.find_approval(ledger, given["id"])
        if settings.mcp.approve != "on":
            return failed(
                "who asks for something does not approve it: over MCP nothing is approved here",
                f"mayfly approve {waiting.id}",
            )
        done = operations.settle_approval(
            settings, ledger, waiting.id, approved=True, by=errand.client, reason=given.get("reason", "")
        )
        return ToolReply(text=f"approved: {done.result}", data=done.to_json())


def _written(folder: Path, name: str, text: str) -> Path:
    """Write a text to a file in a folder of its own; only letters, digits and a few signs are kept of its name."""
    folder.mkdir()
    path = folder / (_NOT_KEPT.sub("_", name.rpartition("/")[2]).lstrip(".")[-_LONGEST_NAME:] or "lines.txt")
    path.write_text(text, encoding="utf-8", errors="replace")
    return path


def call_failed(outcome: ToolOutcome) -> ToolReply:
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
    return failed(outcome.error or outcome.status, fix, **operations.pick_fields(outcome, "status name version"))


def _chosen(given: Arguments, *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


def _outcome(outcome: Outcome[Any]) -> ToolReply:
    """Say how a task ended; what is not proven is an error, so that nobody takes ground for an answer."""
    data = operations.outcome_data(outcome, most=_ITEMS)
    cleaned: Any = without_secrets_in({name: value for name, value in data.items() if name != "value"})
    value = data["value"]
    data = {**cleaned, "value": value}
    if outcome.resolved:
        read = f"read as {outcome.reading}\n" if outcome.reading else ""
        return ToolReply(text=f"{read}{value_text(value)}", data=data)
    lines = [f"{outcome.ending}: {one_line(without_secrets(advice(outcome.reason)))}"]
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
    return ToolReply(text="\n".join([*lines, f"next: {todo}"]), data={**data, "next": todo}, error=True)
