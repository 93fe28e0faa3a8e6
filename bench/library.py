"""The library: a call of a known tool, and what ten thousand tools cost a process that starts beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench._table import Spread, Table, number, spread
from mayfly.core import Settings
from mayfly.library import Card, ToolCallBegan, ToolCallEnded, ToolWritten
from mayfly.runtime import Runtime
from mayfly.store import Event, Seal

_SOURCE = '''
def roman(numeral: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    previous = 0
    for letter in reversed(numeral):
        value = values[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total
'''
_EXAMPLES = [{"input": "IV", "output": 4}, {"input": "XLII", "output": 42}, {"input": "MMXXVI", "output": 2026}]
_CALL = "runtime.tools.call of a known tool"
_RECORD = "what of it is the record: two appends to the ledger"
_WALL = "what of it is the wall: the pinned call"
_BARE = "the same source compiled and called in the process, no wall, no record"
_BAR = 5.0
# Words of which names and descriptions are made, so that a request finds some of the tools and not all of them.
_VERBS = ["convert", "parse", "count", "sort", "split", "join", "format", "check", "clean", "merge"]
_THINGS = ("roman date price address colour name phone table header token path length weight angle score").split()  # noqa: SIM905 - readable
_KINDS = ["short", "long", "local", "plain", "strict", "loose", "early", "late"]


def measure(*, quick: bool) -> list[Table]:
    """Return a table of calls and one of a large library."""
    with tempfile.TemporaryDirectory() as place:
        calls = _calls(Path(place) / "calls", rounds=50 if quick else 500)
        large = _large(Path(place), tools=1000 if quick else 10_000)
    return [_call_table(calls), large]


def _calls(state: Path, *, rounds: int) -> dict[str, Spread]:
    with Runtime(Settings(state_dir=str(state))) as runtime:
        made = runtime.tools.write("convert a roman numeral", name="roman", source=_SOURCE, examples=_EXAMPLES)
        assert made.accepted, made.reason
        ledger, box = runtime.ledger, runtime.parts.sandbox

        def record() -> None:
            began = ToolCallBegan(version=1, key="k", arguments={"numeral": "MCMXC"})
            ledger.append(began, subject="tool:roman")
            ended = ToolCallEnded(version=1, key="k", status="ok", milliseconds=1.0, value=1990)
            ledger.append(ended, subject="tool:roman")

        def bare() -> None:
            names: dict[str, Callable[[str], int]] = {}
            exec(compile(_SOURCE, "roman", "exec"), names)
            assert names["roman"]("MCMXC") == 1990

        contenders: dict[str, Callable[[], object]] = {
            _CALL: lambda: runtime.tools.call("roman", {"numeral": "MCMXC"}).value,
            _RECORD: record,
            _WALL: lambda: box.run(_SOURCE, "roman", "MCMXC", lane="pinned", tenant="bench").value,
            _BARE: bare,
        }
        samples: dict[str, list[float]] = {name: [] for name in contenders}
        for round_ in range(rounds + 5):
            for name, call in contenders.items():
                started = time.perf_counter()
                call()
                if round_ >= 5:
                    samples[name].append((time.perf_counter() - started) * 1000)
    return {name: spread(sample) for name, sample in samples.items()}


def _call_table(calls: dict[str, Spread]) -> Table:
    bar = "met" if calls[_CALL].middle <= _BAR else "missed"
    return Table(
        title="A call of a known tool",
        caption=f"Milliseconds, interleaved. The bar is {_BAR:g} ms for the first row: {bar}.",
        head=("what", "min", "p50", "p99"),
        rows=[(name, *(number(value) for value in spread)) for name, spread in calls.items()],
    )


_LOOK = """
import json, sys, time
from bench._peak import peak_kib
started = time.perf_counter()
from mayfly.core import Settings
from mayfly.runtime import Runtime

def ms(work):
    began = time.perf_counter()
    made = work()
    return (time.perf_counter() - began) * 1000, made

with Runtime(Settings(state_dir=sys.argv[1])) as runtime:
    opened, tools = ms(lambda: runtime.tools)
    start = (time.perf_counter() - started) * 1000
    before = peak_kib()
    first, found = ms(lambda: tools.find("convert a roman numeral", 10))
    finds = sorted(ms(lambda: tools.find("a strict check of the phone header", 10))[0] for _ in range(20))
    one = ms(lambda: tools.capability(found[0].name if found else "nothing"))[0]
    after = peak_kib()
    listed = ms(lambda: len(tools.list()))[0]
    memory = [before / 1024, (after - before) / 1024]
    print(json.dumps([start, opened, first, finds[len(finds) // 2], one, listed, *memory]))
"""
_LOOKS = (
    "a process is ready to use the library, imports and all, ms",
    "of that the library itself, ms",
    "the first look-up by intent, ms",
    "a look-up by intent, p50, ms",
    "a tool opened by name, ms",
    "the whole list, ms",
    "memory of the process before the first look-up, MiB",
    "memory that look-ups add, MiB",
)


def _large(place: Path, *, tools: int) -> Table:
    empty, full = place / "empty", place / "full"
    with Runtime(Settings(state_dir=str(empty))) as runtime:
        runtime.tools.list()
    _fill(full, tools)
    found = [[_look(state) for _ in range(3)] for state in (empty, full)]
    columns = [[sorted(values)[1] for values in zip(*rows, strict=True)] for rows in found]
    rows = [(name, *(number(column[at]) for column in columns)) for at, name in enumerate(_LOOKS)]
    return Table(
        title=f"{tools:,} tools",
        caption="A fresh process beside an empty library and beside a full one; the middle of three.",
        head=("what", "empty", f"{tools:,} tools"),
        rows=rows,
    )


def _look(state: Path) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", _LOOK, str(state)],
        cwd=Path(__file__).resolve().parent.parent,
        check=True,
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    return [float(value) for value in json.loads(done.stdout)]


def _fill(state: Path, tools: int) -> None:
    """Put tools into a store as `Versions.add` would, many in one transaction and without having proven them."""
    with Runtime(Settings(state_dir=str(state))) as runtime:
        made = runtime.tools.write("convert a roman numeral", name="roman", source=_SOURCE, examples=_EXAMPLES)
        assert made.accepted, made.reason
        assert made.card is not None
        card, source, ledger = made.card, made.source, runtime.ledger
        seal = Seal.open(runtime.settings.state)
        for start in range(0, tools, 500):
            ledger.append_many(_entry(seal, card, source, number) for number in range(start, min(start + 500, tools)))


def _entry(seal: Seal, card: Card, source: str, number: int) -> Event:
    verb, thing = _VERBS[number % 10], _THINGS[number // 10 % 15]
    kind = _KINDS[number // 150 % 8]
    name = f"{verb}_{kind}_{thing}_{number}"
    said = f"{verb} a {kind} {thing}"
    own = replace(card, name=name, version=1, summary=said, intent=said, does=((verb, thing),))
    # All share the blobs of one: nothing here opens a card.
    written = ToolWritten(
        version=1,
        before=0,
        source_blob=card.source_hash,
        tests_blob=card.tests_hash,
        card_blob=card.tests_hash,
        size=len(source),
        shape=card.shape,
        head=own.head,
        words=own.words,
        seal=seal.of(name),
        by="bench",
    )
    return Event.of(written, subject=f"tool:{name}")
