"""All of them, with the limits of the settings in force."""

from __future__ import annotations

from mayfly.core import Capability, Settings
from mayfly.library.builtin._calculate import calculate_capability
from mayfly.library.builtin._convert import convert_capabilities
from mayfly.library.builtin._count import count_capabilities
from mayfly.library.builtin._data import data_capabilities
from mayfly.library.builtin._files import file_capabilities
from mayfly.library.builtin._find import find_capabilities
from mayfly.library.builtin._git import git_capabilities
from mayfly.library.builtin._http import http_capabilities
from mayfly.library.builtin._search import search_capabilities
from mayfly.library.builtin._tests import suite_capabilities
from mayfly.library.builtin._write import write_capabilities


def builtins(settings: Settings | None = None) -> tuple[Capability, ...]:
    """Return what the host itself can do, each with its schema, its effect, what it asks the rules for and its test."""
    settings = settings or Settings()
    largest = settings.sandbox.result
    return (
        *file_capabilities(largest),
        *count_capabilities(largest),
        *find_capabilities(),
        *search_capabilities(settings.sandbox),
        *data_capabilities(largest),
        *convert_capabilities(largest),
        calculate_capability(),
        *write_capabilities(),
        *http_capabilities(),
        *suite_capabilities(settings.sandbox),
        *git_capabilities(),
    )
