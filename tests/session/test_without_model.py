"""Without a model: what one tool does, whole, through the same loop; the rest is said to need one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.runtime import Session


@pytest.mark.parametrize(
    ("text", "tool", "found"),
    [("find TODO in src", "search_lines", "a.py"), ("list the files in src", "find_files", "a.py")],
)
def test_a_request_that_one_tool_does_is_done(
    text: str, tool: str, found: str, settings: Settings, workspace: Path
) -> None:
    (workspace / "src").mkdir()
    (workspace / "src" / "a.py").write_text("# TODO: more\n")
    with Session(settings, workspace=workspace) as session:
        ended = session.turn(text)
        done = list(session.log.turns[-1].returned.values())
    assert ended.status == "done", ended
    assert [one.tool for one in done] == [tool]
    assert found in ended.text


def test_the_rest_is_said_to_need_a_model(settings: Settings, workspace: Path) -> None:
    with Session(settings, workspace=workspace) as session:
        ended = session.turn("Fix the bug in the parser and make it faster")
    assert "needs a model" in ended.text
