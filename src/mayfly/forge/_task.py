"""`Task`: an order and what a look at its input adds, which is what agents are written, proven and run for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import UNSET, Example, InputError, Order
from mayfly.forge._given import Given, look_at
from mayfly.forge._request import Request
from mayfly.gates import Profile
from mayfly.synthesis import records

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.forge._converting import OpenBox
    from mayfly.forge._request import Signature

# Two inputs go to the sandbox as one value, which has to stay below its limit of 16 MiB with the source.
LARGEST_JOINED = 6 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Task:
    """An order with what follows from it: the limits of what is written for it, and the beginning of its input."""

    order: Order
    profile: Profile = field(default_factory=Profile)
    # The function that has to be written, where a signature was given in place of an input.
    signature: Signature | None = None
    sample: tuple[object, ...] = ()
    # The files of the input as they can be read, with lines from all over them.
    given: Given = field(default_factory=Given)
    # Where the lines are from, if that is not the file they are read from: a part has no name of its own.
    origin: str = ""
    simple: bool = False
    # Whether the agent is for one item, where that is known without examples.
    items: bool | None = None
    # What two inputs are called, where the input is a list of both.
    names: tuple[str, str] | None = None

    @classmethod
    def of(
        cls,
        order: Order,
        settings: Settings,
        *,
        signature: Signature | None = None,
        origin: str = "",
        simple: bool = False,
        box: OpenBox | None = None,
    ) -> Task:
        """Look at the beginning of the input, and join two of them; anything wrong is an `InputError`.

        Files in foreign formats are read in the sandbox that *box* opens.
        """
        names, given = None, look_at(order.files, box) if signature is None else Given()
        if order.second is not None:
            second = look_at((order.second,), box) if isinstance(order.second, Path) else Given()
            names = (order.name or str(order.lines or ""), str(order.second) if second.files else "")
            joined = [_all_items(order.input, given), _all_items(order.second, second)]
            order, given = replace(order, input=joined, lines=None, more=()), Given(notes=given.notes + second.notes)
        if isinstance(order.input, str) and not order.examples and signature is None:
            order = replace(order, input=order.input.splitlines())
        return cls(
            order=order,
            profile=Profile.of(
                settings.gates, tier=order.tier, depth=order.depth, imports=order.imports, grants=order.grants
            ),
            signature=signature,
            sample=_sample(order, given, settings.forge.sample) if signature is None else (),
            given=given,
            origin=origin,
            simple=simple,
            names=names,
        )

    @property
    def is_without_input(self) -> bool:
        """Whether there is nothing to work on, neither now nor in examples or a signature."""
        return self.order.has_nothing and not self.order.examples and self.signature is None

    @property
    def each(self) -> bool:
        """Whether the examples are about one item and the input is many of them."""
        order = self.order
        if self.items is not None:
            return self.items and (order.lines is not None or isinstance(order.input, list))
        if not order.examples or self.signature is not None or not (order.lines or isinstance(order.input, list)):
            return False
        return _are_items(list(self.sample) if order.lines else order.input, order.examples)

    @property
    def records(self) -> list[object]:
        """The records of an input in memory, whatever holds them there; two inputs are two lists of them."""
        input = self.order.input
        if isinstance(input, list) and self.names is not None:
            return input
        return [] if input is UNSET else records.records_in(input)

    @property
    def bound(self) -> tuple[Path, ...]:
        """The files that a question about data is asked of where they lie; none for what is in memory."""
        return self.given.files or self.order.files

    @property
    def plain(self) -> Path | None:
        """The file whose lines a program is given that takes lines; what has none as it lies is an `InputError`."""
        readable = self.given.is_plain or (len(self.bound) == 1 and self.given.sample.packing == "gzip")
        if self.order.lines is None or readable or not self.given.files:
            return next(iter(self.bound), None)
        what = f"{len(self.bound)} files" if len(self.bound) > 1 else f"text packed with {self.given.sample.packing}"
        raise InputError(
            f"a program that is written for lines reads one file of plain text, and these are {what}",
            fix="put them into one, or ask what is read without a model",
        )

    @property
    def called(self) -> str:
        """What the input is called, which often says what its records are."""
        return self.order.name or self.origin or (str(self.order.lines) if self.order.lines else "")

    @property
    def is_lines(self) -> bool:
        """Whether the input is lines of text."""
        return self.order.lines is not None or (
            bool(self.sample) and all(isinstance(item, str) for item in self.sample)
        )

    def is_spread(self, settings: Settings) -> bool:
        """Say whether it is a question about files that are worth spreading over the nodes of a cluster."""
        if settings.promise.engine.strip() == "local" or len(self.bound) < 2 or self.order.examples:
            return False
        return sum(map(size_of, self.bound)) >= settings.promise.split_from

    def request(self, shown: tuple[Example, ...]) -> Request:
        """Return what an architect may know."""
        return Request(
            intent=self.order.intent,
            profile=self.profile,
            examples=shown,
            sample=self.sample,
            lines=self.is_lines and not self.order.examples,
            context=self.order.context,
            signature=self.signature,
            hints=self.order.hints,
            simple=self.simple,
        )


def _all_items(input: object, given: Given) -> list[object]:
    """Return all items of one of two inputs, which are put together in memory."""
    if given.files:
        if len(given.files) > 1:
            raise InputError(f"{len(given.files)} files are one table here: what is joined is one file on each side")
        return list(given.all_lines(LARGEST_JOINED, "two inputs are put together in memory")[0])
    if not isinstance(input, (list, dict)):
        raise InputError("two inputs are put together line by line or record by record: this one is neither")
    return records.records_in(input)


def _sample(order: Order, given: Given, limit: int) -> tuple[object, ...]:
    if order.lines is not None:
        return given.sample.lines[:limit]
    if isinstance(order.input, list) and (not order.examples or _are_items(order.input, order.examples)):
        return tuple(order.input[:limit])
    return () if order.input is UNSET else (order.input,)


def size_of(path: Path) -> int:
    """Return the size of *path* in bytes; 0 for what has none, such as a pipe."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _are_items(items: object, examples: tuple[Example, ...]) -> bool:
    """Whether each of *items* is what the examples take as their input, and not all of them together."""
    if not isinstance(items, list) or not items:
        return False
    given = [example.input for example in examples]
    # What is looked at is bounded: a list may have a million items.
    return not _alike(items[:100], given) and all(_alike(item, given) for item in items[:100])


def _alike(value: object, others: Sequence[object]) -> bool:
    """Whether a value has the types of one of the others, all the way down; nothing stands for anything."""
    return value is None or any(_same_types(value, other) for other in others)


def _same_types(value: object, other: object) -> bool:
    if value is None or other is None:
        return True
    if isinstance(value, list) and isinstance(other, list):
        return not other or all(_alike(inner, other) for inner in value)
    if isinstance(value, dict) and isinstance(other, dict):
        shared = value.keys() & other.keys()
        held = list(other.values())
        # Records share their keys; in a mapping any key may hold what any other holds.
        return (
            all(_same_types(value[key], other[key]) for key in shared)
            if shared
            else not held or all(_alike(inner, held) for inner in value.values())
        )
    return _scalar(value) == _scalar(other)


def _scalar(value: object) -> str:
    """Return the type of a value, where whole and other numbers are alike and a truth is no number."""
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, (int, float)) else type(value).__name__
