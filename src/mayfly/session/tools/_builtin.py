"""The tools that are built in: an agent may change them, by staging and with a person's word where the rules ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mayfly.core import Asked, InputError, Invocation
from mayfly.store import JSON
from mayfly.world import TEXT, said, takes, tool

if TYPE_CHECKING:
    from mayfly.store import Ledger


class BuiltinChange:
    """What an agent wants of a built-in tool; the source is a blob of the ledger, so that the rules see its hash."""

    def __init__(self, tool: str, payload: Mapping[str, JSON]) -> None:
        self.tool = tool
        self.source = str(payload.get("content", ""))
        self.path = str(payload.get("note", ""))
        self.why = str(payload.get("reason", ""))


# Stages a change of a built-in tool until *stop* is said, and says what came of it; a refusal is an error.
StageBuiltin = Callable[..., str]


def _asked(ledger: Ledger, call: Invocation) -> Asked:
    given = call.arguments
    if ledger.secrets.holds(given["source"]):
        raise InputError("the source holds a secret, which is never kept", fix="read it from the environment")
    source = ledger.put_blob(given["source"].encode("utf-8", "surrogatepass"))
    payload = {"content": source, "note": given.get("path", ""), "reason": given.get("why", "")}
    return Asked("builtin_modify", given["tool"], json.dumps(payload))


@tool(
    takes(
        "tool",
        "source",
        tool=said(TEXT, "the name of the tool", pattern=r"^[a-z][a-z0-9_]{0,63}$"),
        source=said(TEXT, "the whole new source of the file it is written in", minLength=1),
        path=said(TEXT, "which file, where two files define a tool of this name"),
        why=said(TEXT, "what the change is for, in one line", maxLength=200),
    ),
    effect="idempotent",
    asks_with=lambda ledger, _, call: (_asked(ledger, call),),
    seconds=900.0,  # three stages of up to 120, 120 and 180 s, and the start of the running tree after them
)
def builtin_modify(ledger: Ledger, stage: StageBuiltin, call: Invocation) -> str:
    """Change a tool that is built in: the whole new source of its file is tried on a branch of its own (compile, tests,
    start-up) and merged when all of it passes. Tools of the library are not changed so.
    """
    wanted = _asked(ledger, call)
    return stage(BuiltinChange(wanted.target, json.loads(wanted.payload)), stop=call.stop)
