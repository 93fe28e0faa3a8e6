"""People and other agents: ask, spawn, have a proven agent written, read on in a long result."""

from __future__ import annotations

import codecs
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mayfly.core import Asked, InputError, Invocation
from mayfly.world import NUMBER, TEXT, ToolResult, listed, said, takes, tool

if TYPE_CHECKING:
    from mayfly.store import Ledger

# How a person is asked: the question and the answers that are offered; None where nobody is there to answer now.
AskPerson = Callable[[str, tuple[str, ...]], str | None]
# Spawns an agent and returns what it said last.
Spawn = Callable[..., Awaitable[str]]
# Has a program written, proven and run: intent, input, examples; returns what `mayfly run --json` prints.
Compile = Callable[[Mapping[str, Any]], Mapping[str, Any]]
_PAGE = 7000
_EXAMPLE = takes("input", "output", input={}, output={})


@tool(
    takes(
        "id",
        id=said(TEXT, "the id that the result names", minLength=8),
        offset={"type": "integer", "minimum": 0, "description": "the byte to begin at"},
    )
)
def output_read(ledger: Ledger, session: str, call: Invocation) -> str:
    """Read on in a result that was too long to be given whole."""
    wanted, offset = call.arguments["id"], call.arguments.get("offset", 0)
    # Results of this session alone: in those of others placeholders stand for what is not known here.
    for entry in ledger.read(kind="session.tool_returned", subject=session):
        whole = str(entry.payload.get("whole", ""))
        if whole.startswith(wanted):
            data = ledger.get_blob(whole)
            # A character that the page would cut in two stands on the next one.
            part, read = codecs.utf_8_decode(data[offset : offset + _PAGE], "replace", offset + _PAGE >= len(data))
            left = len(data) - offset - read
            return part + (f"\n[{left:,} bytes more: offset {offset + read}]" if left > 0 else "")
    raise InputError(f"there is no result {wanted}")


@tool(
    takes("question", question=said(TEXT, "the question", minLength=1), choices=listed(TEXT, "")),
    asks="question",
    seconds=86_400.0,  # a person may be at lunch
)
def ask_user(ask: AskPerson, call: Invocation) -> object:
    """Ask the person something you cannot find out yourself."""
    answer = ask(call.arguments["question"], tuple(call.arguments.get("choices", ())))
    if answer is None:
        return ToolResult("nobody is here to answer: decide yourself and say so, or end your turn", failed=True)
    return answer


@tool(
    takes(
        "task",
        task=said(TEXT, "all it has to know: it sees nothing of this conversation", minLength=1),
        name=said(TEXT, "what it is called"),
        type={"enum": ["ephemeral", "persistent"]},
        verb=said(TEXT, "what kind of work it is: fix, test, review, research …"),
        seconds=said(NUMBER, "how long it may take", maximum=1800),
    ),
    name="spawn",
    effect="idempotent",
    asks="task",
    action="spawn_agent",
    quick=True,
    seconds=1800.0,
)
async def spawn_agent(spawn: Spawn, call: Invocation) -> object:
    """Have another agent do a part of the work, with a history of its own; returns what it says at the end."""
    given = call.arguments
    return await spawn(
        task=given["task"],
        name=given.get("name", ""),
        kind=given.get("type", "ephemeral"),
        verb=given.get("verb", ""),
        seconds=given.get("seconds"),
    )


@tool(
    takes(
        "intent",
        intent=said(TEXT, "what the program does with its input, in one sentence", minLength=1),
        input={"description": "the input; or path"},
        path=said(TEXT, "a file of the workspace that is the input"),
        examples=listed(_EXAMPLE, "pairs of input and output"),
    ),
    name="compile",
    asks=lambda call: tuple(Asked("file_read", call.arguments["path"]) for _ in [0] if "path" in call.arguments),
    seconds=600.0,
)
def compile_program(compile: Compile, call: Invocation) -> str:
    """Have a small program written for a function on data, proven by tests it did not write, and run behind the wall.

    For parsing, converting, counting: better than writing a script yourself.
    """
    return json.dumps(compile(call.arguments), ensure_ascii=False, indent=1)
