"""The sandbox beside every other way to run the same job, in one interleaved run."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from itertools import pairwise
from typing import NamedTuple, TypeVar

from bench import _contenders as c
from bench import _memory
from bench import _throughput as t
from bench._table import Spread, Table, number, spread

PAUSE = 0.005
ROW = 20
# One round in this many also times a row of calls, of those contenders that need less than this many microseconds.
ROW_EVERY = 8
ROW_LIMIT = 10_000
T = TypeVar("T")
Absent = dict[str, str]


class Latency(NamedTuple):
    """Microseconds of each contender: after a pause, straight after another call of the same, and in a row of them."""

    rested: dict[str, Spread]
    following: dict[str, Spread]
    repeated: dict[str, Spread]


def measure(*, quick: bool) -> list[Table]:
    """Return the tables: latency, throughput, memory, bars."""
    memory = _memory.measure()
    latency, absent = _latency(rounds=40 if quick else 400)
    rates, failed = _rates(rounds=2 if quick else 6, seconds=0.3 if quick else 1.0)
    return [
        _latency_table("One call after a pause", _RESTED, latency.rested, absent),
        _latency_table("One call straight after another", _FOLLOWING, latency.following, absent),
        _latency_table(f"{ROW} calls in a row", _REPEATED, latency.repeated, absent),
        _rate_table(rates, failed),
        _memory_table(memory),
        _bar_table(latency, rates),
    ]


def _open(
    stack: ExitStack, contenders: dict[str, Callable[[], AbstractContextManager[T]]]
) -> tuple[dict[str, T], Absent]:
    """Open what can be opened; say of the others why not."""
    opened: dict[str, T] = {}
    absent: Absent = {}
    for name, contender in contenders.items():
        try:
            opened[name] = stack.enter_context(contender())
        except Exception as error:
            absent[name] = _reason(error)
    return opened, absent


def _reason(error: Exception) -> str:
    return f"absent: {' '.join(str(error).split())[:100] or type(error).__name__}"


def _latency(*, rounds: int) -> tuple[Latency, Absent]:
    """Visit every contender once a round, in a new order each time, and time two calls."""
    order = random.Random(1)
    with ExitStack() as stack:
        calls, absent = _open(stack, c.CONTENDERS)
        for name in list(calls):
            try:
                _visit(name, calls[name])
            except Exception as error:
                absent[name] = _reason(error)
                del calls[name]
        samples: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
        rows: dict[str, list[float]] = {name: [] for name in calls}
        gc.collect()
        gc.freeze()
        names = list(calls)
        for turn in range(rounds):
            order.shuffle(names)
            for name in names:
                samples[name].append(_visit(name, calls[name]))
                if turn % ROW_EVERY == 0 and samples[name][-1][0] < ROW_LIMIT:
                    rows[name] += _row(calls[name])
        gc.unfreeze()
    columns = [{name: spread([pair[i] for pair in sample]) for name, sample in samples.items()} for i in (0, 1)]
    rested, following = columns
    return Latency(rested, following, {name: spread(row) for name, row in rows.items() if row}), absent


def _row(call: c.Call) -> list[float]:
    """Time calls made one after the other."""
    times = [time.perf_counter_ns()]
    for _ in range(ROW):
        call()
        times.append(time.perf_counter_ns())
    return [(later - earlier) / 1000 for earlier, later in pairwise(times)]


def _visit(name: str, call: c.Call) -> tuple[float, float]:
    """Let the machine settle and this core wake, then time a call and the one that follows it."""
    time.sleep(PAUSE)
    expected = c.compile_and_call()
    times = [time.perf_counter_ns()]
    first = call()
    times.append(time.perf_counter_ns())
    second = call()
    times.append(time.perf_counter_ns())
    for answer in (first, second):
        _check(name, answer, expected)
    return (times[1] - times[0]) / 1000, (times[2] - times[1]) / 1000


def _check(name: str, answer: object, expected: object) -> None:
    if answer != expected:
        raise RuntimeError(f"{name} gave another answer: {str(answer)[:200]}")


def _rates(*, rounds: int, seconds: float) -> tuple[dict[str, Spread], Absent]:
    with ExitStack() as stack:
        slices, absent = _open(stack, t.CONTENDERS)
        samples: dict[str, list[float]] = {name: [] for name in slices}
        for turn in range(-1, rounds):
            for name in list(slices):
                try:
                    rate = slices[name](seconds if turn >= 0 else 0.05)
                except Exception as error:
                    absent[name] = _reason(error)
                    del slices[name]
                    continue
                if turn >= 0:
                    samples[name].append(rate)
    return {name: spread(samples[name]) for name in slices}, absent


_RESTED = (
    f"Microseconds. Round-robin over all rows in a new order each round; {PAUSE * 1000:.0f} ms pause and one untimed "
    "in-process job before each call, so that no row pays for what another left running and this core is awake, while "
    "other processes and the other cores have gone to sleep. Every answer is checked. Ratios are minimum / p50 of the "
    "row to those of the named one: below 1 is faster."
)
_FOLLOWING = (
    "The call made straight after the one above, in the same visit: nothing has had to wake, and what the first call "
    "left running (a refill, a process that ends) is running. One pinned call in 100 is replayed one-shot."
)


_REPEATED = (
    f"{ROW} calls one after the other, each timed, in one round of {ROW_EVERY}: what a program sees that calls again "
    "and again. A one-shot worker has to be replaced after each, so its row is bound by how fast that goes."
)


def _latency_table(title: str, caption: str, latency: dict[str, Spread], absent: Absent) -> Table:
    peers = (c.REFERENCE, c.KEPT, c.PROCESS)
    rows = []
    for name in c.CONTENDERS:
        if name in absent:
            rows.append([name, absent[name], *[""] * (2 + len(peers))])
            continue
        if name not in latency:
            continue
        mine = latency[name]
        rows.append([name, *[number(value) for value in mine], *[_ratios(mine, latency.get(peer)) for peer in peers]])
    head = ["what", "min", "p50", "p99", "× compile and call", "× Monty kept", "× Monty process"]
    return Table(title=title, caption=caption, head=head, rows=rows)


def _ratios(mine: Spread, other: Spread | None) -> str:
    return f"{number(mine.least / other.least)} / {number(mine.middle / other.middle)}" if other else ""


def _rate_table(rates: dict[str, Spread], absent: Absent) -> Table:
    best = _best_process(rates)
    rows = []
    for name in t.CONTENDERS:
        if name in absent:
            rows.append([name, absent[name], "", ""])
            continue
        rate = rates[name]
        ratio = number(rate.middle / best) if best else ""
        rows.append([name, number(rate.middle), f"{number(rate.least)} - {number(rate.most)}", ratio])
    return Table(
        title="All cores",
        caption=f"Jobs a second with {t.CORES} callers, one a core: median and range of slices in rotation. Threads "
        "share one process (and for mayfly one Sandbox), processes have a contender each. The last column compares "
        "with Monty's better fresh-process row.",
        head=["what", "jobs/s", "range", "× Monty process"],
        rows=rows,
    )


def _best_process(rates: dict[str, Spread]) -> float:
    found = [rates[name].middle for name in (t.PROCESS, t.PROCESS_IN_PROCESSES) if name in rates]
    return max(found, default=0.0)


def _memory_table(found: list[_memory.Use | str]) -> Table:
    rows = [
        [use, "", "", ""]
        if isinstance(use, str)
        else [use.name, str(use.processes), number(use.proportional), number(use.own)]
        for use in found
    ]
    return Table(
        title="Memory of idle processes",
        caption="MiB, mean of the processes of a kind after one job. PSS divides shared pages among their users; USS "
        "is what ending the process would free.",
        head=["process", "count", "PSS", "USS"],
        rows=rows,
    )


def _bar_table(latency: Latency, rates: dict[str, Spread]) -> Table:
    one, pin, reference = c.ONE_SHOT, c.PINNED, c.REFERENCE
    rows = [
        _at_most("pinned ≤ 1.5 × compile and call", latency, pin, reference, 1.5),
        _at_most("pinned ≥ 2 × faster than Monty reused, function kept", latency, pin, c.KEPT, 1 / 2),
        _at_most("pinned ≥ 2 × faster than Monty reused, source fed again", latency, pin, c.FED, 1 / 2),
        _at_most("one-shot ≤ 4 × compile and call (asked after a pause)", latency, one, reference, 4),
        _at_most("one-shot ≤ 10 × compile and call (asked in a row)", latency, one, reference, 10),
        _at_most("one-shot faster than Monty fresh process", latency, one, c.PROCESS, 1),
        _at_most("one-shot faster than Monty fresh session in a used process", latency, one, c.SESSION, 1),
        _at_most("one-shot faster than smolagents", latency, one, c.SMOLAGENTS, 1),
        _rate_bar("one-shot on all cores ≥ 1 × Monty fresh process", rates, t.ONE_SHOT, 1.0),
        _rate_bar("one-shot on all cores ≥ 2 × Monty fresh process (aim)", rates, t.ONE_SHOT, 2.0),
    ]
    return Table(
        title="Bars",
        caption="Ratios of this run, minimum / p50: a bar is met when both are within it.",
        head=["bar", "after a pause", "met?", "straight after another", "met?", "in a row", "met?"],
        rows=rows,
    )


def _at_most(bar: str, latency: Latency, mine: str, other: str, limit: float) -> list[str]:
    cells = [bar]
    for column in latency:
        if mine in column and other in column:
            cells += _judge(column[mine], column[other], limit)
        else:
            cells += ["absent", "?"]
    return cells


def _judge(mine: Spread, other: Spread, limit: float) -> tuple[str, str]:
    """Write the two ratios the way the bar is worded, and whether they are within it."""
    ratios = (mine.least / other.least, mine.middle / other.middle)
    least, middle = (ratio <= limit for ratio in ratios)
    verdict = "yes" if least and middle else "minimum only" if least else "p50 only" if middle else "no"
    if limit < 1:
        return f"{number(1 / ratios[0])} / {number(1 / ratios[1])} × faster", verdict
    return f"{number(ratios[0])} / {number(ratios[1])} ×", verdict


def _rate_bar(bar: str, rates: dict[str, Spread], mine: str, limit: float) -> list[str]:
    best = _best_process(rates)
    if not best or mine not in rates:
        return [bar, "absent", "?", *[""] * 4]
    ratio = rates[mine].middle / best
    return [bar, f"{number(ratio)} ×", "yes" if ratio >= limit else "no", *[""] * 4]
