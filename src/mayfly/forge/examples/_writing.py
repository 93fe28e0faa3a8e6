"""Texts from texts: gather what the inputs offer and find the cheapest programs that give all outputs."""

from __future__ import annotations

from mayfly.forge.examples._dates import add_dates
from mayfly.forge.examples._numbers import add_numbers, number_sources
from mayfly.forge.examples._pieces import Pool, add_pieces
from mayfly.forge.examples._places import Pieces
from mayfly.forge.examples._ranges import add_ranges
from mayfly.forge.examples._search import Candidate, search
from mayfly.forge.examples._task import Task
from mayfly.forge.examples._whole import add_whole


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
