"""The wall: untrusted Python in a process the kernel confines, in about a millisecond."""

from mayfly.sandbox._box import EPHEMERAL_IMPORTS, Sandbox, Stream
from mayfly.sandbox._call import Ticket
from mayfly.sandbox._doctor import Diagnosis, Layer, diagnose
from mayfly.sandbox._result import Lane, Level, Result, Status

__all__ = [
    "EPHEMERAL_IMPORTS",
    "Diagnosis",
    "Lane",
    "Layer",
    "Level",
    "Result",
    "Sandbox",
    "Status",
    "Stream",
    "Ticket",
    "diagnose",
]
