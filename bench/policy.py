"""How long a policy decision takes: our engine, with and without derivations, beside clingo and mangle-py."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from bench._policy_cases import Case, cases
from bench._policy_peers import Engine, engines
from bench._table import Spread, Table, number, spread

OURS = "mayfly, with derivations"
BARE = "mayfly, without"
PEERS = ("clingo", "mangle-py")
SLOW = 5000.0
BARS = (("routing", 15.0), ("1,001 rules", 2.0), ("closure of a chain", 1.0), ("closure of a random", 1.0))


def measure(*, quick: bool) -> list[Table]:
    """Return the times with texts parsed, the times without, and the bars."""
    parsed: dict[str, dict[str, Spread]] = {}
    prepared: dict[str, dict[str, Spread]] = {}
    for case in cases(quick=quick):
        loaded = engines(case)
        _agree(case, loaded)
        texts = {name: one.from_text for name, one in loaded.items()}
        parsed[case.name] = _interleaved(texts, case.rounds)
        ready = {name: one.prepared for name, one in loaded.items() if name != "mangle-py"}
        prepared[case.name] = _interleaved(ready, case.rounds, case.calls)
    return [
        _table("A question, everything loaded", _PREPARED, prepared),
        _table("A question, from the texts", _PARSED, parsed),
        _bars(prepared),
    ]


def _agree(case: Case, loaded: dict[str, Engine]) -> None:
    """Make sure that all engines give the same answer before their times are compared."""
    expected = loaded[OURS].answer()
    for name, engine in loaded.items():
        if engine.answer() != expected:
            raise SystemExit(f"{name} and mayfly disagree on {case.name}")


def _interleaved(ways: dict[str, Callable[[], object]], rounds: int, calls: int = 1) -> dict[str, Spread]:
    """Time every way in turn, round after round; a sample is the mean of some calls, and what
    takes seconds is timed once."""
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            if samples[name] and samples[name][0] > SLOW:
                continue
            gc.collect()
            spent = 0.0
            for _ in range(calls):
                started = time.perf_counter()
                result = way()
                spent += time.perf_counter() - started
                # Giving the memory back is not part of the answer.
                del result
            samples[name].append(spent * 1000 / calls)
    return {name: spread(sample) for name, sample in samples.items()}


_PREPARED = (
    "Milliseconds from facts to all that follows, minimum / p50, interleaved; the answers were compared first. Ours "
    "has its rules compiled and keeps what follows from the rules alone; clingo has its syntax tree and grounds it "
    "anew, as it must for new facts, without handing over the atoms; mangle-py has nothing to prepare. The last "
    "columns say how many times faster ours with derivations is than the peer, by the medians; a dash: not installed, "
    "or not finished in reasonable time."
)
_PARSED = (
    "The same from the texts of rules and facts: for ours reading, checking, compiling and evaluating; for the others "
    "whatever they do with a text."
)


def _table(title: str, caption: str, found: dict[str, dict[str, Spread]]) -> Table:
    rows = []
    for case, spreads in found.items():
        ours = spreads[OURS]
        cells = [_cell(spreads.get(name)) for name in (OURS, BARE, *PEERS)]
        rows.append([case, *cells, *(_ratio(spreads.get(name), ours) for name in PEERS)])
    head = ("program", OURS, BARE, *PEERS, *(f"× faster than {name}" for name in PEERS))
    return Table(title=title, caption=caption, head=head, rows=rows)


def _cell(found: Spread | None) -> str:
    return "-" if found is None else f"{_short(found.least)} / {_short(found.middle)}"


def _short(value: float) -> str:
    return f"{value:.3f}" if value < 1 else number(value)


def _ratio(peer: Spread | None, ours: Spread) -> str:
    return "-" if peer is None else number(peer.middle / ours.middle)


def _bars(found: dict[str, dict[str, Spread]]) -> Table:
    rows = []
    for case, spreads in found.items():
        ours, clingo = spreads[OURS], spreads.get("clingo")
        for begins, bar in BARS:
            if case.startswith(begins) and clingo is not None:
                times = clingo.middle / ours.middle
                rows.append([f"{case}, × faster than clingo", f"≥ {bar:g}", f"{times:.1f}", _met(times >= bar)])
        if case.startswith("routing"):
            rows.append(
                ["one decision with its derivation", "≤ 0.5 ms", f"{_short(ours.middle)} ms", _met(ours.middle <= 0.5)]
            )
    return Table(title="Bars", caption="By the medians above.", head=("what", "bar", "measured", "met"), rows=rows)


def _met(met: bool) -> str:
    return "yes" if met else "no"
