"""Compile without running: from an intent, or with code that somebody else has written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import (
    UNSET,
    Artifact,
    Contract,
    Example,
    HelpNeeded,
    InputError,
    MayflyError,
    Refusal,
    Unset,
    Verdict,
)
from mayfly.forge import CannotWrite, ContractWriter, Request, TestWriter, contract_of, read_tests
from mayfly.gates import Admission, Profile, Suite, Test
from mayfly.runtime._question import ask_of_data, is_about_data
from mayfly.runtime._task import Task, make_task

if TYPE_CHECKING:
    from mayfly.runtime._run import Runtime
    from mayfly.runtime._story import Story


def compile_now(
    runtime: Runtime,
    intent: str,
    *,
    input: object | Unset = UNSET,
    lines: Path | None = None,
    examples: Sequence[Example] = (),
    context: Mapping[str, object] | None = None,
    profile: Profile | None = None,
    model: str | None = None,
    tests: str | None = None,
    contract: Contract | None = None,
) -> tuple[Admission, Suite]:
    """Write, gate and prove by the limits of an agent by itself, or of *profile*; raise what stood in the way."""
    task = replace(task_for(runtime, intent, input, lines, examples, context, profile), contract=contract)
    runtime.check_grants(task)
    suite = None if tests is None else suite_of(task, tests)
    compiled = runtime.compile(task, model=model, suite=suite)
    if compiled.admission is None or compiled.suite is None:
        raise InputError("nothing was compiled")
    return compiled.admission, compiled.suite


def compile_given(
    runtime: Runtime,
    intent: str,
    source: str,
    *,
    entry: str = "",
    input: object | Unset = UNSET,
    lines: Path | None = None,
    examples: Sequence[Example] = (),
    context: Mapping[str, object] | None = None,
    profile: Profile | None = None,
    model: str | None = None,
    tests: str | None = None,
    contract: Contract | None = None,
    kept: Sequence[Test] = (),
    spread: bool | None = None,
    story: Story | None = None,
) -> tuple[Admission, Suite]:
    """Try *source* at every gate and prove it with the tests of the request; never raises for what the source is.

    Tests that were *kept* from before have to pass as well. The last of the suite are those, after those of *tests*.
    *spread* says whether an input is a list of arguments, where that does not follow from the source.
    """
    task = task_for(runtime, intent or "check this program", input, lines, examples, context, profile)
    task = replace(task, contract=contract)
    runtime.check_grants(task)
    parts = runtime.parts
    parts.types.start()
    story = story or runtime.story("c")
    name = model or runtime.settings.models.name
    asked = parts.model(name) if name else None
    story.pool = parts.pool()
    story.began(task, name or None)
    request = request_for(task)
    known = task.contract or contract_of(request)
    agreed = known if task.contract else ContractWriter(asked, story.pool).write(request, known)
    written = TestWriter(asked, story.pool).write(replace(request, contract=agreed), exact=False)
    given = () if tests is None else suite_of(task, tests).tests
    suite = replace(written, tests=(*written.tests, *given, *kept))
    artifact = Artifact(kind="agent", source=source, entry=entry, author="given")
    story.watch("wrote", (1, artifact))
    admission = parts.gates(asked, story.pool).admit(
        artifact, profile=task.profile, suite=suite, intent=intent, examples=task.examples, spread=spread, last=True
    )
    story.watch("judged", admission)
    runtime.keep(story)
    return admission, suite


def agree(
    runtime: Runtime,
    intent: str,
    *,
    input: object | Unset = UNSET,
    lines: Path | None = None,
    examples: Sequence[Example] = (),
    context: Mapping[str, object] | None = None,
    model: str | None = None,
) -> Contract:
    """Return what would be agreed on before anything is written: from what is given, and with a model by one call."""
    task = task_for(runtime, intent, input, lines, examples, context, Profile())
    request = task.request(task.examples)
    name = model or runtime.settings.models.name
    asked = runtime.parts.model(name) if name else None
    return ContractWriter(asked, runtime.parts.pool()).write(request, contract_of(request))


def request_for(task: Task) -> Request:
    """Return what tests are written from: where the task is a question about data, what that asks for as well."""
    request = task.request(task.examples)
    if not is_about_data(task):
        return request
    try:
        asked = ask_of_data(task)
    except CannotWrite:
        return request
    return replace(request, proposal=asked.proposal, whole=asked.items, complete=asked.complete)


def task_for(
    runtime: Runtime,
    intent: str,
    input: object | Unset,
    lines: Path | None,
    examples: Sequence[Example],
    context: Mapping[str, object] | None,
    profile: Profile | None,
) -> Task:
    """Return the task of a compilation, by the limits of an agent by itself where no *profile* is given."""
    profile = profile or Profile.of(runtime.settings.gates)
    task = make_task(
        intent,
        input=input,
        lines=lines,
        examples=examples,
        ground=None,
        context=context,
        tier=profile.tier,
        imports=profile.imports,
        hints=(),
        signature=None,
        settings=runtime.settings,
    )
    return replace(task, profile=profile)


def suite_of(task: Task, tests: str) -> Suite:
    """Read the tests that somebody gave; a file without any is an error."""
    found = read_tests(tests, [example.input for example in task.examples])
    if not found:
        raise InputError(
            "no tests were found in the file of tests", fix='write def test_…() functions, or {"cases": […]}'
        )
    return Suite(tests=tuple(found), author="given", samples=tuple(task.sample[:6]))


def verdicts_of(error: MayflyError) -> list[Verdict]:
    """Return what is known about why nothing was compiled, as verdicts."""
    if isinstance(error, Refusal):
        return [error.verdict]
    if isinstance(error, HelpNeeded):
        history = error.context.get("validation_history")
        told = [str(line) for line in history] if isinstance(history, list) else [error.last_error]
        return [Verdict(decision="reject", gate="forge", code=error.code, message=line) for line in told]
    return [Verdict(decision="reject", gate="forge", code=error.code, message=error.message, fix=error.fix)]
