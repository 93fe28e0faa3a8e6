"""Lists, pages, names, resources, runs, reasons and approvals, as a client sees them."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from mayfly.core import Settings
from mayfly.runtime import Runtime

from .conftest import FACES, Face, called, each_face, names, refused, run, text_of

STDIO = FACES[0]
OWN = 12


@pytest.mark.later
def test_many_tools_come_in_pages_and_the_rest_is_found(library: Path) -> None:
    async def look() -> None:
        face = Face(transport="stdio", mode="legacy", env={"MAYFLY_MCP_PAGE": "5", "MAYFLY_MCP_LISTED": "2"})
        async with face.client(library) as client:
            first = await client.list_tools()
            assert len(first.tools) == 5
            listed = await names(client)
            assert len(listed) == OWN + 2
            every = {"repeat_text", "work_for", "text_of_codes", "split_name"}
            for name in every - set(listed):
                found = await called(client, "find_tool", intent=name.replace("_", " "))
                assert name in [one["name"] for one in found.structured_content["tools"]]
            # What is used comes into the list.
            unlisted = sorted(every - set(listed))[0]
            await called(client, "call_tool", name="repeat_text", arguments={"text": "a", "times": 1})
            await called(client, "call_tool", name="split_name", arguments={"name": "A B"})
            await called(client, "delete_tool", name=unlisted)
            assert set(await names(client)) >= {"repeat_text", "split_name"} - {unlisted}

    run(look)


@pytest.mark.later
def test_a_page_goes_on_behind_a_tool_that_is_gone(library: Path) -> None:
    async def look() -> None:
        face = Face(transport="stdio", mode="legacy", env={"MAYFLY_MCP_PAGE": str(OWN + 1)})
        async with face.client(library) as client:
            first = await client.list_tools()
            last = first.tools[-1].name
            assert first.next_cursor is not None
            await called(client, "delete_tool", name=last)
            second = await client.list_tools(cursor=first.next_cursor)
            assert [tool.name for tool in second.tools] == ["split_name", "text_of_codes", "work_for"]

    run(look)


@pytest.mark.later
def test_a_library_tool_called_like_one_of_ours_is_listed_under_another_name(library: Path) -> None:
    source = 'def plan(days: int) -> int:\n    """Say how many weeks days are."""\n    return days // 7\n'
    with Runtime(Settings(state_dir=str(library))) as runtime:
        made = runtime.tools.write("", source=source, examples=[{"input": {"days": 15}, "output": 2}], by="tests")
        assert made.accepted, made.reason

    async def look() -> None:
        async with STDIO.client(library) as client:
            listed = await names(client)
            assert listed.count("plan") == 1
            assert (await called(client, "library-plan", days=15)).structured_content == {"result": 2}
            assert "intent" in await refused(client, "plan", days=15)
            used = await called(client, "call_tool", name="plan", arguments={"days": 15})
            assert used.structured_content["result"] == 2

    run(look)


@pytest.mark.first(1)
@each_face
def test_cards_sources_runs_and_rules_can_be_read(face: Face, library: Path) -> None:
    async def read(client: Any, uri: str) -> Any:
        found = (await client.read_resource(uri)).contents[0]
        return json.loads(found.text) if found.mime_type == "application/json" else found.text

    async def look() -> None:
        async with face.client(library) as client:
            done = await called(client, "run", intent="count lines by level", lines="ERROR a\nINFO b\nERROR c\n" * 20)
            assert done.structured_content["value"] == {"ERROR": 40, "INFO": 20}
            id = done.structured_content["id"]
            uris = {str(one.uri) for one in (await client.list_resources()).resources}
            assert {"mayfly://rules", "mayfly://tools/repeat_text", f"mayfly://runs/{id}"} <= uris
            card = await read(client, "mayfly://tools/repeat_text")
            assert (card["name"], card["version"]) == ("repeat_text", 1)
            assert "def repeat_text" in await read(client, "mayfly://tools/repeat_text/source")
            assert (await read(client, "mayfly://tools/repeat_text/log"))[0]["kind"] == "tool.written"
            assert (await read(client, f"mayfly://runs/{id}"))["events"]
            rules = await read(client, "mayfly://rules")
            file = rules["files"][0]["file"]
            assert await read(client, f"mayfly://rules/{file}")
            templates = (await client.list_resource_templates()).resource_templates
            assert "mayfly://tools/{name}" in [one.uri_template for one in templates]
            for uri in (
                "mayfly://tools/none",
                "mayfly://runs/r-00000000",
                "mayfly://rules/../x",
                "mayfly://x",
                "http://x",
            ):
                with pytest.raises(MCPError):
                    await client.read_resource(uri)

    run(look)


@pytest.mark.later
def test_the_same_questions_get_the_same_answers_as_on_the_command_line(library: Path) -> None:
    async def look() -> None:
        async with STDIO.client(library) as client:
            done = await called(client, "run", intent="count lines by level", lines="ERROR a\nINFO b\n" * 30)
            id = done.structured_content["id"]
            assert done.structured_content["status"] == "resolved"
            assert done.structured_content["proof"]["strength"] in ("strong", "tested")
            why = await called(client, "why", id=id)
            assert why.structured_content["steps"]
            why = await called(client, "why", id="repeat_text")
            assert "who speaks for it" in text_of(why)
            checked = await called(
                client, "check_code", source="import os\n\ndef f() -> str:\n    return os.getcwd()\n"
            )
            assert checked.structured_content["decision"] == "reject"
            planned = await called(client, "plan", intent="count the words of a text")
            assert planned.structured_content["intent"] == "count the words of a text"
            both = await refused(client, "run", intent="x", input=1, lines="a")
            assert "one of them" in both
            files = {"a.log": "ERROR a\nINFO b\n" * 30, "../b.log": "ERROR a\n" * 30}
            done = await called(client, "run", intent="count lines by file", files=files)
            assert done.structured_content["value"] == {"a.log": 60, "b.log": 30}

    run(look)


def test_a_question_is_answered_and_the_task_goes_on(state: Path) -> None:
    async def look() -> None:
        async with STDIO.client(state) as client:
            asked = await client.call_tool(
                "run",
                {
                    "intent": "shorten the name",
                    "examples": [{"input": "Ada Lovelace", "output": "A. Lovelace"}],
                    "input": "Grace Brewster Hopper",
                    "ground": "?",
                },
            )
            assert asked.is_error
            data = asked.structured_content
            assert data["value"] == "?"
            assert data["question"]
            assert "answer with id" in text_of(asked)
            answered = await client.call_tool("answer", {"id": data["id"], "text": "G. Hopper"})
            assert answered.structured_content["id"] != data["id"]

    run(look)


def test_approving_is_a_persons_unless_the_operator_says_otherwise(library: Path) -> None:
    from mayfly.session import ApprovalAsked
    from mayfly.store import Ledger

    asked = ApprovalAsked(
        decision="d-000000000000",
        session="s-0001",
        action="web_fetch",
        target="example.com",
        payload="{}",
        held="",
        digest="",
        summary="fetch example.com",
        reasons=(),
    )
    with Ledger.open(Settings(state_dir=str(library))) as ledger:
        ledger.append(asked, subject="a-0001")

    async def look() -> None:
        async with STDIO.client(library) as client:
            shown = await called(client, "approve", id="a-0001", show=True)
            assert shown.structured_content["approved"] is False
            assert shown.structured_content["target"] == "example.com"
            told = await refused(client, "approve", id="a-0001")
            assert "a person can help: mayfly approve a-0001" in told
            told = await refused(client, "answer", id="r-0001/0.1", text="again")
            assert "for a person to say" in told
            assert "mayfly answer r-0001/0.1" in told

    run(look)
    with Ledger.open(Settings(state_dir=str(library))) as ledger:
        assert ledger.count(kind="approval.settled") == 0


@pytest.mark.later
def test_nothing_but_frames_is_on_stdout_whatever_is_printed(library: Path) -> None:
    """A tool that prints, a warning and an error on the way: the client reads messages and nothing else."""
    source = 'def loud(text: str) -> str:\n    """Print and return."""\n    print("noise", text)\n    return text\n'
    with Runtime(Settings(state_dir=str(library))) as runtime:
        made = runtime.tools.write("", source=source, examples=[{"input": {"text": "a"}, "output": "a"}], by="tests")
        assert made.accepted, made.reason

    async def look() -> None:
        wrong: list[object] = []

        async def handle(message: object) -> None:
            if isinstance(message, Exception):
                wrong.append(message)

        async with STDIO.client(library, message_handler=handle) as client:
            assert (await called(client, "loud", text="a")).structured_content == {"result": "a"}
            await client.call_tool("loud", {"text": 7})
        assert not wrong

    run(look)
