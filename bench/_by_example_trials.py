"""Tasks for programs by example, and what comes of each when some of its examples are given."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from mayfly.core import Example
from mayfly.synthesis.examples import Synthesis, Trust, synthesize

FOLDS = 5
OURS = Path(__file__).resolve().parent / "by_example_tasks.jsonl"
# Written when everything had been chosen; nothing may be chosen by them.
LATER = Path(__file__).resolve().parent / "by_example_later.jsonl"


class Task(NamedTuple):
    """One task: whose it is, its name and its examples, each input once."""

    source: str
    name: str
    examples: tuple[Example, ...]

    @property
    def fold(self) -> int:
        """The fold it is in, by its name alone."""
        return int(sha256(self.name.encode()).hexdigest(), 16) % FOLDS


class Trial(NamedTuple):
    """What came of one task: whether the first program is right on all other examples, and what speaks for it."""

    task: Task
    drawn: int
    right: bool
    trust: Trust | None
    milliseconds: float


def load(path: Path, source: str) -> Iterator[Task]:
    """Read tasks; an input of one text is that text, several are a list."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            task = json.loads(line)
            examples: list[Example] = []
            for pair in task["examples"]:
                given = pair["input"]
                value = given[0] if isinstance(given, list) and len(given) == 1 else given
                if value not in [example.input for example in examples]:
                    examples.append(Example(input=value, output=pair["output"]))
            yield Task(source, task["task"], tuple(examples))


def trial(task: Task, count: int, *, probes: bool, drawn: int = 0) -> Trial | None:
    """Give the first examples, or for a later drawing any, and judge by the rest; without a rest there is no trial."""
    if len(task.examples) <= count + bool(drawn):
        return None
    size = len(task.examples)
    places = random.Random(f"{task.name} {drawn}").sample(range(size), count) if drawn else list(range(count))
    given = [task.examples[place] for place in places]
    rest = [example for place, example in enumerate(task.examples) if place not in places]
    start = time.perf_counter()
    found = synthesize(given, probes=[example.input for example in rest] if probes else ())
    spent = (time.perf_counter() - start) * 1000
    return Trial(task, drawn, _right(found, rest), found.trust, spent)


def _right(found: Synthesis, rest: Sequence[Example]) -> bool:
    try:
        return bool(found.programs) and all(found.programs[0].apply(one.input) == one.output for one in rest)
    except ValueError:
        return False
