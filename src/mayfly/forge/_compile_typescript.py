"""Compile in another language than Python: the same order, contract, tests, gates and limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mayfly.core import Artifact, InputError, Order
from mayfly.forge._by_model import ModelArchitect
from mayfly.forge._compiler import Compiler, agreed_request, request_for, suite_of
from mayfly.forge._loop import Forge
from mayfly.forge._reflect import Reflector
from mayfly.forge._test_writer import TestWriter, hold_out
from mayfly.forge.languages._gates import LanguageGates
from mayfly.forge.languages._typescript import TypeScript
from mayfly.gates import Admission, Suite


def compile_in_typescript(
    compiler: Compiler,
    order: Order,
    source: str | None = None,
    *,
    state: Path,
    entry: str = "",
    tests: str | None = None,
) -> tuple[Admission, Suite]:
    """Try *source* at every gate, or have a model write it until it passes them; raise what stood in the way.

    What it is run with lies below *state*, the directory of the workbench.
    """
    parts, settings = compiler.parts, compiler.parts.settings
    if order.grants:
        raise InputError("programs in TypeScript hold no grants", fix="leave --grant out")
    task = compiler.task(order)
    model = compiler.model_of(task)
    if source is None and (model is None or not model.serves("architect")):
        raise InputError("only a model writes TypeScript", fix="add --model NAME, or --source FILE.ts")
    with TypeScript(settings, state=state) as language:
        story = compiler.begin_story()
        story.pool = parts.pool()
        story.began(task)
        shown, held_out = hold_out(order.examples) if source is None else (order.examples, ())
        request = agreed_request(task, replace(request_for(task), examples=shown), model, story.pool)
        suite = TestWriter(model, story.pool).write(request, held_out=held_out, exact=False)
        suite = suite if tests is None else replace(suite, tests=(*suite.tests, *suite_of(task, tests).tests))
        gates = LanguageGates(language, parts.sandbox)
        if source is None:
            assert model is not None, "it was said above that a model writes"
            forge = Forge(
                gates=gates,
                reflector=Reflector(model, story.pool),
                attempts=settings.forge.attempts,
                language=language.title,
            )
            made = forge.make(ModelArchitect(model, story.pool, language=language), request, suite, watch=story.watch)
            admission, suite = made.admission, made.suite
        else:
            artifact = Artifact(kind="agent", source=source, entry=entry, author="given")
            story.watch("wrote", (1, artifact))
            admission = gates.admit(artifact, profile=task.profile, suite=suite)
            story.watch("judged", admission)
        story.keep(parts.ledger)
    return admission, suite
