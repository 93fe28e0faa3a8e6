"""Programs by example: how many tasks are solved from the first examples, and how often a claim is wrong."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from bench._by_example_run import through_run  # noqa: E402
from bench._table import Table  # noqa: E402
from mayfly.core import Example  # noqa: E402
from mayfly.synthesis.examples import Synthesis, synthesize  # noqa: E402

FILE = "prose_text_dev.jsonl.gz"
VARIABLE = "MAYFLY_BENCH_DATA"
HEAD = (
    "given",
    "tasks",
    "solved",
    "wrongly claimed",
    "asked",
    "of these right",
    "no program",
    "claims right",
    "p50 ms",
    "p95 ms",
)


class Task(NamedTuple):
    """One task: its name and its examples."""

    name: str
    examples: tuple[Example, ...]


class Result(NamedTuple):
    """What came of one task."""

    task: str
    kind: str
    milliseconds: float


def measure(*, quick: bool) -> list[Table]:
    """Measure with and without the remaining inputs as probes; without the data there is nothing to measure."""
    directory = os.environ.get(VARIABLE, "")
    if not directory:
        return [Table(title="Programs by example", caption=f"Not measured: {VARIABLE} is not set.", head=HEAD, rows=[])]
    tasks = list(load(Path(directory)))[:: 5 if quick else 1]
    synthesis = [table(tasks, (1, 2, 3), probes=probes) for probes in (False, True)]
    return [*synthesis, through_run([task.examples for task in tasks], (2, 3))]


def load(directory: Path) -> Iterator[Task]:
    """Read the tasks; an input of one text is that text, several are a list."""
    with gzip.open(directory / FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            task = json.loads(line)
            yield Task(task["task"], tuple(_example(example) for example in task["examples"]))


def _example(example: dict[str, object]) -> Example:
    given = example["input"]
    return Example(input=given[0] if isinstance(given, list) and len(given) == 1 else given, output=example["output"])


def table(tasks: Sequence[Task], counts: Sequence[int], *, probes: bool) -> Table:
    """Run all tasks with the first examples given and the others as judges."""
    rows = [_row(count, [result for task in tasks if (result := run(task, count, probes=probes))]) for count in counts]
    known = "and the remaining inputs as probes" if probes else "and nothing else"
    return Table(
        title=f"Programs by example, {'with' if probes else 'without'} probes",
        caption=f"The first examples are given {known}; right means that the first program gives all other outputs.",
        head=HEAD,
        rows=rows,
    )


def run(task: Task, count: int, *, probes: bool) -> Result | None:
    """Synthesize from the first examples and judge by the rest; a task without a rest is left out."""
    given = task.examples[:count]
    inputs = [example.input for example in given]
    rest = [example for example in task.examples[count:] if example.input not in inputs]
    if not rest:
        return None
    start = time.perf_counter()
    found = synthesize(given, probes=[example.input for example in rest] if probes else ())
    return Result(task.name, _judged(found, rest), (time.perf_counter() - start) * 1000)


def _judged(found: Synthesis, rest: Sequence[Example]) -> str:
    if not found.programs:
        return "none"
    right = all(_gives(found, example) for example in rest)
    return f"{'claimed' if found.confident else 'asked'} {'right' if right else 'wrong'}"


def _gives(found: Synthesis, example: Example) -> bool:
    try:
        return found.programs[0].apply(example.input) == example.output
    except ValueError:
        return False


def _row(count: int, results: Sequence[Result]) -> list[str]:
    kinds = Counter(result.kind for result in results)
    times = sorted(result.milliseconds for result in results)
    right, wrong = kinds["claimed right"], kinds["claimed wrong"]
    asked = kinds["asked right"] + kinds["asked wrong"]
    share = f"{100 * right / (right + wrong):.1f} %" if right + wrong else "-"
    cells = [count, len(results), right, wrong, asked, kinds["asked right"], kinds["none"], share]
    return [*map(str, cells), f"{times[len(times) // 2]:.0f}", f"{times[len(times) * 95 // 100]:.0f}"]


def main() -> None:
    """Print the tables, or one line for each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get(VARIABLE), help=f"directory that holds {FILE}")
    parser.add_argument("--given", type=int, nargs="*", default=[1, 2, 3], help="how many examples are given")
    parser.add_argument("--probes", action="store_true", help="give the remaining inputs as probes")
    parser.add_argument("--tasks", action="store_true", help="list every task with what came of it")
    chosen = parser.parse_args()
    if chosen.data is None:
        parser.error(f"--data or {VARIABLE} is needed")
    tasks = list(load(Path(chosen.data)))
    if chosen.tasks:
        for result in (
            result for count in chosen.given for task in tasks if (result := run(task, count, probes=chosen.probes))
        ):
            print(f"{result.task:24} {result.kind:14} {result.milliseconds:8.0f} ms")
        return
    print(table(tasks, chosen.given, probes=chosen.probes).markdown())


if __name__ == "__main__":
    main()
