"""`Reply`: what a call over MCP ends in, as text for a model and as data, and what to do next where it failed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import CONTROL, MayflyError, harmless, one_line, without_secrets

if TYPE_CHECKING:
    from mcp_types import CallToolResult

# Characters of the text beside structured data: models read the text, programs the data.
LONGEST_TEXT = 200_000


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Say how a call ended; *data* is an object, as every client takes it."""

    text: str
    data: Mapping[str, Any]
    error: bool = False

    def to_result(self) -> CallToolResult:
        """Return it as the protocol has it."""
        from mcp_types import CallToolResult, TextContent

        text = self.text if len(self.text) <= LONGEST_TEXT else self.text[:LONGEST_TEXT] + " … (cut; the data is whole)"
        return CallToolResult(
            content=[TextContent(text=harmless(encodable_text(text)))],
            structured_content=encodable(dict(self.data)),
            is_error=self.error,
        )


def failed(message: str, fix: str = "", **more: Any) -> Reply:
    """Say what went wrong and what to do about it."""
    said, todo = one_line(without_secrets(message)), advice(fix)
    lines = [said, *([f"next: {todo}"] if todo else [])]
    return Reply(text="\n".join(lines), data={"error": said, "next": todo, **more}, error=True)


def failure_of(error: Exception) -> Reply:
    """Say what an exception says; one that nobody foresaw is named without its insides."""
    if isinstance(error, MayflyError):
        return failed(error.message, error.fix or "", code=error.code)
    return failed(f"unexpected {type(error).__name__}", "try again; a person finds more in the log of the server")


def advice(fix: str) -> str:
    """Return a hint in the words of this protocol: what a person would type is what a client calls."""
    said = one_line(without_secrets(fix), limit=1000)
    for pattern, words in _hints():
        said = pattern.sub(words, said)
    # What is left can only be typed.
    return f"a person can help: {said}" if re.search(r"\bmayfly [a-z]", said) else said


@cache
def _hints() -> list[tuple[re.Pattern[str], str]]:
    table = tomllib.loads((Path(__file__).parent / "hints.toml").read_text(encoding="utf-8"))
    return [(re.compile(one["fix"]), one["says"]) for one in table["hint"]]


def value_text(value: object) -> str:
    """Return a value as a model reads it: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    written = json.dumps(value, ensure_ascii=False, default=_listed)
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _listed(value: object) -> object:
    """Let a sequence that lies on disk be written as the list it stands for."""
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def encodable(value: Any) -> Any:
    """Return plain data that can be sent as UTF-8: half of a character, which no frame can carry, is replaced."""
    if isinstance(value, str):
        return encodable_text(value)
    if isinstance(value, Mapping):
        return {encodable_text(str(key)): encodable(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [encodable(item) for item in value]
    return value


def encodable_text(text: str) -> str:
    """Return a text that can be sent as UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
