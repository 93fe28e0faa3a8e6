"""Programs that the forge writes: which of them may run on parts, and that parts then give what the whole gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mayfly.promise import Job, Part, Work
from mayfly.runtime import Runtime
from mayfly.runtime._leaf import LeafWorker

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("file", "intent", "kind"),
    [
        ("access.log", "extract 4xx errors", "concat"),
        ("access.log", "sum bytes by status", "record sum number"),
        ("access.log", "largest bytes", "max"),
        ("access.log", "distinct ip", "distinct"),
        ("access.log", "top 5 ip by requests", None),
        ("access.log", "average bytes", None),
        ("access.log", "first 3 requests", None),
        ("access.log", "sort by bytes", None),
        # Records with their stack traces: rows are made of them, of a piece perhaps others.
        ("app.log", "count by level", None),
        ("orders.csv", "sum amount by country", None),
        ("events.jsonl", "extract errors", "concat"),
    ],
)
def test_a_written_program_is_joined_only_as_proven(runtime: Runtime, file: str, intent: str, kind: str | None) -> None:
    worker = LeafWorker(runtime.settings, parts=runtime.parts)
    path = EXAMPLES / file
    part = Part(path=str(path), start=0, stop=path.stat().st_size)
    done = worker.do(Job(run="r-merge", node="0.1", work=Work(kind="write"), intent=intent, part=part))
    assert done.status == "resolved", done.reason
    value: Any = done.value
    assert (value["merge"], bool(value["reason"])) == (kind, True), value["reason"]
