"""How long a policy decision takes: our engine, with and without derivations, beside clingo, mangle-py and DuckDB."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from bench._policy_cases import Case, cases
from bench._policy_peers import Engine, engines, readiers
from bench._table import Spread, Table, number, spread

OURS = "mayfly, with derivations"
BARE = "mayfly, without"
PEERS = ("clingo", "mangle-py")
COUNTED = "DuckDB, counted"
SLOW = 5000.0
# By how many times ours has to be faster than clingo, everything loaded and from the texts.
BARS = (("routing", 15.0), ("1,001 rules", 2.0), ("closure of a chain", 1.0), ("closure of a random", 1.0))
TEXT_BAR = 1.0
# How many times the time of DuckDB a closure may take.
CLOSURE_BAR = 2.0


def measure(*, quick: bool) -> list[Table]:
    """Return the times with texts parsed, the times without, and the bars."""
    parsed: dict[str, dict[str, Spread]] = {}
    prepared: dict[str, dict[str, Spread]] = {}
    ready: dict[str, dict[str, Spread]] = {}
    for case in cases(quick=quick):
        loaded = engines(case)
        _agree(case, loaded)
        texts = {name: one.from_text for name, one in loaded.items() if not name.startswith("DuckDB")}
        parsed[case.name] = _interleaved(texts, case.rounds)
        loaded.pop("mangle-py", None)
        prepared[case.name] = _interleaved(
            {name: one.prepared for name, one in loaded.items()}, case.rounds, case.calls
        )
        if not case.query:
            ready[case.name] = _interleaved(readiers(case), case.rounds)
    return [
        _table("A question, everything loaded", _PREPARED, prepared),
        _table("A question, from the texts", _PARSED, parsed),
        _ready_table(ready),
        _closure_table(prepared),
        _bars(prepared, parsed, ready),
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


_READY = (
    "Milliseconds, minimum / p50, interleaved. Ours: the text of the rules read, checked and compiled, so that facts "
    "can be given; kept: the same from bytes that an earlier process wrote. clingo parses rules and facts, and checks "
    "and grounds when it solves. The ratios are ours to clingo's, by the medians."
)
_CLOSURE = (
    "Milliseconds, minimum / p50, in the same turns as above. DuckDB is asked by a recursive query over tables that "
    "are loaded, and hands its rows over as ours does, or only counts them. The ratios are ours, with derivations and "
    "without, to DuckDB's, by the medians."
)


def _ready_table(found: dict[str, dict[str, Spread]]) -> Table:
    ways = ("mayfly", "mayfly, kept", "clingo, parsed only", "clingo, solved")
    rows = [
        [case, *(_cell(spreads.get(way)) for way in ways), *(_times(spreads, "mayfly", way) for way in ways[2:])]
        for case, spreads in found.items()
    ]
    head = ("program", *ways, "× clingo parsed", "× clingo solved")
    return Table(title="A program made ready", caption=_READY, head=head, rows=rows)


def _closure_table(found: dict[str, dict[str, Spread]]) -> Table:
    rows = [
        [
            case,
            *(_cell(spreads[way]) for way in (OURS, BARE, "DuckDB", COUNTED)),
            " / ".join(_times(spreads, way, "DuckDB") for way in (OURS, BARE)),
            " / ".join(_times(spreads, way, COUNTED) for way in (OURS, BARE)),
        ]
        for case, spreads in found.items()
        if COUNTED in spreads
    ]
    head = ("program", OURS, BARE, "DuckDB", COUNTED, "× DuckDB", "× counted")
    return Table(title="A closure beside DuckDB", caption=_CLOSURE, head=head, rows=rows)


def _times(spreads: dict[str, Spread], ours: str, theirs: str) -> str:
    return number(spreads[ours].middle / spreads[theirs].middle) if theirs in spreads else "-"


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


def _bars(
    found: dict[str, dict[str, Spread]], parsed: dict[str, dict[str, Spread]], ready: dict[str, dict[str, Spread]]
) -> Table:
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
        if "DuckDB" in spreads:
            for way in (OURS, BARE):
                for peer in ("DuckDB", COUNTED):
                    times = spreads[way].middle / spreads[peer].middle
                    what = f"{case}: {way}, × {peer}"
                    rows.append([what, f"≤ {CLOSURE_BAR:g}", number(times), _met(times <= CLOSURE_BAR)])
    for case, spreads in ready.items():
        for what, ours, clingo in (
            ("a program made ready", spreads["mayfly"], spreads.get("clingo, solved")),
            ("a question from the texts", parsed[case][OURS], parsed[case].get("clingo")),
        ):
            if clingo is not None:
                times = clingo.middle / ours.middle
                row = [f"{case}: {what}, × faster than clingo solves it", f"≥ {TEXT_BAR:g}", number(times)]
                rows.append([*row, _met(times >= TEXT_BAR)])
    return Table(title="Bars", caption="By the medians above.", head=("what", "bar", "measured", "met"), rows=rows)


def _met(met: bool) -> str:
    return "yes" if met else "no"
