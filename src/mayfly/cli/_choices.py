"""What a person can choose where a run asked: a reading of the request, or to leave out what was not understood."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.cli._output import command, note, to_json
from mayfly.cli._words import WHOLE
from mayfly.core import harmless, one_line

if TYPE_CHECKING:
    from mayfly.core import Outcome

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
        _show(number, choice)
        note(f"     {_command_line(typed, choice)}")


def choose(choices: Sequence[Choice], *, reason: str) -> Choice | None:
    """Let a person choose with one key; any key that names no choice ends it."""
    # What else would help is said at the end, if none of these is meant.
    note(f"mayfly: {one_line(reason.partition('; what would help')[0])}")
    for number, choice in enumerate(choices, 1):
        _show(number, choice)
    keys = "1" if len(choices) == 1 else f"1-{len(choices)}"
    sys.stderr.write(f"which one? ({keys}, any other key to stop) ")
    sys.stderr.flush()
    key = _read_key()
    note(key if key.isprintable() else "")
    return choices[int(key) - 1] if key in [str(n) for n in range(1, len(choices) + 1)] else None


def _show(number: int, choice: Choice) -> None:
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
