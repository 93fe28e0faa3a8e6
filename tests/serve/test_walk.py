"""Walk B with the official client, over both transports and in both revisions of the protocol."""

from pathlib import Path

import anyio
import pytest

from mayfly.core import Settings
from mayfly.runtime import Runtime

from .conftest import EXAMPLES, FACES, ROMAN, TESTS, Face, called, each_face, names, refused, run, text_of

MODES = ("legacy", "auto")


@pytest.mark.first(1)
@each_face
def test_a_tool_is_made_used_updated_rolled_back_and_deleted(face: Face, state: Path) -> None:
    async def first() -> None:
        news: list[str] = []

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            news.append(message or "")

        async with face.client(state) as client:
            before = await names(client)
            made = await client.call_tool(
                "create_tool",
                {"intent": "convert roman numerals", "source": ROMAN, "tests": TESTS, "examples": EXAMPLES},
                progress_callback=progress,
            )
            assert not made.is_error, text_of(made)
            assert made.structured_content["status"] == "created"
            assert "one hand" in made.structured_content["witness"]
            assert any("gates" in said for said in news)
            # Whoever does not look at the list again uses it all the same.
            found = await called(client, "find_tool", intent="roman numerals to a number")
            assert found.structured_content["tools"][0]["name"] == "roman_to_int"
            used = await called(client, "call_tool", name="roman_to_int", arguments={"text": "MCMXC"})
            assert used.structured_content["result"] == 1990
            assert await names(client) == [*before, "roman_to_int"]

    async def second() -> None:
        async with face.client(state) as client:
            used = await called(client, "roman_to_int", text="MCMXC")
            assert used.structured_content == {"result": 1990}
            assert text_of(used) == "1990"
            wrong = await client.call_tool("update_tool", {"name": "roman_to_int", "source": ROMAN.replace("50", "60")})
            assert wrong.is_error
            assert wrong.structured_content["status"] == "refused"
            assert "version 1 goes on serving" in text_of(wrong)
            assert (await called(client, "roman_to_int", text="XL")).structured_content == {"result": 40}
            better = ROMAN.replace("values[letter]", "values[letter.upper()]")
            updated = await called(client, "update_tool", name="roman_to_int", source=better)
            assert updated.structured_content["version"] == 2
            assert (await called(client, "roman_to_int", text="xl")).structured_content == {"result": 40}
            back = await called(client, "rollback_tool", name="roman_to_int")
            assert back.structured_content == {"name": "roman_to_int", "version": 1}
            assert "KeyError" in await refused(client, "roman_to_int", text="xl")
            await called(client, "delete_tool", name="roman_to_int")
            assert "find_tool" in await refused(client, "roman_to_int", text="XL")
            assert "roman_to_int" not in await names(client)

    run(first)
    run(second)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_two_more_processes_are_told_within_a_second(transport: str, library: Path) -> None:
    """A client of either revision hears what a process that knows neither of them did."""

    async def follow() -> None:
        heard, listed = anyio.Event(), anyio.Event()

        async def handle(message: object) -> None:
            if getattr(message, "method", "") == "notifications/tools/list_changed":
                heard.set()

        old, new = (next(one for one in FACES if one.transport == transport and one.mode == mode) for mode in MODES)
        async with (
            old.client(library, message_handler=handle) as early,
            new.client(library) as late,
            late.listen(tools_list_changed=True) as changes,
            anyio.create_task_group() as group,
        ):

            async def listen() -> None:
                async for _ in changes:
                    listed.set()
                    return

            group.start_soon(listen)
            assert "work_for" in await names(early)
            await anyio.to_thread.run_sync(_delete, library, "work_for")
            # A second from when the other process had done it, and what this machine takes to deliver it.
            with anyio.fail_after(1.5):
                await heard.wait()
                await listed.wait()
            for client in (early, late):
                assert "work_for" not in await names(client)

    run(follow)


def _delete(state: Path, name: str) -> None:
    with Runtime(Settings(state_dir=str(state))) as runtime:
        runtime.tools.delete(name, by="somebody else")


def test_a_client_is_told_what_the_server_is_for(library: Path) -> None:
    async def look() -> None:
        async with FACES[0].client(library) as client:
            assert "find_tool" in (client.instructions or "")
            assert client.server_info is not None
            assert client.server_info.name == "mayfly"
            assert client.server_capabilities.tools is not None
            assert client.server_capabilities.tools.list_changed

    run(look)


def test_every_own_tool_says_what_it_takes_and_gives(library: Path) -> None:
    async def look() -> None:
        async with FACES[0].client(library) as client:
            for tool in (await client.list_tools()).tools:
                assert tool.description
                assert tool.input_schema["type"] == "object"
                assert tool.output_schema is not None
                assert tool.output_schema["type"] == "object"

    run(look)


@pytest.mark.later
def test_an_object_is_structured_as_it_is(library: Path) -> None:
    async def look() -> None:
        async with FACES[0].client(library) as client:
            result = await called(client, "split_name", name="Ada King")
            assert result.structured_content == {"first": "Ada", "rest": "King"}

    run(look)


@pytest.mark.later
def test_servers_that_share_a_postgresql_follow_each_other(state: Path, postgres_url: str) -> None:
    async def follow() -> None:
        heard = anyio.Event()

        async def handle(message: object) -> None:
            if getattr(message, "method", "") == "notifications/tools/list_changed":
                heard.set()

        face = Face(transport="stdio", mode="legacy", env={"MAYFLY_DATABASE_URL": postgres_url})
        async with face.client(state) as maker, face.client(state, message_handler=handle) as other:
            await names(other)
            given = {"intent": "convert roman numerals", "source": ROMAN, "tests": TESTS, "examples": EXAMPLES}
            await called(maker, "create_tool", **given)
            with anyio.fail_after(1.5):
                await heard.wait()
            assert (await called(other, "roman_to_int", text="XL")).structured_content == {"result": 40}

    run(follow)
