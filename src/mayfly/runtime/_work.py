"""`change_code`: a leaf of a tree that is a session; its proof is that the tests pass and that nothing else broke."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import Capability, ConflictError, InputError, Invocation, MayflyError, content_hash
from mayfly.sandbox.workbench import SuiteReport, commits, undo
from mayfly.world import run_project

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.session import RunningSession

    # A session in a workspace, with a model, under an id.
    OpenSession = Callable[[Path, str, str], RunningSession]

NAME = "change_code"
# A whole piece of work may take as long as an agent of its own.
_SECONDS = 1800.0
_TEST_SECONDS = 300.0


def work_capability(settings: Settings, model: str, open_session: OpenSession) -> Capability:
    """Return what changes code in a session with *model*; only there where a model is."""
    return Capability(
        name=NAME,
        summary="Change code of the workspace as a request says, and run its tests.",
        input_schema={
            "type": "object",
            "properties": {"request": {"type": "string"}},
            "required": ["request"],
            "additionalProperties": False,
        },
        effect="idempotent",
        call=lambda call: _work(settings, model, open_session, call),
        check=lambda call, value: _holds(settings, call, value),
        proves="the tests pass, those that passed before among them",
        seconds=_SECONDS,
        check_seconds=_TEST_SECONDS,
    )


def _work(settings: Settings, model: str, open_session: OpenSession, call: Invocation) -> dict[str, Any]:
    before = tests_of(settings, call.workspace)
    # The same leaf is the same session: a run that is resumed goes on in it.
    id = f"s-{content_hash(call.key or call.arguments['request'])[:12]}"
    with open_session(call.workspace, model, id) as session, call.stop.ending(session.stop):
        ended = session.go_on() or session.turn(call.arguments["request"])
        made = [done.commit for turn in session.log.turns for done in turn.returned.values() if done.commit]
    after = tests_of(settings, call.workspace)
    wrong = broken(before, after)
    if ended.status != "done" or wrong:
        _take_back(settings, call.workspace, made)
        raise MayflyError(f"the change was taken back: {wrong or ended.reason or ended.status}")
    return {
        "said": ended.text,
        "session": id,
        "passed": sorted(after.named("passed")),
        "before": before.named("passed"),
    }


def tests_of(settings: Settings, workspace: Path) -> SuiteReport:
    """Run the tests of a workspace behind the wall; one without tests has an empty report."""
    try:
        return run_project(str(workspace), settings, seconds=_TEST_SECONDS)
    except InputError:
        return SuiteReport()


def broken(before: SuiteReport, after: SuiteReport) -> str:
    """Say what is wrong with the tests after a change; nothing where they prove it."""
    if not after.outcomes:
        return "there is no test that proves it"
    failing = after.named("failed", "error")
    if failing:
        return f"{len(failing)} tests fail, such as {failing[0]}"
    gone = sorted(set(before.outcomes) - set(after.outcomes))
    if gone:
        return f"{len(gone)} tests are no longer there, such as {gone[0]}"
    return ""


def _take_back(settings: Settings, workspace: Path, made: list[str]) -> None:
    """Undo what the session changed, the newest first; what somebody changed since stays as it is."""
    state = settings.workbench_state
    known = {commit.id for commit in commits(state, workspace)}
    for id in reversed([id for id in made if id in known]):
        try:
            undo(state, workspace, id)
        except ConflictError:
            return


def _holds(settings: Settings, call: Invocation, value: object) -> bool:
    """Run the tests once more: all pass, and none of those is missing that the work named."""
    if not isinstance(value, dict):
        return False
    again = tests_of(replace(settings), call.workspace)
    named = {str(name) for name in value.get("passed", ())}
    return bool(again.outcomes) and not again.named("failed", "error") and named <= set(again.named("passed"))
