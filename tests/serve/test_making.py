"""Tools made without a key: in steps by the client's own model, by sampling, and what is refused on the way."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.types import CreateMessageRequestParams, CreateMessageResult, TextContent

from mayfly.core import Settings
from mayfly.runtime import Runtime

from .conftest import EXAMPLES, FACES, ROMAN, TESTS, Face, called, each_face, refused, run, text_of

CONTRACT = {
    "input": {"type": "str", "format": "a roman numeral in capitals"},
    "output": {"type": "int"},
    "edges": {"empty": "gives 0"},
    "assumptions": ["only capital letters occur"],
}
STDIO = FACES[0]


@each_face
def test_a_draft_asks_for_contract_and_tests_then_source_and_survives_a_restart(face: Face, state: Path) -> None:
    found: dict[str, Any] = {}

    async def first() -> None:
        async with face.client(state) as client:
            opened = await called(client, "create_tool", intent="convert roman numerals to numbers")
            data = opened.structured_content
            assert data["status"] == "draft"
            assert data["wants"] == ["name", "contract", "tests"]
            found["draft"] = data["draft"]
            told = await refused(client, "create_tool", draft=data["draft"], name="roman_to_int", source=ROMAN)
            assert "tests" in told
            handed = await called(
                client, "create_tool", draft=data["draft"], name="roman_to_int", contract=CONTRACT, tests=TESTS
            )
            assert handed.structured_content["wants"] == ["source"]

    async def second() -> None:
        async with face.client(state) as client:
            draft = found["draft"]
            wrong = await client.call_tool("create_tool", {"draft": draft, "source": ROMAN.replace("50", "60")})
            assert wrong.is_error
            assert wrong.structured_content["draft"] == draft
            assert "1666" in text_of(wrong)
            # Tests that follow a program say nothing about it.
            told = await refused(client, "create_tool", draft=draft, tests=TESTS.replace("1666", "1676"))
            assert "cannot change" in told
            made = await called(client, "create_tool", draft=draft, source=ROMAN)
            assert made.structured_content["status"] == "created"
            assert "one hand" in made.structured_content["witness"]
            assert "has become" in await refused(client, "create_tool", draft=draft, source=ROMAN)
            assert (await called(client, "roman_to_int", text="XL")).structured_content == {"result": 40}

    run(first)
    run(second)
    # What was agreed on before the source came is what the tool was tried under.
    with Runtime(Settings(state_dir=str(state))) as runtime:
        card, _ = runtime.tools.show("roman_to_int")
        assert card.contract == {**CONTRACT, "output": {"type": "int"}}


def test_a_draft_goes_after_its_time_and_a_stranger_does_not_find_it(library: Path) -> None:
    async def look() -> None:
        async with STDIO.client(library) as client:
            opened = await called(client, "create_tool", intent="anything at all")
            for id in ("dr-0000000000000000", "r-12ab", "\x1b[0m", "x" * 64):
                assert "there is no draft" in await refused(client, "create_tool", draft=id, tests=TESTS)
            late = Face(transport="stdio", mode="legacy", env={"MAYFLY_MCP_DRAFT": "0"})
            async with late.client(library) as other:
                told = await refused(other, "create_tool", draft=opened.structured_content["draft"], tests=TESTS)
                assert "older than" in told

    run(look)


def test_what_cannot_be_kept_in_a_draft_is_refused_with_what_to_do(library: Path) -> None:
    async def look() -> None:
        async with STDIO.client(library) as client:
            opened = await called(client, "create_tool", intent="anything at all")
            draft = opened.structured_content["draft"]
            assert "def test_" in await refused(client, "create_tool", draft=draft, tests="nothing here")
            assert "edge" in await refused(client, "create_tool", draft=draft, contract={"edges": {"odd": "x"}})
            secret = "def test_x():\n    assert f('sk-ant-api03-" + "a1B2" * 22 + "') == 1\n"
            assert "secret" in await refused(client, "create_tool", draft=draft, tests=secret)

    run(look)


def test_examples_alone_can_be_enough(state: Path) -> None:
    examples = [
        {"input": "Ada Lovelace", "output": "A. Lovelace"},
        {"input": "Grace Hopper", "output": "G. Hopper"},
        {"input": "Alan Turing", "output": "A. Turing"},
        {"input": "Barbara Liskov", "output": "B. Liskov"},
        {"input": "Edsger Dijkstra", "output": "E. Dijkstra"},
    ]

    async def look() -> None:
        async with STDIO.client(state) as client:
            made = await called(
                client,
                "create_tool",
                intent="shorten the first name of a person to its initial",
                name="short_name",
                examples=examples,
                accept_weak=True,
            )
            assert made.structured_content["status"] == "created", text_of(made)
            used = await called(client, "short_name", value="Donald Knuth")
            assert used.structured_content == {"result": "D. Knuth"}

    run(look)


def test_examples_that_are_not_enough_lead_to_a_draft_that_has_them(state: Path) -> None:
    examples = [{"input": "hello", "output": 17}, {"input": "abc", "output": -4}, {"input": "zz", "output": 311}]

    async def look() -> None:
        async with STDIO.client(state) as client:
            opened = await called(client, "create_tool", intent="rate a word", name="rate_word", examples=examples)
            data = opened.structured_content
            assert data["status"] == "draft"
            assert data["reason"]
            assert data["wants"] == ["contract", "tests"]
            tests = "def test_it():\n    assert rate_word('q') == 5\n"
            await called(client, "create_tool", draft=data["draft"], contract=CONTRACT, tests=tests)
            source = 'def rate_word(word: str) -> int:\n    """Rate a word."""\n    return 5\n'
            assert "hello" in await refused(client, "create_tool", draft=data["draft"], source=source)

    run(look)


def test_the_clients_model_is_asked_where_it_offers_that(state: Path) -> None:
    asked: list[str] = []

    async def sample(context: object, params: CreateMessageRequestParams) -> CreateMessageResult:
        system = params.system_prompt or ""
        content = params.messages[0].content
        assert isinstance(content, TextContent)
        asked.append(f"{system}\n{content.text}")
        return CreateMessageResult(
            role="assistant", model="theirs", content=TextContent(type="text", text=_written(asked[-1]))
        )

    async def look() -> None:
        async with STDIO.client(state, sampling_callback=sample) as client:
            made = await called(
                client, "create_tool", intent="convert a roman numeral to a whole number", name="roman_to_int"
            )
            data = made.structured_content
            assert data["status"] == "created", text_of(made)
            assert (await called(client, "roman_to_int", value="XL")).structured_content == {"result": 40}
            card = json.loads((await client.read_resource("mayfly://tools/roman_to_int")).contents[0].text)  # type: ignore[union-attr]
            assert card["author"].startswith("client:")
        # Each in a conversation of its own: who writes tests sees no source, and who writes the source no tests.
        assert len(asked) >= 3
        assert not any("reversed(" in one and "You write tests" in one for one in asked)
        assert not any("1666" in one and "You write one small" in one for one in asked)

    run(look)


def _written(prompt: str) -> str:
    if "You write tests" in prompt:
        cases = {"MDCLXVI": 1666, "XL": 40, "IV": 4, "MCMXC": 1990, "III": 3, "I": 1}
        return json.dumps({"cases": [{"input": [one], "output": gives} for one, gives in cases.items()]})
    if "You say what a small program" in prompt:
        return json.dumps({"input": {"type": "str", "pattern": "[IVXLCDM]+"}, "output": {"type": "int"}})
    if "You decide what the result" in prompt:
        return '{"sure": false}'
    source = ROMAN.replace("value ", "amount ").replace("value)", "amount)").replace("-value", "-amount")
    return "```python\n" + source.replace("text", "value") + "```"


def test_sampling_can_be_switched_off(state: Path) -> None:
    async def sample(context: object, params: CreateMessageRequestParams) -> CreateMessageResult:
        raise AssertionError("nobody asks")

    async def look() -> None:
        face = Face(transport="stdio", mode="legacy", env={"MAYFLY_MCP_SAMPLING": "off"})
        async with face.client(state, sampling_callback=sample) as client:
            opened = await called(client, "create_tool", intent="convert roman numerals")
            assert opened.structured_content["status"] == "draft"

    run(look)


def test_a_call_for_the_forge_that_is_taken_back_makes_nothing(state: Path) -> None:
    asked = anyio.Event

    async def look() -> None:
        waiting = asked()

        async def sample(context: object, params: CreateMessageRequestParams) -> CreateMessageResult:
            waiting.set()
            await anyio.sleep_forever()
            raise AssertionError("unreachable")

        async with STDIO.client(state, sampling_callback=sample) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "create_tool", {"intent": "convert roman numerals", "name": "roman"})
                await waiting.wait()
                group.cancel_scope.cancel()
            assert (await called(client, "find_tool", intent="roman numerals")).structured_content["tools"] == []
            with Runtime(Settings(state_dir=str(state))) as runtime:
                assert not runtime.tools.list()

    run(look)


def test_a_name_that_is_taken_is_said_before_anything_is_written(library: Path) -> None:
    async def look() -> None:
        async with STDIO.client(library) as client:
            told = await refused(client, "create_tool", intent="repeat a text", name="repeat_text")
            assert "update_tool with name repeat_text" in told
            source = "def repeat_text(text: str) -> str:\n    return text\n"
            told = await refused(
                client, "create_tool", intent="x", source=source, examples=[{"input": "a", "output": "a"}]
            )
            assert "update_tool with name repeat_text" in told
            assert "mayfly tools" not in told

    run(look)


def test_no_more_is_granted_from_here_than_tools_have_anyway(library: Path) -> None:
    async def look() -> None:
        async with STDIO.client(library) as client:
            for grant in (
                "fs:workspace:rw",
                "fs:/",
                "net:localhost",
                "net:127.0.0.1",
                "net:10.0.0.1:80",
                "exec",
                "net:db",
            ):
                told = await refused(client, "create_tool", intent="x", source=ROMAN, examples=EXAMPLES, grants=[grant])
                assert "more than a tool may be given" in told, grant
                assert "more than" in await refused(client, "update_tool", name="repeat_text", grants=[grant])
        closed = Face(transport="stdio", mode="legacy", env={"MAYFLY_LIBRARY_GRANTS": "none"})
        async with closed.client(library) as client:
            told = await refused(client, "create_tool", intent="x", source=ROMAN, grants=["net:example.com"])
            assert "more than a tool may be given" in told

    run(look)


def test_nobody_names_a_witness_from_here(library: Path) -> None:
    async def look(client: Client) -> None:
        told = await refused(client, "create_tool", intent="x", source=ROMAN, tests=TESTS, tests_by="somebody else")
        assert "tests_by" in told
        assert "by" in await refused(client, "update_tool", name="repeat_text", by="a person")
        assert "model" in await refused(client, "create_tool", intent="x", model="http://127.0.0.1:1/v1#x")
        assert "model" in await refused(client, "run", intent="x", model="scripted:/etc/passwd")

    async def main() -> None:
        async with STDIO.client(library) as client:
            await look(client)

    run(main)


def test_every_refusal_says_what_to_do_next(library: Path) -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("create_tool", {}),
        ("create_tool", {"intent": "x", "source": "def f(:"}),
        ("create_tool", {"intent": "x", "source": "import os\ndef f(a: str) -> str:\n    return os.getcwd()\n"}),
        ("update_tool", {"name": "no_such_tool", "source": ROMAN}),
        ("rollback_tool", {"name": "repeat_text"}),
        ("rollback_tool", {"name": "no_such_tool"}),
        ("delete_tool", {"name": "no_such_tool"}),
        ("call_tool", {"name": "no_such_tool"}),
        ("call_tool", {"name": "repeat_text", "arguments": {"text": 7}}),
        ("repeat_text", {"text": "a"}),
        ("run", {"intent": "do something nobody can read at all"}),
        ("why", {"id": "r-00000000"}),
        ("answer", {"id": "r-00000000", "text": "yes"}),
        ("approve", {"id": "a-00000000"}),
    ]

    async def look() -> None:
        async with STDIO.client(library) as client:
            for name, arguments in wrong:
                told = await refused(client, name, **arguments)
                assert re.search(r"\nnext: \S", told), (name, arguments, told)
                assert "Traceback" not in told
                assert len(told) < 4000

    run(look)
