"""Make the pydantic-ai model that a target names; mistakes of the set-up become errors of ours, in one line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.profiles import merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from mayfly.core import InputError, MachineError
from mayfly.models._secrets import one_line
from mayfly.models._target import ModelTarget

# Providers whose own client can be replaced by ours, which limits what it reads.
_OURS = frozenset({"anthropic", "openai", "openai-chat", "openai-responses", "openrouter", "deepseek", "together"})
# Servers of other people know the older field only.
_PLAIN = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)


def build(target: ModelTarget, client: httpx2.AsyncClient) -> Model:
    """Return the model; a missing key is an `InputError`, a missing package a `MachineError`."""
    try:
        return _build(target, client)
    except UserError as error:
        variable = re.search(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`", str(error))
        if variable:
            raise InputError(f"{target.spec} needs a key", fix=f"set {variable.group(1)}") from None
        raise InputError(one_line(str(error), (target.key,))) from None
    except ImportError as error:
        extra = re.search(r"pydantic-ai-slim\[[\w-]+\]", str(error))
        package = extra.group() if extra else "mayfly-agents[models]"
        raise MachineError(
            f"{target.spec} needs a library that is not installed", fix=f"pip install '{package}'"
        ) from None


def _build(target: ModelTarget, client: httpx2.AsyncClient) -> Model:
    if target.provider == "ollama":
        return _ollama(target, client)
    if target.address:
        return _compatible(target, client)
    return infer_model(target.spec, lambda name: _provider(name, client))


def _compatible(target: ModelTarget, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    from mayfly.models._tolerant import TolerantChatModel

    if target.provider:
        service: Provider[Any] = OpenAIProvider(
            base_url=target.address, api_key=target.key or "not-needed", http_client=client
        )
    else:
        service = OpenAICompatibleProvider(
            "openai-compatible", base_url=target.address, api_key=target.key or None, http_client=client, profile=_PLAIN
        )
    return TolerantChatModel(target.name, provider=service)


def _ollama(target: ModelTarget, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    provider = OllamaProvider(base_url=target.address, api_key=target.key or None, http_client=client)
    profile = merge_profile(provider.model_profile(target.name), _PLAIN)
    return OllamaModel(target.name, provider=provider, profile=profile)


def _provider(name: str, client: httpx2.AsyncClient) -> Provider[Any]:
    if name in _OURS:
        make: Callable[..., Provider[Any]] = infer_provider_class(name)
        return make(http_client=client)
    try:
        return infer_provider(name)
    except ValueError:
        raise UserError(f"unknown provider {name!r}") from None
