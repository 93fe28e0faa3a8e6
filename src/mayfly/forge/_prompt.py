"""Prompts are files: what comes before `---` is the system's part, what follows is filled in for each request."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import NamedTuple

from mayfly.core import content_hash


class Prompt(NamedTuple):
    """One prompt, ready to be sent or to be filled."""

    system: str
    user: str

    @classmethod
    def load(cls, name: str) -> Prompt:
        """Read the shipped prompt called *name*."""
        return cls(*_parts(name))

    def fill(self, **values: str) -> Prompt:
        """Put *values* where the prompt names them; a value is text and never a prompt of its own."""
        return Prompt(Template(self.system).substitute(values), Template(self.user).substitute(values))


@cache
def _parts(name: str) -> tuple[str, str]:
    text = (files("mayfly.forge") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    system, _, user = text.partition("\n---\n")
    return system.strip(), user.strip()


def fenced(text: str) -> str:
    """Mark *text* as data by a fence made of its hash: it cannot hold that, and the same text is always asked alike."""
    mark = f"data-{content_hash(text)[:16]}"
    return f"<{mark}>\n{text}\n</{mark}>"
