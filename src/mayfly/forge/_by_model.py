"""`ModelArchitect`: a language model writes; the limits it is told are enforced on what it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mayfly.core import Artifact
from mayfly.forge import _describe
from mayfly.forge._code import code_in
from mayfly.forge._prompt import Prompt
from mayfly.forge._request import Request
from mayfly.forge._shown import shown_to_model
from mayfly.models import Model, Pool

if TYPE_CHECKING:
    from mayfly.forge.languages import Language


class ModelArchitect:
    """Ask a model for the program; what is not code at all is handed on as it is, so that the gates say so."""

    def __init__(self, model: Model, pool: Pool | None = None, *, language: Language | None = None) -> None:
        """Take the model; it writes Python where no other *language* is named."""
        self._language = language
        self._model = model
        self._pool = pool

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def write(self, request: Request) -> Artifact:
        """Return what the model wrote."""
        prompt = self._prompt(shown_to_model(request).request)
        answer = self._model.ask("architect", prompt.user, system=prompt.system, pool=self._pool)
        entry = request.signature.name if request.signature else ""
        source = code_in(answer.text) if self._language is None else self._language.code_in(answer.text)
        provenance = {"model": answer.model, "prose": source is None, "truncated": answer.truncated}
        written = answer.text if source is None else source
        return Artifact(kind="agent", source=written, entry=entry, author=self.name, provenance=provenance)

    def _prompt(self, request: Request) -> Prompt:
        if self._language is not None:
            return _in_language(self._language, request)
        return _apart(request) if request.apart else _simple(request) if request.simple else _full(request)


def _in_language(language: Language, request: Request) -> Prompt:
    """Say the same in the terms of another language."""
    return Prompt.load(f"architect_{language.name}").fill(
        complexity=str(request.profile.max_complexity),
        arms=str(request.profile.max_arms),
        called=language.called(request),
        intent=request.intent,
        contract=_describe.agreed(request.contract),
        context=_describe.context(request),
        examples=_describe.examples(request.examples),
        sample=_describe.sample(request),
        hints=_describe.hints(request),
        attempts=_describe.attempts(request.attempts),
    )


def _full(request: Request) -> Prompt:
    profile = request.profile
    return Prompt.load("architect").fill(
        imports=", ".join(sorted(profile.imports)) or "nothing",
        complexity=str(profile.max_complexity),
        arms=str(profile.max_arms),
        called=_describe.called(request),
        intent=request.intent,
        contract=_describe.agreed(request.contract),
        context=_describe.context(request),
        examples=_describe.examples(request.examples),
        sample=_describe.sample(request),
        hints=_describe.hints(request),
        attempts=_describe.attempts(request.attempts),
    )


def _simple(request: Request) -> Prompt:
    """Say the task, the contract, a few examples, what a person said and what was wrong before, and no more."""
    profile = request.profile
    return Prompt.load("architect_simple").fill(
        imports=", ".join(sorted(profile.imports)) or "nothing",
        complexity=str(profile.max_complexity),
        called=_describe.called(request),
        contract=_describe.agreed(request.contract),
        intent=request.intent,
        examples=_describe.examples(request.examples[: _describe.FEW]),
        sample="" if request.examples else _describe.sample(request),
        hints=_describe.hints(request),
        attempts=_describe.attempts(request.attempts),
    )


def _apart(request: Request) -> Prompt:
    """Ask for another program in another order: first what it is given, and the plainest way to do it."""
    return Prompt.load("architect_apart").fill(
        imports=", ".join(sorted(request.profile.imports)) or "nothing",
        complexity=str(request.profile.max_complexity),
        called=_describe.called(request),
        contract=_describe.agreed(request.contract),
        intent=request.intent,
        context=_describe.context(request),
        examples=_describe.examples(request.examples),
        sample=_describe.sample(request),
        hints=_describe.hints(request),
    )
