"""`Claim`: the exclusive right of one process to something, such as a run, until it is closed or the process dies."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

from mayfly.core import Closing, ConflictError, InputError

# No fork while a right is being taken or given back: a child would have a part of it and not know.
_turn = threading.RLock()
_claims: set[Claim] = set()
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Right(Protocol):
    """One way to hold a right that ends with the process, whatever ends it."""

    def take(self) -> str | None:
        """Take the right; where another has it, return who that is."""
        ...

    def holds(self) -> bool:
        """Whether this process has the right at this moment."""
        ...

    def drop(self) -> None:
        """Give the right back."""
        ...

    def leave(self) -> None:
        """Let go of it in a forked child, without giving back what the parent has."""
        ...


class Fence(NamedTuple):
    """What every append of a claimed run is checked against, in the transaction of the append itself."""

    run: str
    generation: int


class Claim(Closing):
    """Hold the right to *name*; made by `Ledger.claim`.

    Locks keep two processes from beginning at once. What keeps the one that lost its lock from going on is the
    generation: it is counted up by every claim, and whoever appends with an older `fence` is refused.

    A child made by `os.fork` has no part in it: it neither holds the right nor can give it back.
    """

    def __init__(self, name: str, right: Right, *, begin: Callable[[], int], newest: Callable[[], int]) -> None:
        """Take the right and *begin* a generation, whose number that returns; *newest* tells the last one begun."""
        self.name = name
        self._right = right
        self._newest = newest
        self._state: Literal["held", "lost", "closed", "left"] = "lost"
        with _turn:
            self._take()
            try:
                self.fence = Fence(name, begin())
            except BaseException:
                self.close()
                raise

    def check(self) -> None:
        """Raise `ConflictError` if another had the right since; take it again where it was merely lost."""
        with _turn:
            if self._state == "left":
                raise ConflictError(f"{self.name} belongs to the process that this one was forked from")
            if self._state == "closed":
                raise ConflictError(f"the claim on {self.name} is closed", fix="make another")
            if self._state == "lost" or not self._right.holds():
                self._take()
                self._check_generation()

    def close(self) -> None:
        """Give the right back; closing twice does no harm."""
        with _turn:
            if self._state == "held":
                self._right.drop()
            if self._state != "left":
                self._state = "closed"
            _claims.discard(self)

    def _take(self) -> None:
        self._state = "lost"
        holder = self._right.take()
        if holder is not None:
            raise ConflictError(f"{self.name} is being run by {holder}", fix="wait for it, or end that process")
        self._state = "held"
        _claims.add(self)

    def _check_generation(self) -> None:
        """Give the right back where another had it while it was lost: what that one did is not known here."""
        try:
            newest = self._newest()
        except BaseException:
            self._right.drop()
            self._state = "lost"
            raise
        if newest != self.fence.generation:
            self.close()
            raise taken_up(self.name, newest)

    def leave(self) -> None:
        """Take no further part in it: this process is a forked child of the one that has the right."""
        self._state = "left"
        self._right.leave()


def check_name(name: str) -> str:
    """Refuse what cannot be the name of a claim, which may become the name of a file."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError("a claim's name must be 1 to 128 letters, digits, dots, dashes and underscores")
    return name


def taken_up(name: str, generation: int, owner: str = "") -> ConflictError:
    """Return what is said to whoever appends for a run that is another's by now."""
    return ConflictError(
        f"{name} was taken up by {holder_words(owner)} (generation {generation}): this one stops and records no more",
        fix=f"see: mayfly trace {name}",
    )


def holder_words(holder: str) -> str:
    """Return who *holder* is in words; it was written by another process, so it may be anything."""
    found = re.fullmatch(r"([A-Za-z0-9.-]{1,64}):([0-9]{1,10}):([0-9a-f]{8})", holder)
    return f"process {found[2]} on {found[1]}" if found else "another process"


def _after_in_child() -> None:
    for claim in list(_claims):
        claim.leave()
    _claims.clear()
    _turn.release()


os.register_at_fork(before=_turn.acquire, after_in_parent=_turn.release, after_in_child=_after_in_child)
