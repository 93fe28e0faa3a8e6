"""Compile in another language than Python: the same task, contract, tests, gates and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import UNSET, Artifact, Contract, Example, InputError, Unset
from mayfly.forge import ContractWriter, Forge, ModelArchitect, Reflector, TestWriter, contract_of, hold_out
from mayfly.forge.languages import LanguageGates, TypeScript
from mayfly.gates import Admission, Profile, Suite
from mayfly.runtime._given import request_for, suite_of, task_for
from mayfly.runtime._session import state_of

if TYPE_CHECKING:
    from mayfly.runtime._run import Runtime


def compile_in_typescript(
    runtime: Runtime,
    intent: str,
    source: str | None = None,
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
) -> tuple[Admission, Suite]:
    """Try *source* at every gate, or have a model write it until it passes them; raise what stood in the way."""
    parts, settings = runtime.parts, runtime.settings
    task = replace(
        task_for(runtime, intent or "check this program", input, lines, examples, context, profile), contract=contract
    )
    name = model or settings.models.name
    asked = parts.model(name) if name else None
    writes = asked is not None and asked.serves("architect")
    if task.profile.grants:
        raise InputError("programs in TypeScript hold no grants", fix="leave --grant out")
    if source is None and not writes:
        raise InputError("only a model writes TypeScript", fix="add --model NAME, or --source FILE.ts")
    with TypeScript(settings, state=state_of(settings)) as language:
        story = runtime.story("c")
        story.pool = parts.pool()
        story.began(task, name or None)
        shown, held_out = hold_out(task.examples) if source is None else (task.examples, ())
        request = replace(request_for(task), examples=shown)
        known = task.contract or contract_of(request)
        agreed = known if task.contract else ContractWriter(asked, story.pool).write(request, known)
        request = replace(request, contract=agreed)
        suite = TestWriter(asked, story.pool).write(request, held_out=held_out, exact=False)
        suite = suite if tests is None else replace(suite, tests=(*suite.tests, *suite_of(task, tests).tests))
        gates = LanguageGates(language, parts.sandbox)
        if source is None:
            assert asked is not None, "it was said above that a model writes"
            forge = Forge(
                gates=gates,
                reflector=Reflector(asked, story.pool),
                attempts=settings.forge.attempts,
                language=language.title,
            )
            architect = ModelArchitect(asked, story.pool, language=language)
            made = forge.make(architect, request, suite, watch=story.watch)
            admission, suite = made.admission, made.suite
        else:
            artifact = Artifact(kind="agent", source=source, entry=entry, author="given")
            story.watch("wrote", (1, artifact))
            admission = gates.admit(artifact, profile=task.profile, suite=suite)
            story.watch("judged", admission)
        runtime.keep(story)
    return admission, suite
