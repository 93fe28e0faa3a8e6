"""A runtime with one small library, and the sandbox it has, shared by all tests of adapters."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.runtime import Runtime

DOCS = Path(__file__).parents[2] / "docs" / "adapters.md"


def documented(heading: str) -> str:
    """Return the first block of code below a heading of the page about adapters."""
    section = DOCS.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    return section.partition("```")[2].partition("\n")[2].partition("```")[0]


ROMAN = '''\
def roman_to_int(text: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    last = 0
    for letter in reversed(text):
        value = values[letter]
        total += value if value >= last else -value
        last = max(last, value)
    return total
'''
EXAMPLES = [{"input": text, "output": number} for text, number in (("III", 3), ("XIV", 14), ("MCMXC", 1990))]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory, type_cache: Path) -> Iterator[Runtime]:
    """Yield a runtime whose library has `roman_to_int`."""
    state = tmp_path_factory.mktemp("adapters") / "state"
    state.mkdir(mode=0o700)
    (state / "mypy-cache").symlink_to(type_cache)
    with Runtime(Settings.load(environ={"MAYFLY_STATE_DIR": str(state)})) as made:
        tool = made.tools.write("convert a roman numeral", name="roman_to_int", source=ROMAN, examples=EXAMPLES)
        assert tool.decision == "accept", tool.reason
        yield made
