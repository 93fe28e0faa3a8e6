"""The types gate: `mypy --strict` is the verdict, after what a tool can put right has been put right."""

from mayfly.gates.types._gate import VERSION, TypeGate, TypeReport
from mayfly.gates.types._server import TypeOptions

__all__ = [
    "VERSION",
    "TypeGate",
    "TypeOptions",
    "TypeReport",
]
