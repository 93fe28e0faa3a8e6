"""A networked model before its library is loaded: opening one costs nothing until it is asked."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

from mayfly.core import MachineError
from mayfly.models._target import Target
from mayfly.models._types import Call, Emit, ModelOptions, Need, Purpose, Reply

if TYPE_CHECKING:
    from mayfly.models._provider import Provider


class Remote:
    """Load the provider with the first question and pass everything on to it."""

    def __init__(self, target: Target, options: ModelOptions) -> None:
        if find_spec("pydantic_ai") is None:
            raise not_installed(target.spec)
        self._target = target
        self._options = options
        self._lock = threading.Lock()
        self._provider: Provider | None = None

    @property
    def name(self) -> str:
        """The model as it was named."""
        return self._target.spec

    def serves(self, purpose: Purpose) -> bool:
        """Answer yes: a language model can be asked anything."""
        return True

    def load(self) -> None:
        """Import pydantic-ai and make the provider, once."""
        with self._lock:
            if self._provider is None:
                self._provider = self._load()

    def _load(self) -> Provider:
        try:
            from mayfly.models._provider import Provider
        except ImportError:
            raise not_installed(self._target.spec) from None
        return Provider(self._target, self._options)

    def need(self, call: Call) -> Need:
        """Return what *call* may take at most."""
        return self._loaded().need(call)

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Make one attempt."""
        return await self._loaded().reply(call, emit)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._provider is not None:
            await self._provider.close()

    def _loaded(self) -> Provider:
        if self._provider is None:
            self.load()
        assert self._provider is not None
        return self._provider


def not_installed(spec: str) -> MachineError:
    """Return the error for a machine without the library."""
    return MachineError(f"{spec} needs pydantic-ai, which is not installed", fix="pip install 'mayfly-agents[models]'")
