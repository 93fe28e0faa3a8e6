"""The types gate: `mypy --strict` is the verdict, after what a tool can put right has been put right."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.gates.types._gate import TypeGate as TypeGate
    from mayfly.gates.types._gate import TypeReport as TypeReport
    from mayfly.gates.types._server import TypeOptions as TypeOptions

# Whatever changes what the gate says makes this larger: what was admitted by another version is tried again.
VERSION = 1

__all__ = ["VERSION", *public_names(__name__)]
__getattr__ = lazily(__name__)
