"""Show a run on stderr: how the request was read, which lines were used, what the proof rests on, how it ended."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mayfly.cli._output import note
from mayfly.cli._words import WHOLE, end_words, is_wrong_usage, labelled, proof_words
from mayfly.core import harmless, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from mayfly.core import Artifact, Outcome, Verdict
    from mayfly.forge import Attempt, Ran, Task
    from mayfly.gates import Admission


class Progress:
    """Follow a run by what the runtime tells; everything shown that is not ours is made harmless first.

    What the gates measured is shown only where somebody wants it: to most people the numbers mean nothing.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._console: Console | None = None
        self._status: Status | None = None
        self._task: Task | None = None
        self._attempt = 1
        self._reading = ""
        self.question: tuple[object, tuple[object, ...]] | None = None

    def __call__(self, what: str, about: Any) -> None:
        if what == "question":
            self.question = about
        if not self._quiet:
            getattr(self, f"_{what}", self._nothing)(about)

    def _nothing(self, about: Any) -> None:
        """Draw nothing: most events are for the ledger, and no line of their own."""

    def _began(self, about: tuple[str, Task, str | None]) -> None:
        _, self._task, model = about
        self._reading = ""
        if self._task.profile.grants:
            self._say("granted", ", ".join(map(one_line, self._task.profile.grants)))
        self._busy(f"asking {one_line(model, limit=40)}" if model else "looking for a program")

    def _wrote(self, about: tuple[int, Artifact]) -> None:
        self._attempt, artifact = about
        self._read_as(str(artifact.provenance.get("reading", "")))
        if self._verbose:
            how = artifact.provenance.get("how")
            told = f": {one_line(str(how), limit=200)}" if how else ""
            budget = f", budget {self._task.profile.entropy:.2f}" if self._task else ""
            who = "by example" if artifact.author == "examples" else f"by {harmless(artifact.author)}"
            self._say("written", f"{who}, attempt {self._attempt}{budget}{told}")
        self._busy("at the gates")

    def _read_as(self, reading: str) -> None:
        """Say how the request was read, once."""
        if reading and reading != self._reading:
            self._reading = reading
            self._say("read as", one_line(reading, limit=WHOLE))

    def _verdict(self, verdict: Verdict) -> None:
        self._busy(f"{verdict.gate} {verdict.decision}")

    def _judged(self, admission: Admission) -> None:
        if self._verbose:
            parts = (_gate(admission, "syntax"), self._stability(admission), _gate(admission, "judge"))
            self._say("gates", " · ".join(part for part in (*parts, _gate(admission, "types", timed=True)) if part))
            if admission.repairs:
                shown = one_line("; ".join(admission.repairs[:3]), limit=100)
                self._say("repaired", f"{len(admission.repairs)} mechanically: {shown}")
        if self._verbose or admission.decision != "accept":
            for verdict in [verdict for verdict in admission.verdicts if verdict.decision != "accept"][:5]:
                where = f", line {verdict.line}" if verdict.line else ""
                told = f"{verdict.decision} by {verdict.gate}{where}: {one_line(verdict.message, limit=200)}"
                self._say(f"attempt {self._attempt}", told)
        self._busy("going on")

    def _stability(self, admission: Admission) -> str:
        metrics = admission.metrics
        if metrics is None or self._task is None:
            return ""
        profile = self._task.profile
        return (
            f"stability {metrics.cyclomatic}/{profile.max_complexity}, arms {metrics.branching}/{profile.max_arms},"
            f" risk {metrics.import_risk:g}/{profile.max_risk:g}"
        )

    def _reflected(self, attempt: Attempt) -> None:
        if attempt.reflection is not None:
            if self._verbose:
                self._say("thought", one_line(attempt.reflection.root_cause, limit=160))
            self._busy("writing again")

    def _promoted(self, place: str) -> None:
        self._say("known", f"promoted/{place}, proven again with its own tests")

    def _cached(self, about: tuple[Artifact, bool]) -> None:
        artifact, hit = about
        if hit:
            self._read_as(str(artifact.provenance.get("reading", "")))
            if self._verbose:
                self._say("known", f"agent {artifact.hash[:12]}, cached")

    def _executed(self, ran: Ran) -> None:
        if self._verbose:
            result = ran.result
            what = f"{ran.items:,} results" if ran.items is not None else "one result"
            self._say("ran", f"{what} in {result.milliseconds:.0f} ms, {result.lane}, {result.level}")

    def _ended(self, outcome: Outcome[Any]) -> None:
        self.show_end(outcome, follow="why")

    def show_end(self, outcome: Outcome[Any], *, follow: str) -> None:
        """Say how it was read, which lines were used, what the proof rests on, and how it ended."""
        self.still()
        if is_wrong_usage(outcome):
            return
        self._read_as(outcome.reading)
        if outcome.account is not None:
            from mayfly.operations import account_words

            self._say("lines" if _is_lines(self._task) else "records", account_words(outcome.account))
        if outcome.proof is not None and (outcome.proof.evidence or outcome.proof.tests):
            self._say("proof", proof_words(outcome.proof, cached=outcome.cached))
        note(end_words(outcome, follow=follow))

    def _unrecorded(self, reason: str) -> None:
        note(f"mayfly: not recorded in the ledger: {one_line(reason)}")

    def _say(self, label: str, text: str) -> None:
        note(labelled(label, text))

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

    def still(self) -> None:
        """Take the spinner away."""
        if self._status is not None:
            self._status.stop()
            self._status = None
            self._console = None


def _is_lines(task: Task | None) -> bool:
    """Say whether a run is about lines of text; of two inputs, the first."""
    if task is None or task.names is None or not isinstance(task.order.input, list):
        return task is None or task.is_lines
    first = task.order.input[0]
    return isinstance(first, list) and all(isinstance(item, str) for item in first[:1])


def _gate(admission: Admission, gate: str, *, timed: bool = False) -> str:
    """Say in one word what a gate decided, and how long it took where that is worth knowing."""
    decisions = {verdict.decision for verdict in admission.verdicts if verdict.gate == gate}
    if not decisions:
        return ""
    word = "refused" if "reject" in decisions else "revise" if "revise" in decisions else "ok"
    return f"{gate} {word}" + (f" {admission.milliseconds.get(gate, 0.0):.0f} ms" if timed else "")
