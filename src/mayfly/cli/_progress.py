"""Show what a run is doing, on stderr: a live line on a terminal, finished lines everywhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mayfly.cli._output import command
from mayfly.core import harmless, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from mayfly.core import Artifact, Outcome, Verdict
    from mayfly.forge import Attempt
    from mayfly.gates import Admission
    from mayfly.runtime import Ran, Task

WIDTH = 72
INDENT = "   "


class Progress:
    """Follow a run by what the runtime tells; everything shown that is not ours is made harmless first."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._console: Console | None = None
        self._status: Status | None = None
        self._profile: Any = None
        self.question: tuple[object, tuple[object, ...]] | None = None

    def __call__(self, what: str, about: Any) -> None:
        if what == "question":
            self.question = about
        if not self._quiet:
            getattr(self, f"_{what}", self._nothing)(about)

    def _nothing(self, about: Any) -> None:
        pass

    def _began(self, about: tuple[str, Task, str | None]) -> None:
        _, task, model = about
        self._profile = task.profile
        self._line(f"{one_line(task.intent.splitlines()[0], limit=WIDTH - 4).ljust(WIDTH)}  budget 1.00")
        self._busy(f"asking {one_line(model, limit=40)}" if model else "looking for a program")

    def _wrote(self, about: tuple[int, Artifact]) -> None:
        number, artifact = about
        how = artifact.provenance.get("how")
        title = one_line(str(how), limit=WIDTH - 3) if how else f"attempt {number}"
        who = "written by example" if artifact.author == "examples" else f"written by {artifact.author}"
        again = f", attempt {number}" if number > 1 and how else ""
        self._line(f"└─ {title.ljust(WIDTH - 3)}  budget {self._profile.entropy:.2f}  {harmless(who)}{again}")
        self._busy("at the gates")

    def _verdict(self, verdict: Verdict) -> None:
        self._busy(f"{verdict.gate} {verdict.decision}")

    def _judged(self, admission: Admission) -> None:
        parts = [
            part
            for part in (_syntax(admission), self._stability(admission), _judge(admission), _types(admission))
            if part
        ]
        self._line(INDENT + " · ".join(parts))
        if admission.repairs:
            shown = "; ".join(admission.repairs[:3])
            self._line(f"{INDENT}repaired mechanically, {len(admission.repairs)}: {one_line(shown, limit=100)}")
        for verdict in [verdict for verdict in admission.verdicts if verdict.decision != "accept"][:5]:
            where = f" line {verdict.line}" if verdict.line else ""
            self._line(f"{INDENT}{verdict.decision}: {verdict.gate}{where}: {one_line(verdict.message, limit=200)}")
        if admission.report is not None and admission.decision == "accept":
            self._line(INDENT + _proof(admission))
        self._busy("going on")

    def _stability(self, admission: Admission) -> str:
        metrics, profile = admission.metrics, self._profile
        if metrics is None:
            return ""
        return (
            f"stability {metrics.cyclomatic}/{profile.max_complexity}, arms {metrics.branching}/{profile.max_arms},"
            f" risk {metrics.import_risk:g}/{profile.max_risk:g}"
        )

    def _reflected(self, attempt: Attempt) -> None:
        if attempt.reflection is not None:
            self._line(f"{INDENT}reflection: {one_line(attempt.reflection.root_cause, limit=160)}")
            self._busy("writing again")

    def _cached(self, about: tuple[Artifact, bool]) -> None:
        artifact, hit = about
        if hit:
            self._line(f"└─ {'known agent ' + artifact.hash[:12]:<{WIDTH - 3}}  cached")

    def _executed(self, ran: Ran) -> None:
        result = ran.result
        what = f"{ran.items:,} results" if ran.items is not None else "one result"
        self._line(f"{INDENT}ran: {what} in {result.milliseconds:.0f} ms, {result.lane}, {result.level}")

    def _ended(self, outcome: Outcome[Any]) -> None:
        self._still()
        calls = f"{outcome.cost.model_calls} model call{'s' if outcome.cost.model_calls != 1 else ''}"
        why = f"why: {command()} why {outcome.id}"
        took = (
            f"{outcome.cost.seconds:.2f} s" if outcome.cost.seconds >= 0.1 else f"{outcome.cost.seconds * 1000:.1f} ms"
        )
        if outcome.resolved:
            again = "cached" if outcome.cached else "again: cached"
            self._line(f"resolved {outcome.id} in {took} · {calls} · {again} · {why}")
        else:
            self._line(f"{outcome.status} {outcome.id} in {took} · {calls} · {why}")

    def _unrecorded(self, reason: str) -> None:
        self._line(f"mayfly: not recorded in the ledger: {one_line(reason)}")

    def _line(self, text: str) -> None:
        sys.stderr.write(text.rstrip() + "\n")
        sys.stderr.flush()

    def _busy(self, doing: str) -> None:
        """Say on a terminal what is being waited for."""
        if not sys.stderr.isatty():
            return
        if self._console is None:
            from rich.console import Console

            self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
            self._status = self._console.status(harmless(doing), spinner="dots")
            self._status.start()
        elif self._status is not None:
            self._status.update(harmless(doing))

    def _still(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
            self._console = None


def _of(admission: Admission, gate: str) -> list[Verdict]:
    return [verdict for verdict in admission.verdicts if verdict.gate == gate]


def _word(verdicts: list[Verdict]) -> str:
    decisions = {verdict.decision for verdict in verdicts}
    return "refused" if "reject" in decisions else "revise" if "revise" in decisions else "ok"


def _syntax(admission: Admission) -> str:
    found = _of(admission, "syntax")
    return f"syntax {_word(found)}" if found else ""


def _judge(admission: Admission) -> str:
    found = _of(admission, "judge")
    return f"judge {_word(found)}" if found else ""


def _types(admission: Admission) -> str:
    found = _of(admission, "types")
    took = admission.milliseconds.get("types", 0.0)
    return f"types {_word(found)} {took:.0f} ms" if found else ""


def _proof(admission: Admission) -> str:
    report = admission.report
    assert report is not None
    proof = report.proof
    passed = sum(result.passed for result in report.results)
    held = f", {proof.held_out} held out" if proof.held_out else ""
    caught = f", {proof.mutants_killed}/{proof.mutants} mutants caught" if proof.mutants else ""
    return f"proof {proof.strength}: {passed}/{proof.tests} tests{held}{caught}"
