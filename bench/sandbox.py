"""The sandbox beside every other way to run the same job, in one interleaved run."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from bench import _contenders as c
from bench import _memory
from bench import _throughput as t
from bench._table import Spread, Table, number, spread

PAUSE = 0.005
T = TypeVar("T")
Absent = dict[str, str]


def measure(*, quick: bool) -> list[Table]:
    """Return the tables: latency, throughput, memory, bars."""
    memory = _memory.measure()
    latency, missing = _latency(rounds=40 if quick else 400)
    rates, idle = _rates(rounds=2 if quick else 6, seconds=0.3 if quick else 1.0)
    return [
        _latency_table(latency, missing),
        _rate_table(rates, idle),
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


def _latency(*, rounds: int) -> tuple[dict[str, Spread], Absent]:
    """Call every contender once a round, in a new order each time, and time the calls in microseconds."""
    expected = c.compile_and_call()
    order = random.Random(1)
    with ExitStack() as stack:
        calls, absent = _open(stack, c.CONTENDERS)
        for name in list(calls):
            try:
                _check(name, calls[name](), expected)
            except Exception as error:
                absent[name] = _reason(error)
                del calls[name]
        samples: dict[str, list[float]] = {name: [] for name in calls}
        gc.collect()
        gc.freeze()
        names = list(calls)
        for step in range(rounds + 2):
            order.shuffle(names)
            for name in names:
                taken, answer = _time(calls[name])
                _check(name, answer, expected)
                if step >= 2:
                    samples[name].append(taken)
        gc.unfreeze()
    return {name: spread(sample) for name, sample in samples.items()}, absent


def _time(call: c.Call) -> tuple[float, object]:
    """Let the machine settle and this core wake, then time one call."""
    time.sleep(PAUSE)
    c.compile_and_call()
    started = time.perf_counter_ns()
    answer = call()
    return (time.perf_counter_ns() - started) / 1000, answer


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


def _latency_table(latency: dict[str, Spread], missing: Absent) -> Table:
    peers = (c.REFERENCE, c.KEPT, c.PROCESS)
    rows = []
    for name in c.CONTENDERS:
        if name in missing:
            rows.append([name, missing[name], *[""] * (2 + len(peers))])
            continue
        mine = latency[name]
        rows.append([name, *[number(value) for value in mine], *[_ratios(mine, latency.get(peer)) for peer in peers]])
    return Table(
        title="One call",
        caption=f"Microseconds. Round-robin over all rows in a new order each round, {PAUSE * 1000:.0f} ms pause and "
        "one untimed in-process job before each call, so that no row pays for what another left running. Every answer is "
        "checked. Ratios are minimum / p50 of this row to those of the other: below 1 is faster. One pinned call in "
        "100 is replayed one-shot and shows in p99.",
        head=["what", "min", "p50", "p99", "× compile and call", "× Monty kept", "× Monty process"],
        rows=rows,
    )


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
        caption=f"Jobs a second with {t.CORES} callers, one a core: median and range of slices in rotation. `threads` "
        "share one process (and for mayfly one Sandbox), `processes` have a contender each. The last column compares with "
        "Monty's better fresh-process row.",
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


def _bar_table(latency: dict[str, Spread], rates: dict[str, Spread]) -> Table:
    one, pin, reference = c.ONE_SHOT, c.PINNED, c.REFERENCE
    rows = [
        _at_most("pinned ≤ 1.5 × compile and call", latency, pin, reference, 1.5),
        _at_most("pinned ≥ 4 × faster than Monty reused, function kept", latency, pin, c.KEPT, 1 / 4),
        _at_most("pinned ≥ 4 × faster than Monty reused, source fed again", latency, pin, c.FED, 1 / 4),
        _at_most("one-shot ≤ 6 × compile and call", latency, one, reference, 6),
        _at_most("one-shot ≤ 4 × compile and call (aim)", latency, one, reference, 4),
        _at_most("one-shot faster than Monty fresh process", latency, one, c.PROCESS, 1),
        _at_most("one-shot faster than Monty fresh session (same process)", latency, one, c.SESSION, 1),
        _at_most("one-shot faster than smolagents", latency, one, c.SMOLAGENTS, 1),
        _rate_bar("one-shot throughput ≥ 0.6 × Monty fresh process", rates, 0.6),
        _rate_bar("one-shot throughput ≥ 1 × Monty fresh process (aim)", rates, 1.0),
    ]
    return Table(
        title="Bars",
        caption="Latency as minimum / p50 ratios of this run; a bar is met when both are within it.",
        head=["bar", "measured", "met?"],
        rows=rows,
    )


def _at_most(bar: str, latency: dict[str, Spread], mine: str, other: str, limit: float) -> list[str]:
    if mine not in latency or other not in latency:
        return [bar, "absent", "?"]
    ratios = [latency[mine].least / latency[other].least, latency[mine].middle / latency[other].middle]
    shown = ratios if limit >= 1 else [1 / ratio for ratio in ratios]
    least, middle = (ratio <= limit for ratio in ratios)
    verdict = "yes" if least and middle else "minimum only" if least else "p50 only" if middle else "no"
    suffix = " ×" if limit >= 1 else " × faster"
    return [bar, " / ".join(number(ratio) for ratio in shown) + suffix, verdict]


def _rate_bar(bar: str, rates: dict[str, Spread], limit: float) -> list[str]:
    best = _best_process(rates)
    if not best or t.ONE_SHOT not in rates:
        return [bar, "absent", "?"]
    ratio = rates[t.ONE_SHOT].middle / best
    return [bar, f"{number(ratio)} ×", "yes" if ratio >= limit else "no"]
