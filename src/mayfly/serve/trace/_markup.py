"""Fill the pieces of `trace.html`: what is put in is text, without secrets and escaped, unless it was filled too."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files
from re import DOTALL, finditer
from string import Template

from mayfly.core import harmless, without_secrets, without_secrets_in

# As much of one text as anybody reads in a mail; a value of many megabytes is not carried around.
LONGEST = 20_000
# Texts are cut after secrets are taken out, since half a secret looks like none; no form of one is longer than this.
_LONGEST_SECRET = 10_000


class Markup(str):
    """Text that is markup already: it was filled by `fill`, or comes from our own files."""

    __slots__ = ()


def fill(piece: str, /, **values: object) -> Markup:
    """Return the *piece* of that name with *values* in it."""
    return Markup(_pieces()[piece].substitute({key: markup(value) for key, value in values.items()}))


def markup(value: object, *, limit: int = LONGEST) -> Markup:
    """Return *value* as markup that shows its text and does nothing else."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, (list, tuple)):
        return Markup("".join(markup(item) for item in value))
    return Markup(escape(text_of(str(value), limit=limit)))


def text_of(text: str, *, limit: int = LONGEST) -> str:
    """Return *text* without secrets, with its control characters shown, and cut with a count."""
    known = without_secrets(text[: limit + _LONGEST_SECRET])
    left = len(text) - limit
    shown = harmless(known[:limit]).encode("utf-8", "replace").decode()
    return shown if left <= 0 else f"{shown} … and {left:,} more characters"


def data_of(value: object, *, limit: int = LONGEST) -> Markup:
    """Return plain data as JSON, readable and safe."""
    try:
        text = json.dumps(without_secrets_in(value), ensure_ascii=False, indent=1, default=str)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return markup(text, limit=limit)


@cache
def _pieces() -> dict[str, Template]:
    text = files("mayfly.serve.trace").joinpath("trace.html").read_text(encoding="utf-8")
    found = finditer(r'<template id="([\w-]+)">\n?(.*?)</template>', text, DOTALL)
    return {piece[1]: Template(piece[2]) for piece in found}


@cache
def style() -> Markup:
    """Return the one stylesheet."""
    return Markup(files("mayfly.serve.trace").joinpath("trace.css").read_text(encoding="utf-8"))
