"""A run on stderr: how it was read, what its proof rests on, how it ended, and what a person can choose."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.cli._output import command, note, to_json
from mayfly.core import harmless, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from mayfly.core import Artifact, Outcome, Proof, Verdict, Witness
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
        for text in self._task.given.notes:
            self._say("input", one_line(text, limit=WHOLE))
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

    def _grew(self, _: None) -> None:
        self._say("input", "grew while it was read: of the lines that came last some may be counted and not used")

    def _promoted(self, place: str) -> None:
        self._say("known", f"promoted/{place}, proven again with its own tests")

    def _cached(self, about: tuple[Artifact, bool]) -> None:
        artifact, hit = about
        if hit:
            self._read_as(str(artifact.provenance.get("reading", "")))
            if self._verbose:
                self._say("known", f"agent {artifact.hash[:12]}, cached")

    def _read(self, part: float) -> None:
        """Say which part of a large input has been read."""
        self._busy(f"read {part:.0%}")

    def _alone(self, reason: str) -> None:
        """Say why a question about many files is not spread over the nodes of a cluster."""
        self._say("input", f"all files are asked about on this machine: {one_line(reason, limit=200)}")

    def _spread(self, about: tuple[int, int]) -> None:
        """Say over how many tasks many files are spread."""
        files, parts = about
        self._say("input", f"{files:,} files, asked by {parts:,} task{'' if parts == 1 else 's'} on the nodes")

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


EXIT = {"HELP": 3, "QUESTION": 3, "UNKNOWN": 3, "MACHINE": 4, "INPUT": 2, "CONFLICT": 2}
# The words of a line begin in this column, below each other.
COLUMN = 10
# Longer than any reading: what is said of one is never cut.
WHOLE = 1_000_000


def labelled(label: str, text: str) -> str:
    """Return one line of the picture of a run."""
    return f"{label:<{COLUMN - 1}} {text}".rstrip()


def exit_status(outcome: Outcome[Any]) -> int:
    """Return the exit status of the command that had this outcome."""
    return 0 if outcome.resolved else EXIT.get(outcome.code, 1)


def is_wrong_usage(outcome: Outcome[Any]) -> bool:
    """Say whether nothing was done since what was given is wrong; then one line says so and nothing else."""
    return exit_status(outcome) == 2


def end_words(outcome: Outcome[Any], *, follow: str = "why") -> str:
    """Say how a run ended, what it took, and the command that tells more."""
    calls = outcome.cost.model_calls
    id = one_line(outcome.id)
    said = [
        f"{id} in {duration_words(outcome.cost.seconds)}",
        *(["cached"] if outcome.cached else []),
        f"{calls} model call{'' if calls == 1 else 's'}",
    ]
    return labelled(outcome.ending, f"{', '.join(said)}; {follow}: {command()} {follow} {id}")


def duration_words(seconds: float) -> str:
    """Say a duration with as many digits as anybody reads."""
    if seconds >= 60:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"


def proof_words(proof: Proof, *, cached: bool = False) -> str:
    """Say how strong a proof is and what it rests on; that of a cached agent speaks of when it was written."""
    evidence = [*map(_spoken, proof.evidence)] or [*_counted(proof)]
    if proof.open:
        evidence.append(f"open: {'; '.join(map(str, proof.open))}")
    when = " when it was written" if cached else ""
    return f"{proof.strength}{when}: {one_line('; '.join(evidence), limit=WHOLE)}" if evidence else proof.strength


def _spoken(witness: Witness) -> str:
    """Say who speaks for a program; of a reading also by how many tests it was held against the program."""
    tests = f"; {witness.count} test{'' if witness.count == 1 else 's'}" if witness.kind == "reading" else ""
    return f"{witness}{tests}"


def _counted(proof: Proof) -> tuple[str, ...]:
    """Return what speaks for a program where nobody put it into words: its tests, by number."""
    if not proof.tests:
        return ()
    said = [f"{proof.tests} test{'' if proof.tests == 1 else 's'}"]
    if proof.held_out:
        said.append(f"{proof.held_out} of them on examples it was not shown")
    if proof.mutants:
        said.append(f"{proof.mutants_killed} of {proof.mutants} programs with a mistake put in were caught")
    return (", ".join(said),)


# What a reading gives is shown so far: enough to tell one from another.
SHORT = 100


class Choice(NamedTuple):
    """One way to go on: what it is called, what it would give, and the option of `run` that stands for it."""

    words: str
    gives: object
    option: str
    value: str

    @property
    def keyword(self) -> str:
        """What `Runtime.run` calls the option."""
        return self.option.removeprefix("--").replace("-", "_")


def choices_of(outcome: Outcome[Any]) -> list[Choice]:
    """Return what there is to choose from; nothing where the run asked something else or nothing."""
    if outcome.readings:
        return [Choice(offer.reading, offer.gives, "--reading", offer.reading) for offer in outcome.readings[:3]]
    if outcome.account is not None and outcome.code == "QUESTION":
        return [Choice("leave out what was not understood", outcome.candidate, "--bad-lines", "skip")]
    return []


def can_ask() -> bool:
    """Say whether a person is there to press a key."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def show_choices(choices: Sequence[Choice], typed: Sequence[str]) -> None:
    """Print every choice with what it gives and the command line that makes it."""
    for number, choice in enumerate(choices, 1):
        _show_choice(number, choice)
        note(f"     {_command_line(typed, choice)}")


def choose(choices: Sequence[Choice], *, reason: str) -> Choice | None:
    """Let a person choose with one key; any key that names no choice ends it."""
    # What else would help is said at the end, if none of these is meant.
    note(f"mayfly: {one_line(reason.partition('; what would help')[0])}")
    for number, choice in enumerate(choices, 1):
        _show_choice(number, choice)
    keys = "1" if len(choices) == 1 else f"1-{len(choices)}"
    sys.stderr.write(f"which one? ({keys}, any other key to stop) ")
    sys.stderr.flush()
    key = _read_key()
    note(key if key.isprintable() else "")
    return choices[int(key) - 1] if key in [str(n) for n in range(1, len(choices) + 1)] else None


def _show_choice(number: int, choice: Choice) -> None:
    note(f"  {number}  {one_line(choice.words, limit=WHOLE)}")
    note(f"     gives {one_line(to_json(choice.gives), limit=SHORT)}")


def _command_line(typed: Sequence[str], choice: Choice) -> str:
    """Return the command as it was typed, with the choice among its options."""
    before, after = list(typed), list[str]()
    if "--" in before:
        place = before.index("--")
        before, after = before[:place], before[place:]
    kept: list[str] = []
    skip = False
    for word in before:
        if not skip and word != choice.option and not word.startswith(f"{choice.option}="):
            kept.append(word)
        skip = word == choice.option
    import shlex

    return harmless(shlex.join([command(), *kept, choice.option, choice.value, *after]))


def _read_key() -> str:
    """Read one key without waiting for Enter, where the terminal can do that."""
    import termios
    import tty

    try:
        file = sys.stdin.fileno()
        before = termios.tcgetattr(file)
    except (OSError, ValueError, termios.error):
        return sys.stdin.readline()[:1].strip()
    try:
        # Ctrl-C still interrupts: only the waiting for Enter and the echo are switched off.
        tty.setcbreak(file)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
