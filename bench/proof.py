"""The proof gate: who speaks for programs whose truth is known, for right and for wrong ones, and how long it takes."""

from __future__ import annotations

import argparse
import ast
import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from bench import _proof_data as data  # noqa: E402
from bench._table import Table, number, spread  # noqa: E402
from mayfly.core import content_hash  # noqa: E402
from mayfly.gates import ProofOptions, Prover, Rival, Suite, Test, find_entry  # noqa: E402
from mayfly.sandbox import EPHEMERAL_IMPORTS, Sandbox  # noqa: E402

_WIDE = """
    bisect collections copy decimal enum fractions functools hashlib heapq itertools operator os random statistics
    string sys time
"""
IMPORTS = EPHEMERAL_IMPORTS | frozenset(_WIDE.split())
# In the order in which a reader meets them; each adds to those above it.
# Who may speak for a program, in the order in which a reader meets them.
KINDS = ("held-out", "rival", "tests")


class Judged(NamedTuple):
    """What the gate thought of one program that passes the examples its author was shown."""

    right: bool
    strength: str
    kinds: frozenset[str]
    open: frozenset[str]
    milliseconds: float

    @property
    def accepted(self) -> bool:
        """Whether a run would give its answer."""
        return self.strength in ("strong", "tested")


def measure(*, quick: bool, path: str | None = None, limit: int | None = None, tests: str | None = None) -> list[Table]:
    """Return the tables: speed, and where there is data who speaks for right and for wrong programs."""
    found = data.located(path)
    written = tests or os.environ.get(data.TESTS)
    with Sandbox() as sandbox:
        sandbox.warm()
        tables = [_speed(sandbox, rounds=5 if quick else 20)]
        if found is None:
            return [*tables, _absent()]
        rows = data.rows(found, 100 if quick and limit is None else limit)
        tables.append(_outcomes("examples of the prompt, one held out", _judge(sandbox, rows, rivals=False)))
        tables.append(_outcomes("and a second program by somebody else", _judge(sandbox, rows, rivals=True)))
        if written:
            told = data.tested_rows(found, Path(written))
            tasks = len({row.task for row in told})
            judged = _judge(sandbox, told, rivals=False)
            tables.append(_outcomes(f"tests from the prompt, {tasks} tasks", judged))
            both = _judge(sandbox, told, rivals=True)
            tables.append(_outcomes(f"tests from the prompt and a second program, {tasks} tasks", both))
            tables.append(_witnesses(both))
    return tables


def _judge(sandbox: Sandbox, rows: Sequence[data.Row], *, rivals: bool) -> list[Judged]:
    """Prove every program that passes its examples; one other for the same task is its rival."""
    others: dict[str, list[data.Row]] = defaultdict(list)
    for row in rows:
        others[row.task].append(row)
    prover = Prover(sandbox)
    found = [_judged(prover, row, _rival(row, others[row.task]) if rivals else ()) for row in rows]
    return [one for one in found if one is not None]


def _rival(row: data.Row, others: Sequence[data.Row]) -> tuple[Rival, ...]:
    """Choose the program of somebody else by its hash, so that nobody can choose the one that suits."""
    apart = [other for other in others if other.origin != row.origin and other.source != row.source]
    chosen = sorted(apart, key=lambda other: content_hash(row.source + other.source))[:1]
    return tuple(Rival(other.source, other.origin) for other in chosen)


def _judged(prover: Prover, row: data.Row, rivals: tuple[Rival, ...]) -> Judged | None:
    if row.entry is None:
        return None
    report = prover.prove(row.source, row.entry, row.suite, imports=IMPORTS, rivals=rivals)
    if any(not result.passed and result.kind == "example" for result in report.results):
        return None
    proof = report.proof
    kinds = frozenset(one.kind for one in proof.evidence)
    return Judged(row.right, proof.strength, kinds, frozenset(one.kind for one in proof.open), report.milliseconds)


def _outcomes(name: str, judged: Sequence[Judged]) -> Table:
    rows = []
    for title, right in (("right", True), ("wrong", False)):
        group = [one for one in judged if one.right is right]
        counts = [sum(one.strength == strength for one in group) for strength in ("none", "weak", "tested", "strong")]
        accepted = sum(one.accepted for one in group)
        rows.append([title, str(len(group)), *_shares(len(group), *counts, accepted)])
    return Table(
        title=f"Programs whose truth is known: {name}",
        caption="Functions written by models that pass the examples their authors were shown. A right program is "
        f"accepted {_ratio(judged, 'accepted')} times as often as a wrong one, and called strong "
        f"{_ratio(judged, 'strong')} times as often. {_middle(judged)}",
        head=["programs", "count", "refused", "weak", "tested", "strong", "accepted"],
        rows=rows,
    )


def _shares(total: int, *counts: int) -> list[str]:
    return [f"{count} ({100 * count / max(1, total):.1f} %)" for count in counts]


def _ratio(judged: Sequence[Judged], what: str) -> str:
    """Return how many times as often it happens to a right program as to a wrong one."""
    rates = []
    for right in (True, False):
        group = [one for one in judged if one.right is right]
        held = sum(one.accepted if what == "accepted" else one.strength == "strong" for one in group)
        rates.append(held / max(1, len(group)))
    return f"{rates[0] / rates[1]:.1f}" if rates[1] else "infinitely many"


def _middle(judged: Sequence[Judged]) -> str:
    times = [one.milliseconds for one in judged] or [0.0]
    return f"A proof takes {number(spread(times)[1])} ms (p50)."


def _witnesses(judged: Sequence[Judged]) -> Table:
    """Show for each kind of witness how many programs it speaks for, and for each open point how many have it."""
    rows = []
    for kind in KINDS:
        spoken = [one for one in judged if kind in one.kinds]
        rows.append([f"witness: {kind}", *_among(judged, spoken)])
    for kind in ("words", "mistake", "failure", "result", "rival"):
        rows.append([f"open: {kind}", *_among(judged, [one for one in judged if kind in one.open])])
    return Table(
        title="Who speaks for right and for wrong programs",
        caption="Share of the right and of the wrong programs that pass their examples.",
        head=["evidence", "right", "wrong"],
        rows=rows,
    )


def _among(judged: Sequence[Judged], found: Sequence[Judged]) -> list[str]:
    shares = []
    for right in (True, False):
        total, held = (sum(one.right is right for one in group) for group in (judged, found))
        shares += _shares(total, held)
    return shares


def _speed(sandbox: Sandbox, *, rounds: int) -> Table:
    """Time proofs of one parser, with and without wrong programs."""
    source = (HERE / "_proof_parser.py").read_text(encoding="utf-8")
    entry = find_entry(ast.parse(source))
    suite = Suite(tests=tuple(_parser_tests()))
    bare = ProofOptions(mutants=0, inputs=0)
    kinds = {"tests only": bare, "tests and 24 mutants": ProofOptions(inputs=0), "everything": ProofOptions()}
    rows = []
    for name, options in kinds.items():
        prover = Prover(sandbox, options)
        times = []
        for _ in range(rounds + 1):
            time.sleep(0.02)
            times.append(prover.prove(source, entry, suite, imports=EPHEMERAL_IMPORTS).milliseconds)
        rows.append([name, *[number(value) for value in spread(times[1:])]])
    return Table(
        title="One proof",
        caption="Milliseconds for a parser of forty lines with six tests, in a warm sandbox.",
        head=["what", "min", "p50", "p99"],
        rows=rows,
    )


def _parser_tests() -> list[Test]:
    line = '{} - - [01/Jan/2025:12:00:00 +0000] "GET {} HTTP/1.1" {} {}'
    hit = {"host": "10.0.0.1", "method": "GET", "path": "/a", "status": 404, "size": 12}
    one = line.format("10.0.0.1", "/A", 404, 12)
    return [
        Test(name="empty", kind="example", input=[], expected=[]),
        Test(name="one", kind="example", input=[one], expected=[hit]),
        Test(name="fine", kind="example", input=[line.format("h", "/", 200, 1), "x"], expected=[]),
        Test(
            name="none", kind="example", input=[line.format("10.0.0.1", "/a", 404, "-")], expected=[{**hit, "size": 0}]
        ),
        Test(
            name="order",
            kind="held-out",
            input=[line.format("10.0.0.1", "/b", 400, 5), one, line.format("h", "/", 500, 1)],
            expected=[hit, {**hit, "path": "/b", "status": 400, "size": 5}],
        ),
        Test(
            name="edge",
            kind="example",
            input=[line.format("10.0.0.1", "/a", 499, 1), line.format("10.0.0.1", "/a", 399, 1)],
            expected=[{**hit, "status": 499, "size": 1}],
        ),
    ]


def _absent() -> Table:
    caption = f"Not measured: give --data FILE or set {data.VARIABLE} to the labelled programs."
    return Table(title="Programs whose truth is known", caption=caption, head=["programs"], rows=[["absent"]])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help=f"the labelled programs, or their directory; {data.VARIABLE} does the same")
    parser.add_argument("--tests", help=f"tests written from the prompts alone; {data.TESTS} does the same")
    parser.add_argument("--limit", type=int, help="at most so many programs, spread over the tasks")
    parser.add_argument("--quick", action="store_true", help="a short run, for a first look")
    chosen = parser.parse_args()
    for table in measure(quick=chosen.quick, path=chosen.data, limit=chosen.limit, tests=chosen.tests):
        print(table.markdown(), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
