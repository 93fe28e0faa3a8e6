"""Files in parts: the answer, the account of lines and what bad lines lead to are those of the file in one piece."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Outcome
from mayfly.promise import saved
from mayfly.runtime import Runtime

LINES = 3000
ANSWERS = ("status", "code", "value", "reading", "question", "candidate", "account")
Both = Callable[..., Outcome[Any]]


def line(number: int) -> str:
    return f'{{"status": {404 if number % 5 == 0 else 200}, "size": {number}}}'


def log_of(folder: Path, *, bad: tuple[int, ...] = ()) -> Path:
    """Write a log with these lines, counted from one, broken."""
    path = folder / "requests.jsonl"
    path.write_text("".join(f"broken {at}\n" if at in bad else f"{line(at)}\n" for at in range(1, LINES + 1)))
    return path


@pytest.fixture
def both(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Both:
    """Run a question on a file in one piece and then in parts, hold one against the other, and return the latter."""

    def run(intent: str, lines: Path, **options: Any) -> Outcome[Any]:
        whole = runtime.run(intent, lines=lines, **options)
        runtime.parts.memo.clear()
        small = replace(
            runtime.settings, promise=replace(runtime.settings.promise, split_from=20_000, part_size=20_000)
        )
        with monkeypatch.context() as patch:
            patch.setattr(runtime, "settings", small)
            patch.setattr(runtime.parts, "settings", small)
            split = runtime.run(intent, lines=lines, **options)
        assert {name: getattr(split, name) for name in ANSWERS} == {name: getattr(whole, name) for name in ANSWERS}
        return split

    return run


def parts_of_run(runtime: Runtime, outcome: Outcome[Any]) -> int:
    """Return of how many parts an answer was joined: none where the agent ran on the whole file after all."""
    children = saved(runtime.parts.ledger, outcome.id).tree.children
    return sum(child.name.startswith("part") and child.state == "resolved" for child in children)


def test_every_line_of_every_part_is_accounted_for(both: Both, runtime: Runtime, tmp_path: Path) -> None:
    found = both("count by status", log_of(tmp_path))
    assert found.value == {"200": 2400, "404": 600}
    assert found.account is not None
    assert (found.account["lines"], found.account["used"], found.account["not_understood"]) == (LINES, LINES, 0)
    assert parts_of_run(runtime, found) > 3


def test_few_bad_lines_in_all_are_no_question_though_they_are_many_in_one_part(
    both: Both, runtime: Runtime, tmp_path: Path
) -> None:
    found = both("count requests with status 404", log_of(tmp_path, bad=tuple(range(2501, 2521))))
    assert (found.resolved, found.value) == (True, 596)
    assert found.account is not None
    assert [found.account[name] for name in ("lines", "used", "filtered", "not_understood")] == [LINES, 596, 2384, 20]
    assert found.account["first_not_understood"] == {"line": 2501, "text": "broken 2501"}
    assert parts_of_run(runtime, found) > 3


@pytest.mark.parametrize(("policy", "code"), [("ask", "QUESTION"), ("stop", "BAD_LINES"), ("skip", None)])
def test_what_many_bad_lines_lead_to_is_decided_over_all_parts(
    both: Both, runtime: Runtime, tmp_path: Path, policy: str, code: str | None
) -> None:
    # Two in a hundred of all, and one in ten of the last part: neither that part nor the first decides alone.
    bad = tuple(range(2501, 2541)) + tuple(range(1, 21))
    found = both("count by status", log_of(tmp_path, bad=bad), bad_lines=policy)
    assert (found.code or None) == code
    assert parts_of_run(runtime, found) > 3
    assert found.resolved == (policy == "skip")
    assert found.account is not None
    assert found.account["not_understood"] == 60


def test_one_bad_line_in_the_last_part_stops_a_run_that_is_to_stop(
    both: Both, runtime: Runtime, tmp_path: Path
) -> None:
    found = both("count by status", log_of(tmp_path, bad=(LINES,)), bad_lines="stop")
    assert parts_of_run(runtime, found) > 3
    assert (found.code, found.resolved) == ("BAD_LINES", False)
    assert f"line {LINES}" in found.reason


def test_a_reading_that_was_chosen_is_followed_in_a_large_file(both: Both, tmp_path: Path) -> None:
    found = both("count by status", log_of(tmp_path, bad=(7,)), reading="sum of size, by status")
    sums = {"200": 0, "404": 0}
    for number in range(1, LINES + 1):
        sums["404" if number % 5 == 0 else "200"] += number if number != 7 else 0
    assert found.value == sums
    assert found.account is not None
    assert (found.account["lines"], found.account["not_understood"]) == (LINES, 1)


def test_records_over_several_lines_are_whole_in_every_part(both: Both, runtime: Runtime, tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    text = (Path(__file__).parents[2] / "examples" / "app.log").read_text()
    log.write_text(text * 12)
    found = both("show error lines", log)
    assert found.resolved
    assert parts_of_run(runtime, found) > 3
    shown = list(found.value)
    assert len(shown) == 12 * text.count(" ERROR ")
    assert sum("\n\tat " in record for record in shown) > 12


def test_a_bad_line_behind_records_over_several_lines_has_its_own_number(
    both: Both, runtime: Runtime, tmp_path: Path
) -> None:
    log = tmp_path / "app.log"
    text = (Path(__file__).parents[2] / "examples" / "app.log").read_text()
    log.write_text(text * 12 + "broken\n")
    found = both("count by level", log)
    assert parts_of_run(runtime, found) > 3
    assert found.account is not None
    assert found.account["first_not_understood"] == {"line": 12 * text.count("\n") + 1, "text": "broken"}
