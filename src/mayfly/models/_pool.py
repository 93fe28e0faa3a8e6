"""`Pool`: calls, tokens and money that a run may spend on models, reserved before a call and settled after it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

from mayfly.core import NO_MONEY, Cost, Hold, InputError, LimitError, MayflyError, Money, Stop, current_pool
from mayfly.core import Pool as Limits
from mayfly.models._types import Need
from mayfly.store import event


@event("model.asked")
class ModelAsked:
    """Record that a call is about to be made, and what it takes at most: should nobody say more, that counts."""

    model: str
    purpose: str
    input_tokens: int
    output_tokens: int
    money: float


@event("model.answered")
class ModelAnswered:
    """Record what the call took that was noted as event *asked*."""

    asked: int
    input_tokens: int
    output_tokens: int
    money: float


# Record an event and return its number.
Note = Callable[[ModelAsked | ModelAnswered], int]

KINDS = {"calls": "model_calls", "input_tokens": "input_tokens", "output_tokens": "output_tokens", "money": "money"}
# A call under way is a call made: nobody waits for it to be given back.
_FIRM = ("model_calls",)
# A price nobody knows may be anything but nothing, so this much has to be there.
_SOMETHING = Money(1)


class ModelPool:
    """Hold limits that are never passed, whoever draws on them at the same time.

    None is no limit, zero is zero. A pool draws on all pools above it as well; its *parent* may be a pool of any work,
    and is that of the `limit` around the caller where none is given. What cannot be known,
    because an attempt was cut off, counts as used in full. Every call is told to *note* before it is made and after it,
    so that whoever reads that later knows what was spent, even by a process that died meanwhile. *stop* ends the calls
    that are under way, and those that are begun after it.
    """

    def __init__(
        self,
        *,
        calls: int | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        money: float | None = None,
        parent: ModelPool | Limits | None = None,
        note: Note | None = None,
        stop: Stop | None = None,
    ) -> None:
        self._note = note
        self.stop = stop or Stop()
        above = parent._limits if isinstance(parent, ModelPool) else parent
        self._limits: Limits = Limits(
            parent=current_pool() if above is None else above,
            model_calls=calls,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            money=money,
        )

    @property
    def used(self) -> Cost:
        """What was spent and settled, here and in all children."""
        return Cost.of(self._limits.snapshot())

    def left(self, kind: str) -> float | None:
        """Return what is neither used nor reserved on any level; None where nothing limits *kind*."""
        if kind not in KINDS:
            raise InputError(f"a pool for models has no {kind!r}", fix=f"it has {', '.join(KINDS)}")
        return self._limits.left(KINDS[kind])

    def reserve(self, need: Need) -> Reservation:
        """Take what *need* says, or raise `LimitError`; what others hold counts as used."""
        # What others use meanwhile may leave enough for a shorter answer, so that is asked for before giving up.
        while True:
            amounts = self._amounts(need)
            try:
                return Reservation(self._limits.reserve(least=None, firm=_FIRM, **amounts), need, self._note)
            except LimitError:
                if self._amounts(need) == amounts:
                    raise

    async def areserve(self, need: Need) -> Reservation:
        """Take what *need* says, waiting while calls under way may still give something back."""
        while True:
            amounts = self._amounts(need)
            try:
                return Reservation(await self._limits.areserve(least=None, firm=_FIRM, **amounts), need, self._note)
            except LimitError:
                if self._amounts(need) == amounts:
                    raise

    def _amounts(self, need: Need) -> dict[str, float]:
        output = need.output_tokens if need.exact else self._output(need)
        money = _SOMETHING if need.price is None else need.price.of(output)
        return {"model_calls": 1, "input_tokens": need.input_tokens, "output_tokens": output, "money": money.dollars}

    def _output(self, need: Need) -> int:
        """Return how many output tokens can be granted: all that are wanted, or what is left of tokens and money."""
        granted = float(need.output_tokens)
        tokens = self._limits.left("output_tokens", returned=True)
        if tokens is not None:
            granted = min(granted, tokens)
        money = self._limits.left("money", returned=True)
        if money is not None and need.price and need.price.each:
            granted = min(granted, math.floor((money - need.price.fixed) / need.price.each))
            granted -= need.price.of(granted) > Money.of(money)
        return max(1, math.floor(granted))


class Reservation:
    """Hold a part of a pool while a call is under way; settle it once, with what was really used."""

    def __init__(self, hold: Hold, need: Need, note: Note | None = None) -> None:
        self._hold = hold
        self._priced = need.price is not None
        self._note = note
        self._asked: int | None = None
        self._used = Cost()

    @property
    def output_tokens(self) -> int:
        """How long the answer may be."""
        return int(self._hold.granted["output_tokens"])

    def settle(self, *, input_tokens: int = 0, output_tokens: int = 0, money: Money = NO_MONEY) -> None:
        """Give the rest back; the call itself is spent whatever came of it. Only the first end counts."""
        if self._hold.open:
            self._used = Cost(input_tokens=input_tokens, output_tokens=output_tokens, money=money)
            self._hold.settle(
                model_calls=1, input_tokens=input_tokens, output_tokens=output_tokens, money=money.dollars
            )

    def forfeit(self) -> None:
        """Count everything as used, since nobody can say what was."""
        most = self._most()
        self.settle(input_tokens=most.input_tokens, output_tokens=most.output_tokens, money=most.money)

    def _most(self) -> Cost:
        granted = self._hold.granted
        return Cost(
            input_tokens=int(granted["input_tokens"]),
            output_tokens=int(granted["output_tokens"]),
            money=Money.of(granted["money"]) if self._priced else NO_MONEY,
        )

    @property
    def noted(self) -> bool:
        """Whether somebody wants to know of the call."""
        return self._note is not None

    def note_asked(self, model: str, purpose: str) -> None:
        """Tell what the call may take; it is not made where that cannot be noted."""
        if self._note is None:
            return
        most = self._most()
        self._asked = self._note(
            ModelAsked(
                model=model,
                purpose=purpose,
                input_tokens=most.input_tokens,
                output_tokens=most.output_tokens,
                money=most.money.dollars,
            )
        )

    def note_answered(self) -> None:
        """Tell what it took; where that cannot be noted, what it could have taken stands."""
        if self._note is None or self._asked is None:
            return
        used = self._used
        with suppress(MayflyError):
            self._note(
                ModelAnswered(
                    asked=self._asked,
                    input_tokens=used.input_tokens,
                    output_tokens=used.output_tokens,
                    money=used.money.dollars,
                )
            )

    def release(self) -> None:
        """Give everything back: no call was made."""
        self._hold.release()
