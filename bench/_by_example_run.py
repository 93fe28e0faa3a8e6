"""The same tasks as a user has them: through `Runtime.run`, every gate and the proof included."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence

from bench._by_example_trials import Task
from bench._table import Table, number, spread
from mayfly.core import Settings, Tier
from mayfly.runtime import Runtime

HEAD = ("given", "tasks", "resolved, right", "resolved, wrong", "asked", "weak", "other", "resolved right", "p50 ms")


def through_run(source: str, tasks: Sequence[Task], counts: Sequence[int]) -> Table:
    """Give the first examples and the remaining inputs as the input; compare what comes out with their outputs."""
    with tempfile.TemporaryDirectory(prefix="mayfly-bench-") as state, Runtime(Settings(state_dir=state)) as runtime:
        rows = [_row(runtime, tasks, count) for count in counts]
    caption = (
        "`Runtime.run` with the first examples (a third of three is held out from the synthesizer) and the remaining "
        "inputs as its input, at the default demands: a weak proof or a question resolves nothing."
    )
    return Table(title=f"Programs by example, through all gates, {source}", caption=caption, head=HEAD, rows=rows)


def _row(runtime: Runtime, tasks: Sequence[Task], count: int) -> list[str]:
    kinds: Counter[str] = Counter()
    times: list[float] = []
    for task in tasks:
        given, rest = task.examples[:count], task.examples[count:]
        if not rest:
            continue
        inputs = [example.input for example in rest]
        outcome = runtime.run("transform the text", examples=given, input=inputs, tier=Tier.EPHEMERAL)
        right = outcome.resolved and outcome.value == [example.output for example in rest]
        kinds["right" if right else "wrong" if outcome.resolved else outcome.code] += 1
        times.append(outcome.cost.seconds * 1000)
    right, wrong, asked, weak = (kinds[name] for name in ("right", "wrong", "QUESTION", "WEAK"))
    share = f"{100 * right / (right + wrong):.1f} %" if right + wrong else "-"
    other = len(times) - right - wrong - asked - weak
    return [*map(str, (count, len(times), right, wrong, asked, weak, other)), share, number(spread(times).middle)]
