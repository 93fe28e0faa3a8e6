"""`Order`: what was asked for, as one value that travels whole from the edge to whoever writes, proves and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mayfly.core._contract import Contract
from mayfly.core._same import canonical_json
from mayfly.core._types import UNSET, Example, Tier, Unset
from mayfly.core.errors import InputError

OnExhausted = Literal["ground", "raise"]
BadLines = Literal["ask", "skip", "stop"]
# Characters; the faces read less than this, a caller in Python may hand in a generated text.
LONGEST_INTENT = 100_000


@dataclass(frozen=True, kw_only=True)
class Order:
    """An intent, what it works on, what is known about right answers, how far to go, and what to give in the end.

    `Order.of` makes one and checks it; nothing below the faces takes its fields one by one.
    """

    intent: str
    # A value, or the lines of a file of any size, or neither; *name* is what the input is called in answers.
    input: object | Unset = UNSET
    lines: Path | None = None
    name: str = ""
    # Further files of the same table, whose records also have the name of their file.
    more: tuple[Path, ...] = ()
    # A second input, which is joined with the first by a column that both have.
    second: Path | Sequence[object] | None = None
    examples: tuple[Example, ...] = ()
    # The value of the outcome unless the order resolves.
    ground: Any = None
    context: Mapping[str, object] = field(default_factory=dict)
    # What was agreed on by hand; answers to earlier questions about single inputs, and inputs that cannot occur.
    contract: Contract | None = None
    answers: tuple[Example, ...] = ()
    never: tuple[object, ...] = ()
    # One of several readings of the intent, as it was printed.
    reading: str = ""
    # The trust tier and the depth in a tree set the limits of what is written; grants open doors where rules allow.
    tier: Tier = Tier.MEMO
    depth: int = 0
    imports: frozenset[str] | None = None
    grants: tuple[str, ...] = ()
    # Which model is asked, what its writers should know, and the file to which requests and answers are appended.
    model: str | None = None
    hints: tuple[str, ...] = ()
    record: Path | None = None
    # Demands: whether a weak proof is enough, whether an open point is too much, what lines that are not understood
    # lead to, and whether a failure raises.
    accept_weak: bool = False
    demand_strong: bool = False
    bad_lines: BadLines = "ask"
    on_exhausted: OnExhausted = "ground"

    @classmethod
    def of(cls, intent: str, **given: Any) -> Order:
        """Make an order of the fields that are *given*, checked; anything wrong is an `InputError`.

        Without a tier it is memo, and authored where something is granted. Several *lines* are files of one table.
        """
        if isinstance(given.get("lines"), (list, tuple)):
            given |= _first_and_more(given["lines"])
        checked = {name: _CHECKED[name](value) if name in _CHECKED else value for name, value in given.items()}
        if not checked.get("tier"):
            checked["tier"] = Tier.AUTHORED if checked.get("grants") else Tier.MEMO
        order = cls(intent=_checked_intent(intent), **checked)
        if order.lines is not None and order.input is not UNSET:
            raise InputError("lines are the input: give one of the two")
        return order

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the input, where it is lines."""
        return () if self.lines is None else (self.lines, *self.more)

    @property
    def has_nothing(self) -> bool:
        """Whether nothing was given to work on now."""
        return self.input is UNSET and self.lines is None


def _first_and_more(paths: Sequence[Path | str]) -> dict[str, Any]:
    if not paths:
        raise InputError("lines are an empty list of files", fix="name one, or leave it out")
    return {"lines": paths[0], "more": paths[1:]}


def _checked_intent(intent: str) -> str:
    text = intent.strip()
    if not text:
        raise InputError(
            "the intent is empty", fix='say what to do: mayfly run "count requests by status" --input FILE'
        )
    if len(text) > LONGEST_INTENT:
        raise InputError(f"the intent is {len(text)} characters long; the limit is {LONGEST_INTENT}")
    return text


def checked_examples(examples: Sequence[Example | Mapping[str, object]]) -> tuple[Example, ...]:
    """Return examples as they are worked with; those that are none or contradict each other are an `InputError`."""
    given = tuple(_example(example) for example in examples)
    _refuse_contradictions(given)
    return given


def _example(example: Example | Mapping[str, object]) -> Example:
    if isinstance(example, Example):
        return example
    if not isinstance(example, Mapping) or not {"input", "output"} <= set(example):
        raise InputError(f"an example needs input and output: {str(example)[:100]}")
    return Example(input=example["input"], output=example["output"])


def _refuse_contradictions(examples: tuple[Example, ...]) -> None:
    seen: dict[str, str] = {}
    for example in examples:
        try:
            input, output = canonical_json(example.input), canonical_json(example.output)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"an example is not JSON: {error}") from None
        if seen.setdefault(input, output) != output:
            raise InputError(
                f"two examples contradict each other: {input[:200]} gives {seen[input][:200]} and {output[:200]}"
            )


def _tier(tier: Tier | str | None) -> Tier | None:
    if tier is None or tier in set(Tier):
        return None if tier is None else Tier(tier)
    raise InputError(f"there is no tier {tier!r}", fix=f"use one of {', '.join(Tier)}")


_CHECKED: dict[str, Callable[[Any], Any]] = {
    "lines": lambda lines: None if lines is None else Path(lines),
    "more": lambda more: tuple(map(Path, more)),
    "examples": checked_examples,
    "context": lambda context: dict(context or {}),
    "answers": checked_examples,
    "never": tuple,
    "tier": _tier,
    "grants": tuple,
    "hints": tuple,
}
