"""`ModelArchitect`: have a model write source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mayfly.core import Artifact
from mayfly.forge._prompt import FEW, PROMPTS, code_in, describe, shown_to_model
from mayfly.forge._request import Request
from mayfly.models import Model, ModelPool, Prompt

if TYPE_CHECKING:
    from mayfly.forge.languages import Language


class ModelArchitect:
    """Ask a model for the program; what is not code at all is handed on as it is, so that the gates say so."""

    def __init__(self, model: Model, pool: ModelPool | None = None, *, language: Language | None = None) -> None:
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
        name, told = "architect", describe(request)
        if self._language is not None:
            # The same in the terms of another language.
            name, told["called"] = f"architect_{self._language.name}", self._language.called(request)
        elif request.apart:
            # Another order: first what it is given, and the plainest way to do it.
            name = "architect_apart"
        elif request.simple:
            # The task, the contract, a few examples, what a person said and what was wrong before, and no more.
            name, few = "architect_simple", replace(request, examples=request.examples[:FEW])
            told = {**describe(few), "sample": "" if request.examples else told["sample"]}
        return Prompt.load(PROMPTS / f"{name}.md").fill(**told)
