"""The built-in capabilities: what a leaf of a promise tree can have done on the host itself, and what they stand on."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library.builtin._address import Address, address_of
    from mayfly.library.builtin._all import builtins
    from mayfly.library.builtin._copy import LEFT_OUT
    from mayfly.library.builtin._exchange import Answer, KeptConnections, exchange
    from mayfly.library.builtin._paths import Entry, entries
    from mayfly.library.builtin._project import SuiteReport, run_project

__all__ = [
    "LEFT_OUT",
    "Address",
    "Answer",
    "Entry",
    "KeptConnections",
    "SuiteReport",
    "address_of",
    "builtins",
    "entries",
    "exchange",
    "run_project",
]

__getattr__ = lazily(
    __name__,
    {
        "_address": "Address address_of",
        "_all": "builtins",
        "_copy": "LEFT_OUT",
        "_exchange": "Answer KeptConnections exchange",
        "_paths": "Entry entries",
        "_project": "SuiteReport run_project",
    },
)
