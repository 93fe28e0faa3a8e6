"""The words by which a tool is found: those of its name, its description and its schemas, each in one form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from mayfly.language import bases, is_closed, singular

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_A-Za-z]+")
# What every request for a tool says, and what therefore tells none apart.
_IDLE = re.compile(
    r"an?|the|that|which|who|its?|this|these|those|please|create|make|write|build|add|new|tools?|function|program|agent"
    r"|capability|use|using|used|by|need|want"
)
# Of one tool; a description of this many different words is no description.
_MOST = 80
_LONGEST = 40


def words_of(text: str) -> list[str]:
    """Return the telling words of a text in their plain forms, each once, in order."""
    return list(dict.fromkeys(_plain_words(text[:5000])))


def tool_words(name: str, *texts: str, schemas: Iterable[Mapping[str, Any]] = ()) -> tuple[str, ...]:
    """Return what a tool is found by: its name first, then what is said of it, then what its parameters are called."""
    named = [word for schema in schemas for word in _names_in(schema)]
    every = words_of(" ".join([name, *texts, *named]))
    return tuple(every[:_MOST])


def _plain_words(text: str) -> Iterator[str]:
    for found in _WORD.findall(text):
        word = found.lower()
        if len(word) > 1 and not _IDLE.fullmatch(word) and not is_closed(word):
            yield _plain(word)[:_LONGEST]


@lru_cache(maxsize=8192)
def _plain(word: str) -> str:
    """Return one form for all forms of a word: the shortest of those it can be made of."""
    return min({singular(word), *bases(word)}, key=lambda form: (len(form), form))


def _names_in(schema: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    for name, inner in schema.get("properties", {}).items():
        yield str(name)
        if isinstance(inner, Mapping) and depth < 2:
            yield str(inner.get("description", ""))
            yield from _names_in(inner, depth + 1)
