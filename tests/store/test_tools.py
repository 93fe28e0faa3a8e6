"""The rows of tools follow from the events, in one transaction with them, and the database decides who was first."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from mayfly.core import ConflictError, Settings
from mayfly.library import ToolCallEnded, ToolDeleted, ToolRetired, ToolServed, ToolWritten
from mayfly.store import Event, Ledger, ToolList

from .conftest import Plain


def written(
    ledger: Ledger, version: int, *, before: int = 0, words: tuple[str, ...] = ("roman",), shape: str = "s"
) -> Any:
    blobs = [ledger.put_blob(f"{version} {part}".encode()) for part in ("source", "tests", "card")]
    return ToolWritten(
        version=version,
        before=before,
        source_blob=blobs[0],
        tests_blob=blobs[1],
        card_blob=blobs[2],
        size=8,
        shape=shape,
        head={"summary": f"version {version}"},
        words=words,
        seal="x",
        by="me",
    )


@pytest.fixture
def tools(ledger: Ledger) -> ToolList:
    return ToolList(ledger)


def test_a_version_serves_once_its_event_is_there(ledger: Ledger, tools: ToolList) -> None:
    event = ledger.append(written(ledger, 1), subject="tool:roman")
    served = tools.served("roman")
    assert served is not None
    assert (served.tool.version, served.tool.state, served.tool.changed) == (1, "serving", event.id)
    assert served.version.head == '{"summary":"version 1"}'
    assert ledger.verify().ok


def test_who_comes_second_is_told_and_nothing_of_theirs_is_kept(ledger: Ledger, tools: ToolList) -> None:
    ledger.append(written(ledger, 1), subject="tool:roman")
    with pytest.raises(ConflictError, match="changed by somebody else meanwhile: version 1 serves now"):
        ledger.append(written(ledger, 1), subject="tool:roman")
    assert len(tools.versions("roman")) == 1
    assert ledger.count(kind="tool.written") == 1


def test_s_29_of_fifty_at_once_one_wins_and_no_version_is_lost(ledger: Ledger, tools: ToolList) -> None:
    lost: list[str] = []
    start = threading.Barrier(10)

    def write() -> None:
        start.wait()
        for _ in range(5):
            try:
                ledger.append(written(ledger, 1), subject="tool:roman")
            except ConflictError as error:
                lost.append(str(error))

    threads = [threading.Thread(target=write) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lost) == 49
    assert [one.version for one in tools.versions("roman")] == [1]
    assert ledger.verify().ok


def test_rollback_delete_and_write_again_go_on_counting(ledger: Ledger, tools: ToolList) -> None:
    subject = "tool:roman"
    ledger.append(written(ledger, 1), subject=subject)
    ledger.append(written(ledger, 2, before=1), subject=subject)
    ledger.append(ToolServed(version=1, before=2, by="me"), subject=subject)
    served = tools.served("roman")
    assert served is not None
    assert served.version.version == 1
    ledger.append(ToolDeleted(before=1, by="me"), subject=subject)
    assert tools.served("roman") is None
    assert [row.name for row in tools.deleted()] == ["roman"]
    ledger.append(written(ledger, 3), subject=subject)
    again = tools.get("roman")
    assert again is not None
    assert (again.version, again.newest) == (3, 3)
    assert ledger.verify().ok


def test_a_change_that_was_decided_on_before_another_is_refused(ledger: Ledger) -> None:
    ledger.append(written(ledger, 1), subject="tool:roman")
    ledger.append(written(ledger, 2, before=1), subject="tool:roman")
    for late in (
        ToolServed(version=1, before=1, by="me"),
        ToolDeleted(before=1, by="me"),
        ToolRetired(before=1, days=1),
    ):
        with pytest.raises(ConflictError):
            ledger.append(late, subject="tool:roman")


def test_calls_are_counted_with_their_events(ledger: Ledger, tools: ToolList) -> None:
    ledger.append(written(ledger, 1), subject="tool:roman")
    for status in ("ok", "error", "ok"):
        ended = ToolCallEnded(version=1, key="k", status=status, milliseconds=1.0)
        ledger.append(ended, subject="tool:roman")
    row = tools.get("roman")
    assert row is not None
    assert (row.calls, row.failures) == (3, 1)
    assert ledger.verify().ok


def test_tools_are_found_by_rare_words_first_and_only_while_they_serve(ledger: Ledger, tools: ToolList) -> None:
    for number in range(20):
        made = written(ledger, 1, words=("convert", f"thing{number}"))
        ledger.append(made, subject=f"tool:tool_{number}")
    ledger.append(written(ledger, 1, words=("roman", "numeral", "convert"), shape="r"), subject="tool:roman")
    found = tools.find(["convert", "roman", "nothing"], limit=5)
    assert found[0].name == "roman"
    assert found[0].words == 2
    assert len(found) == 5
    assert [one.name for one in tools.find(["convert"], limit=50, shape="r")] == ["roman"]
    ledger.append(ToolRetired(before=1, days=1), subject="tool:roman")
    assert "roman" not in [one.name for one in tools.find(["roman", "convert"], limit=50)]
    assert tools.find([], limit=5) == []


def test_a_row_that_was_changed_by_hand_is_found(ledger: Ledger, plain: Plain) -> None:
    ledger.append(written(ledger, 1), subject="tool:roman")
    plain.run("UPDATE mayfly_tools SET version = 7")
    assert "row of tool roman says version 7" in ledger.verify().broken
    plain.run("UPDATE mayfly_tools SET version = 1")
    plain.run("UPDATE mayfly_tool_versions SET head = '{}'")
    assert "version 1 of tool roman says head" in ledger.verify().broken
    plain.run("DELETE FROM mayfly_tool_versions")
    assert "version 1 of tool roman is missing" in ledger.verify().broken


def test_a_tool_may_be_called_like_anything_else_there_is(ledger: Ledger, tools: ToolList) -> None:
    ledger.append(written(ledger, 1), subject="tool:kill")
    assert tools.get("kill") is not None
    assert ledger.last(subject="kill") is None


def test_s_30_another_process_hears_of_it(settings: Settings, ledger: Ledger) -> None:
    heard: list[Event] = []
    stop, ready = threading.Event(), threading.Event()

    def listen() -> None:
        with Ledger.open(settings) as other:
            last = other.before_last(0)
            ready.set()
            for event in other.follow(after=last, stop=stop):
                heard.append(event)
                stop.set()

    thread = threading.Thread(target=listen)
    thread.start()
    ready.wait()
    ledger.append(written(ledger, 1), subject="tool:roman")
    thread.join(timeout=5)
    assert [event.kind for event in heard] == ["tool.written"]
