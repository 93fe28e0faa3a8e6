"""`Pool`: calls, tokens and money that a run may spend on models, reserved before a call and settled after it."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator

from mayfly.core import Cost, InputError, LimitError
from mayfly.models._types import Need, Price

KINDS = ("calls", "input_tokens", "output_tokens", "money")


class Pool:
    """Hold limits that are never passed, whoever draws on them at the same time.

    None is no limit, zero is zero. A child has limits of its own and draws on all pools above it as well. What cannot
    be known, because an attempt was cut off, counts as used in full.
    """

    def __init__(
        self,
        *,
        calls: int | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        money: float | None = None,
        parent: Pool | None = None,
    ) -> None:
        given = dict(zip(KINDS, (calls, input_tokens, output_tokens, money), strict=True))
        for kind, limit in given.items():
            if limit is not None and not (math.isfinite(limit) and limit >= 0):
                raise InputError(f"a pool's limit of {kind} must be 0 or more, not {limit}")
        self._limits = {kind: limit for kind, limit in given.items() if limit is not None}
        self._parent = parent
        # One lock for the whole tree: a reservation is taken on every level or on none.
        self._lock: threading.Lock = parent._lock if parent else threading.Lock()
        self._used: dict[str, float] = dict.fromkeys(KINDS, 0)
        self._held: dict[str, float] = dict.fromkeys(KINDS, 0)

    def child(
        self,
        *,
        calls: int | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        money: float | None = None,
    ) -> Pool:
        """Return a pool inside this one."""
        return Pool(calls=calls, input_tokens=input_tokens, output_tokens=output_tokens, money=money, parent=self)

    @property
    def used(self) -> Cost:
        """What was spent and settled, here and in all children."""
        with self._lock:
            used = self._used
            return Cost(
                model_calls=int(used["calls"]),
                input_tokens=int(used["input_tokens"]),
                output_tokens=int(used["output_tokens"]),
                money=used["money"],
            )

    def left(self, kind: str) -> float | None:
        """Return what is neither used nor reserved on any level; None where nothing limits *kind*."""
        with self._lock:
            rooms = [pool._room(kind, held=True) for pool in self._chain() if kind in pool._limits]
        return max(0.0, min(rooms)) if rooms else None

    def reserve(self, need: Need) -> Reservation:
        """Take what *need* says, or raise `LimitError`; what others hold counts as used."""
        reservation = self.try_reserve(need)
        if reservation is None:
            with self._lock:
                raise self._passed(need, held=True)
        return reservation

    def try_reserve(self, need: Need) -> Reservation | None:
        """Take what *need* says; None if that may become possible when calls under way are settled."""
        with self._lock:
            output = self._output(need, held=False)
            if not self._fits(need, output, held=False):
                raise self._passed(need, held=False)
            if not self._fits(need, output, held=True):
                return None
            amounts = _amounts(need, output)
            for pool in self._chain():
                for kind, amount in amounts.items():
                    pool._held[kind] += amount
            return Reservation(self, amounts)

    def _chain(self) -> Iterator[Pool]:
        pool: Pool | None = self
        while pool is not None:
            yield pool
            pool = pool._parent

    def _room(self, kind: str, *, held: bool) -> float:
        # A call under way is a call made: it cannot be given back, so it counts at once.
        counted = self._held[kind] if held or kind == "calls" else 0
        return self._limits[kind] - self._used[kind] - counted

    def _output(self, need: Need, *, held: bool) -> int:
        """Return how many output tokens can be granted: all that are wanted, or what is left of tokens and money."""
        if need.exact:
            return need.output_tokens
        granted = float(need.output_tokens)
        for pool in self._chain():
            if "output_tokens" in pool._limits:
                granted = min(granted, pool._room("output_tokens", held=held))
            if "money" in pool._limits and need.price and need.price.each:
                granted = min(granted, (pool._room("money", held=held) - need.price.fixed) / need.price.each)
        return max(1, math.floor(granted))

    def _fits(self, need: Need, output: int, *, held: bool) -> bool:
        return not any(True for _ in self._over(need, output, held=held))

    def _over(self, need: Need, output: int, *, held: bool) -> Iterator[LimitError]:
        amounts = _amounts(need, output)
        for pool in self._chain():
            for kind, limit in pool._limits.items():
                room = pool._room(kind, held=held)
                # A price nobody knows may be anything but nothing.
                unknown = kind == "money" and need.price is None and room <= 0
                if unknown or amounts[kind] > room + 1e-12:
                    yield LimitError(_NAMES[kind], used=limit - room + amounts[kind], limit=limit)

    def _passed(self, need: Need, *, held: bool) -> LimitError:
        return next(self._over(need, self._output(need, held=False), held=held))

    def _settle(self, held: dict[str, float], used: dict[str, float]) -> None:
        with self._lock:
            for pool in self._chain():
                for kind in KINDS:
                    pool._held[kind] -= held[kind]
                    pool._used[kind] += used[kind]


class Reservation:
    """Hold a part of a pool while a call is under way; settle it once, with what was really used."""

    def __init__(self, pool: Pool | None, amounts: dict[str, float]) -> None:
        self._pool = pool
        self._amounts = amounts

    @property
    def output_tokens(self) -> int:
        """How long the answer may be."""
        return int(self._amounts["output_tokens"])

    def settle(self, *, input_tokens: int = 0, output_tokens: int = 0, money: float = 0.0) -> None:
        """Give the rest back; the call itself is spent whatever came of it."""
        self._settle(dict(zip(KINDS, (1, input_tokens, output_tokens, money), strict=True)))

    def forfeit(self) -> None:
        """Count everything as used, since nobody can say what was."""
        self._settle(self._amounts)

    def release(self) -> None:
        """Give everything back: no call was made."""
        self._settle(dict.fromkeys(KINDS, 0))

    def _settle(self, used: dict[str, float]) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool._settle(self._amounts, used)


def unlimited(need: Need) -> Reservation:
    """Return a reservation of no pool, for a call that nobody limits."""
    return Reservation(None, _amounts(need, need.output_tokens))


def _amounts(need: Need, output: int) -> dict[str, float]:
    price = need.price or Price()
    money = price.fixed + price.each * output
    return {"calls": 1, "input_tokens": need.input_tokens, "output_tokens": output, "money": money}


_NAMES = {
    "calls": "model calls",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "money": "money for models",
}
