"""Texts from texts: gather what the inputs offer and find the cheapest programs that give all outputs."""

from __future__ import annotations

from mayfly.synthesis.examples._dates import add_dates
from mayfly.synthesis.examples._numbers import add_numbers, number_sources
from mayfly.synthesis.examples._pieces import Pool, add_pieces
from mayfly.synthesis.examples._places import Pieces
from mayfly.synthesis.examples._ranges import add_ranges
from mayfly.synthesis.examples._search import Candidate, search
from mayfly.synthesis.examples._task import Task
from mayfly.synthesis.examples._whole import add_whole


def write(task: Task, wanted: int) -> list[Candidate]:
    """Return up to *wanted* programs without conditions that give all outputs, cheapest first."""
    pool = Pool(task)
    for column in task.columns:
        add_pieces(pool, column)
        add_whole(pool, column)
        task.check_time()
    dates = add_dates(pool, task)
    numbers = [*number_sources(task.columns, task.count), *dates]
    add_numbers(pool, task, numbers)
    add_ranges(pool, task, numbers)
    sources = [Pieces(column, task) for column in task.columns if any(column.texts[: task.count])]
    return search(task, pool.atoms(), sources, wanted)
