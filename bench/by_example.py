"""Programs by example: how many tasks are solved from a few examples, and how often a claim is right."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from bench._by_example_folds import folds, unseen  # noqa: E402
from bench._by_example_run import through_run  # noqa: E402
from bench._by_example_trials import LATER, OURS, Task, load, trial  # noqa: E402
from bench._table import Table  # noqa: E402

FILE = "prose_text_dev.jsonl.gz"
VARIABLE = "MAYFLY_BENCH_DATA"


def measure(*, quick: bool) -> list[Table]:
    """Measure by folds, with and without the remaining inputs as probes, and through all gates."""
    tasks = known()[:: 5 if quick else 1]
    run = [through_run(source, mine, (2, 3)) for source, mine in by_source(tasks)]
    later = list(load(LATER, "own"))[:: 5 if quick else 1]
    return [folds(tasks, 3, probes=True), folds(tasks, 3, probes=False), unseen(later, 3), *run]


def known() -> list[Task]:
    """Return our own tasks, and those of the suite where its directory is named."""
    directory = os.environ.get(VARIABLE, "")
    suite = list(load(Path(directory) / FILE, "PROSE")) if directory else []
    return [*suite, *load(OURS, "own")]


def by_source(tasks: list[Task]) -> list[tuple[str, list[Task]]]:
    """Return the tasks of every source together."""
    sources = dict.fromkeys(task.source for task in tasks)
    return [(source, [task for task in tasks if task.source == source]) for source in sources]


def main() -> None:
    """Print the tables by folds, or one line for each task of some folds."""
    parser = argparse.ArgumentParser(description=f"{__doc__} {VARIABLE} names the directory that holds {FILE}.")
    parser.add_argument("--given", type=int, default=3, help="how many examples are given")
    parser.add_argument("--probes", action="store_true", help="give the remaining inputs as probes")
    parser.add_argument("--tasks", type=int, nargs="*", metavar="FOLD", help="list the tasks of these folds instead")
    parser.add_argument("--later", action="store_true", help="measure the tasks that took no part in any choice")
    chosen = parser.parse_args()
    if chosen.later:
        print(unseen(list(load(LATER, "own")), chosen.given).markdown())
        return
    if chosen.tasks is None:
        print(folds(known(), chosen.given, probes=chosen.probes).markdown())
        return
    for task in known():
        if task.fold in chosen.tasks and (one := trial(task, chosen.given, probes=chosen.probes)):
            claimed = "claimed" if one.trust is not None and one.trust.confident() else "asked"
            right = "right" if one.right else "wrong"
            print(f"{task.source:6} {task.name:24} {claimed:8} {right:6} {one.milliseconds:8.0f} ms")


if __name__ == "__main__":
    main()
