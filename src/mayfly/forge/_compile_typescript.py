"""Compile in another language than Python: the same order, contract, tests, gates and limits."""

from __future__ import annotations

from pathlib import Path

from mayfly.core import InputError, Order
from mayfly.forge._by_model import ModelArchitect
from mayfly.forge._compiler import Compiler
from mayfly.forge._loop import Forge
from mayfly.forge._reflect import Reflector
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
    model = compiler.model_of(compiler.task(order))
    if source is None and (model is None or not model.serves("architect")):
        raise InputError("only a model writes TypeScript", fix="add --model NAME, or --source FILE.ts")
    with TypeScript(settings, state=state) as language:
        trial = compiler.prepare(order, tests=tests, hide=source is None)
        gates, suite, pool = LanguageGates(language, parts.sandbox), trial.suite, trial.story.pool
        if source is None:
            assert model is not None, "it was said above that a model writes"
            forge = Forge(
                gates=gates,
                reflector=Reflector(model, pool),
                attempts=settings.forge.attempts,
                language=language.title,
            )
            architect = ModelArchitect(model, pool, language=language)
            made = forge.make(architect, trial.request, suite, watch=trial.story.watch)
            admission, suite = made.admission, made.suite
        else:
            admission = trial.admit(gates, source, entry, suite)
        trial.story.keep(parts.ledger)
    return admission, suite
