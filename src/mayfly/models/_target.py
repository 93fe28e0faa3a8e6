"""Understand how a networked model is named: a provider and a name, or an address and a name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from mayfly.core import InputError
from mayfly.models._types import ModelOptions

OLLAMA = "http://127.0.0.1:11434/v1"
# With one of these in front, a name may be served at an address of one's own.
_OPENAI = ("openai", "openai-chat")
_KEYS = {"openai": "OPENAI_API_KEY", "openai-chat": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_FORMS = "write PROVIDER:NAME, http://HOST:PORT/v1#NAME, scripted:FILE or replay:FILE"


@dataclass(frozen=True, kw_only=True)
class ModelTarget:
    """Say which model is meant, where it is if not at its provider's, and which variable holds the key."""

    spec: str
    provider: str
    name: str
    address: str = ""
    key_variable: str = ""

    @property
    def key(self) -> str:
        """The key, read when it is needed and kept nowhere."""
        return os.environ.get(self.key_variable, "")


def parse_target(spec: str, options: ModelOptions) -> ModelTarget:
    """Return what *spec* means; a form nobody knows is an `InputError` that lists the forms."""
    if spec.startswith(("http://", "https://")):
        address, _, name = spec.partition("#")
        return _addressed(spec, address, name or "default", options)
    provider, colon, name = spec.partition(":")
    if not colon and options.base_url:
        return _addressed(spec, options.base_url, spec, options)
    if not (colon and provider and name):
        raise InputError(f"unknown model {spec!r}", fix=_FORMS)
    if provider in _OPENAI and (address := options.base_url or os.environ.get("OPENAI_BASE_URL", "")):
        variable = options.api_key_variable if os.environ.get(options.api_key_variable) else _KEYS[provider]
        return ModelTarget(spec=spec, provider="openai", name=name, address=_checked(address), key_variable=variable)
    if provider == "ollama":
        address = options.base_url or os.environ.get("OLLAMA_BASE_URL") or OLLAMA
        variable = "OLLAMA_API_KEY"
        return ModelTarget(spec=spec, provider="ollama", name=name, address=_checked(address), key_variable=variable)
    return _provided(spec, provider, name)


def _addressed(spec: str, address: str, name: str, options: ModelOptions) -> ModelTarget:
    variable = options.api_key_variable
    return ModelTarget(spec=spec, provider="", name=name, address=_checked(address), key_variable=variable)


def _provided(spec: str, provider: str, name: str) -> ModelTarget:
    variable = _KEYS.get(provider, "")
    if variable and not os.environ.get(variable):
        raise InputError(f"{spec} needs a key", fix=f"set {variable}")
    return ModelTarget(spec=spec, provider=provider, name=name, key_variable=variable)


def _checked(address: str) -> str:
    """Return *address* if it is one to which a path can be added and which holds no secret."""
    try:
        parts = urlsplit(address)
        complete = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        parts, complete = urlsplit(""), False
    if parts.username or parts.password or parts.query:
        raise InputError("a model's address may hold no name, key or query", fix="set MAYFLY_MODELS_API_KEY")
    if not complete or parts.fragment:
        raise InputError(f"{address!r} is not the address of a model", fix="write http://HOST:PORT/v1#NAME")
    return address.rstrip("/")
