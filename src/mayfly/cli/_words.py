"""How the outcome of a run is said to a person, and what a person can choose where it asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.cli._output import command, note, to_json
from mayfly.core import harmless, one_line

if TYPE_CHECKING:
    from mayfly.core import Outcome, Proof, Witness

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
