"""All of them, with the limits of the settings in force."""

from __future__ import annotations

from mayfly.core import Settings
from mayfly.library._capability import Builtin
from mayfly.library.builtin._calculate import calculate_builtin
from mayfly.library.builtin._data import data_builtins
from mayfly.library.builtin._files import file_builtins
from mayfly.library.builtin._find import find_builtins
from mayfly.library.builtin._http import http_builtins
from mayfly.library.builtin._search import search_builtins
from mayfly.library.builtin._tests import suite_builtins
from mayfly.library.builtin._write import write_builtin


def builtins(settings: Settings | None = None) -> tuple[Builtin, ...]:
    """Return what the host itself can do for a promise, each with its effect, the action it asks for and its test."""
    settings = settings or Settings()
    largest = settings.sandbox.result
    return (
        *file_builtins(largest),
        *find_builtins(),
        *search_builtins(settings.sandbox),
        *data_builtins(largest),
        calculate_builtin(),
        write_builtin(),
        *http_builtins(),
        *suite_builtins(settings.sandbox),
    )
