"""Tools to try the library with, and a runtime that tries them quickly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mayfly.core import GateSettings, LibrarySettings, SandboxSettings, Settings, StoreSettings

ROMAN = '''
def {name}(numeral: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}}
    total = 0
    previous = 0
    for letter in reversed(numeral):
        value = values[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total
'''
EXAMPLES: list[Mapping[str, object]] = [
    {"input": "IV", "output": 4},
    {"input": {"numeral": "XLII"}, "output": 42},
    {"input": "MMXXVI", "output": 2026},
]
WRONG = ROMAN.replace("else -value", "else value")


def roman(name: str = "roman") -> str:
    return ROMAN.format(name=name).lstrip()


def wrong_roman(name: str = "roman") -> str:
    return WRONG.format(name=name).lstrip()


def adder(name: str, number: int) -> str:
    """Return a tool that is like no other: it adds its own number."""
    return f'def {name}(value: int) -> int:\n    """Add {number} to a number."""\n    return value + {number}\n'


def adds(number: int) -> list[Mapping[str, object]]:
    return [{"input": value, "output": value + number} for value in (0, 1, 40)]


def quick_settings(state: Path, *, url: str = "", **library: object) -> Settings:
    """Return settings under which a tool is proven by its tests alone: what mutants say is tried elsewhere."""
    settings = Settings(
        state_dir=str(state),
        gates=GateSettings(mutants=0, inputs=0),
        sandbox=SandboxSettings(timeout=60.0),
        library=replace(LibrarySettings(), **library),  # type: ignore[arg-type]
    )
    return replace(settings, store=StoreSettings(database_url=url)) if url else settings
