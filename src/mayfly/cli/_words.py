"""How the outcome of a run is said to a person: a word for its end, what the proof rests on, how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mayfly.cli._output import command
from mayfly.core import one_line

if TYPE_CHECKING:
    from mayfly.core import Outcome, Proof, Witness

EXIT = {"HELP": 3, "QUESTION": 3, "UNKNOWN": 3, "MACHINE": 4, "INPUT": 2, "CONFLICT": 2}
# The words of a line begin in this column, below each other.
COLUMN = 10
# Longer than any reading: what is said of one is never cut.
WHOLE = 1_000_000


def labelled(label: str, text: str) -> str:
    """Return one line of the picture of a run."""
    return f"{label:<{COLUMN - 1}} {text}"


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
