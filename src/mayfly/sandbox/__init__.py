"""The wall: untrusted Python in a process the kernel confines, in about a millisecond."""

from mayfly.sandbox._box import EPHEMERAL_IMPORTS, Sandbox, Stream
from mayfly.sandbox._result import Result

__all__ = ["EPHEMERAL_IMPORTS", "Result", "Sandbox", "Stream"]
