"""`Prompt`: a shipped prompt filled with what is asked about, and the fence around what is only material in it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template
from typing import NamedTuple

from mayfly.core import content_hash


class Prompt(NamedTuple):
    """One prompt, ready to be sent or to be filled."""

    system: str
    user: str

    @classmethod
    def load(cls, path: Path) -> Prompt:
        """Read a shipped prompt: the system's text and that of the user, with a line of three dashes between them."""
        return _read(path)

    def fill(self, **values: str) -> Prompt:
        """Put *values* where the prompt names them; a value is text and never a prompt of its own."""
        return Prompt(Template(self.system).substitute(values), Template(self.user).substitute(values))


@cache
def _read(path: Path) -> Prompt:
    system, _, user = path.read_text(encoding="utf-8").partition("\n---\n")
    return Prompt(system.strip(), user.strip())


def fenced(text: str) -> str:
    """Mark *text* as data by a fence made of its hash: it cannot hold that, and the same text is always asked alike."""
    mark = f"data-{content_hash(text)[:16]}"
    return f"<{mark}>\n{text}\n</{mark}>"
