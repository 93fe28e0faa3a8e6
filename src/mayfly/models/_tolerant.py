"""Chat completions of servers that leave out what nobody needs."""

from __future__ import annotations

from typing import Any

from openai.types.chat import ChatCompletion
from pydantic_ai.models.openai import OpenAIChatModel


class TolerantChatModel(OpenAIChatModel):
    """Take an answer whose text is there even if its identifiers are not, as small servers send it."""

    def _validate_completion(self, response: ChatCompletion) -> Any:
        _fill(response, id="", object="chat.completion", model=self.model_name)
        for index, choice in enumerate(response.choices or []):
            _fill(choice, index=index)
            _fill(choice.message, role="assistant")
        return super()._validate_completion(response)


def _fill(part: object, **defaults: object) -> None:
    for name, value in defaults.items():
        if part is not None and getattr(part, name, None) is None:
            setattr(part, name, value)
