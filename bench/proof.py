"""The proof gate: what it thinks of programs whose truth is known, what each technique adds, and how long it takes."""

from __future__ import annotations

import argparse
import ast
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from bench import _proof_data as data  # noqa: E402
from bench._table import Table, number, spread  # noqa: E402
from mayfly.gates import ProofOptions, ProofReport, Prover, Suite, Test, find_entry  # noqa: E402
from mayfly.sandbox import EPHEMERAL_IMPORTS, Sandbox  # noqa: E402

_WIDE = """
    bisect collections copy decimal enum fractions functools hashlib heapq itertools operator os random statistics
    string sys time
"""
IMPORTS = EPHEMERAL_IMPORTS | frozenset(_WIDE.split())
# In the order in which a reader meets them; each adds to those above it.
UNDEFINED = "TEST_FAILED, a name is not defined"
_FAILED = ("TEST_FAILED", "SYNTAX", UNDEFINED)
TECHNIQUES = (
    ("empty results", {"empty", "few"}),
    ("mutants: 60 % caught", {"killed"}),
    ("every line reached", {"unreached"}),
    ("no telling mutant survives", {"telling"}),
    ("no failure near the examples", {"crash", "surprise"}),
    ("not mere luck", {"luck"}),
    ("no rival disagrees", {"rivals"}),
)


class Judged(NamedTuple):
    """What the gate thought of one program."""

    right: bool
    annotated: bool
    code: str
    doubts: frozenset[str]
    held_out_only: bool
    milliseconds: float

    @property
    def rejected(self) -> bool:
        """Whether the gate refused it."""
        return self.code not in ("STRONG", "WEAK")


def measure(*, quick: bool, path: str | None = None, limit: int | None = None) -> list[Table]:
    """Return the tables: speed, and where there is data what the gate accepts, refuses and why."""
    found = data.located(path)
    with Sandbox() as sandbox:
        sandbox.warm()
        tables = [_speed(sandbox, rounds=5 if quick else 20)]
        if found is None:
            return [*tables, _absent()]
        judged = _judge(sandbox, data.rows(found, 100 if quick and limit is None else limit))
    return [*tables, _outcomes(judged), _techniques(judged), _refusals(judged), _times(judged)]


def _judge(sandbox: Sandbox, rows: Sequence[data.Row]) -> list[Judged]:
    """Prove every program; the others for the same task are its rivals."""
    rivals: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        rivals[row.task].append(row.source)
    prover = Prover(sandbox)
    return [_judged(prover, row, rivals[row.task]) for row in rows]


def _judged(prover: Prover, row: data.Row, rivals: Sequence[str]) -> Judged:
    if row.entry is None:
        return Judged(row.right, False, "SYNTAX", frozenset(), False, 0.0)
    report = prover.prove(row.source, row.entry, row.suite, imports=IMPORTS, rivals=rivals)
    failed = {result.kind for result in report.results if not result.passed}
    return Judged(
        row.right,
        row.annotated,
        _code(report),
        frozenset(report.doubts),
        failed == {"held-out"},
        report.milliseconds,
    )


def _code(report: ProofReport) -> str:
    """Return the first verdict's code; a program that uses a name it never imports is told apart."""
    code = report.verdicts[0].code
    return UNDEFINED if code == "TEST_FAILED" and "NameError" in report.verdicts[0].message else code


def _outcomes(judged: Sequence[Judged]) -> Table:
    groups: list[tuple[str, Callable[[Judged], bool]]] = [
        ("right", lambda one: one.right),
        ("right, return annotated", lambda one: one.right and one.annotated),
        ("wrong", lambda one: not one.right),
        (
            "wrong, passes every example",
            lambda one: not one.right and one.code not in _FAILED,
        ),
    ]
    rows = []
    for name, belongs in groups:
        group = [one for one in judged if belongs(one)]
        strong = sum(one.code == "STRONG" for one in group)
        weak = sum(one.code == "WEAK" for one in group)
        rows.append([name, str(len(group)), *_shares(group, len(group) - strong - weak, weak, strong)])
    return Table(
        title="Programs whose truth is known",
        caption="Functions written by models for HumanEval prompts with at least two examples; the gate sees the "
        "prompt's examples only. A right program that contradicts an example of its own prompt is refused.",
        head=["programs", "count", "refused", "weak", "strong"],
        rows=rows,
    )


def _shares(group: Sequence[Judged], *counts: int) -> list[str]:
    return [f"{count} ({100 * count / max(1, len(group)):.1f} %)" for count in counts]


def _techniques(judged: Sequence[Judged]) -> Table:
    """Show how many programs would be strong if only the first so many techniques were used."""
    passing = [one for one in judged if not one.rejected]
    rows = [_strong("examples alone", passing, set())]
    used: set[str] = set()
    for name, codes in TECHNIQUES:
        used |= codes
        rows.append(_strong(f"+ {name}", passing, used))
    alone = {code for _, codes in TECHNIQUES for code in codes} - {"rivals"}
    rows += [_strong(f"all but {name}", passing, alone - codes) for name, codes in TECHNIQUES[:-1]]
    held = sum(one.held_out_only and not one.right for one in judged)
    return Table(
        title="What each technique buys",
        caption="Programs that would be called strong. A technique is worth the wrong ones it takes away for the right "
        f"ones it costs. The last lines leave one out, without rivals. {held} wrong programs fail only on the example "
        "that was held out.",
        head=["techniques", "right strong", "wrong strong", "wrong among strong"],
        rows=rows,
    )


def _strong(name: str, passing: Sequence[Judged], used: set[str]) -> list[str]:
    strong = [one for one in passing if not one.doubts & used]
    right, wrong = sum(one.right for one in strong), sum(not one.right for one in strong)
    return [name, str(right), str(wrong), f"{100 * wrong / max(1, len(strong)):.1f} %"]


def _refusals(judged: Sequence[Judged]) -> Table:
    right = Counter(one.code for one in judged if one.right and one.rejected)
    wrong = Counter(one.code for one in judged if not one.right and one.rejected)
    rows = [[code, str(right[code]), str(wrong[code])] for code in sorted(right | wrong)]
    return Table(title="Why programs were refused", caption=_WHY, head=["code", "right", "wrong"], rows=rows)


_WHY = "A right program that fails contradicts an example of its prompt, or uses a module it does not import."


def _times(judged: Sequence[Judged]) -> Table:
    times = [one.milliseconds for one in judged if not one.rejected] or [0.0]
    row = [number(value) for value in spread(times)]
    head = ["proofs", "min", "p50", "p99"]
    return Table(
        title="Time of these proofs", caption="Milliseconds, rivals included.", head=head, rows=[["all", *row]]
    )


def _speed(sandbox: Sandbox, *, rounds: int) -> Table:
    """Time proofs of one parser, with and without wrong programs."""
    source = (HERE / "_proof_parser.py").read_text(encoding="utf-8")
    entry = find_entry(ast.parse(source))
    suite = Suite(tests=tuple(_parser_tests()))
    bare = ProofOptions(mutants=0, properties=False, adversary=False, rivals=False)
    kinds = {"tests only": bare, "tests and 24 mutants": ProofOptions(adversary=False), "everything": ProofOptions()}
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
    parser.add_argument("--limit", type=int, help="at most so many programs, spread over the tasks")
    parser.add_argument("--quick", action="store_true", help="a short run, for a first look")
    chosen = parser.parse_args()
    for table in measure(quick=chosen.quick, path=chosen.data, limit=chosen.limit):
        print(table.markdown(), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
