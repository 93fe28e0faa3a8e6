"""One task as it was asked: the intent, what it works on, what is known about right answers, and the ground."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mayfly import forge
from mayfly.core import UNSET, Contract, Example, InputError, canonical_json
from mayfly.gates import Profile
from mayfly.synthesis import records

if TYPE_CHECKING:
    from mayfly.core import Settings, Tier, Unset
    from mayfly.forge import Signature

LONGEST_INTENT = 100_000
LONGEST_SAMPLE = 1_000_000
# Two inputs go to the sandbox as one value, which has to stay below its limit of 16 MiB with the source.
LARGEST_JOINED = 6 * 1024 * 1024
OnExhausted = Literal["ground", "raise"]
BadLines = Literal["ask", "skip", "stop"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """Hold everything `Runtime.run` was given, checked."""

    intent: str
    input: object | Unset = UNSET
    lines: Path | None = None
    examples: tuple[Example, ...] = ()
    ground: object = None
    context: Mapping[str, object] = field(default_factory=dict)
    profile: Profile = field(default_factory=Profile)
    signature: Signature | None = None
    hints: tuple[str, ...] = ()
    # What was agreed on by hand, where somebody did; and what a person answered to questions about single inputs.
    contract: Contract | None = None
    answers: tuple[Example, ...] = ()
    never: tuple[object, ...] = ()
    sample: tuple[object, ...] = ()
    # Where the lines are from, if that is not the file they are read from: a part has no name of its own.
    origin: str = ""
    simple: bool = False
    # Whether the agent is for one item, where that is known without examples.
    items: bool | None = None
    # The reading that a person chose, what to do about lines that are not understood, and what the input is called.
    reading: str = ""
    bad_lines: BadLines = "ask"
    name: str = ""
    # Whether the input is a list of two inputs, with what those are called.
    names: tuple[str, str] | None = None

    @property
    def is_without_input(self) -> bool:
        """Whether there is nothing to work on, neither now nor in examples or a signature."""
        return self.has_nothing and not self.examples and self.signature is None

    @property
    def has_nothing(self) -> bool:
        """Whether nothing was given to work on now."""
        return self.input is UNSET and self.lines is None

    @property
    def each(self) -> bool:
        """Whether the examples are about one item and the input is many of them."""
        if self.items is not None:
            return self.items and (self.lines is not None or isinstance(self.input, list))
        if not self.examples or self.signature is not None or not (self.lines or isinstance(self.input, list)):
            return False
        return _are_items(list(self.sample) if self.lines else self.input, self.examples)

    @property
    def records(self) -> list[object]:
        """The records of an input in memory, whatever holds them there; two inputs are two lists of them."""
        if isinstance(self.input, list) and self.names is not None:
            return self.input
        return [] if self.input is UNSET else records.records_in(self.input)

    @property
    def is_lines(self) -> bool:
        """Whether the input is lines of text."""
        return self.lines is not None or (bool(self.sample) and all(isinstance(item, str) for item in self.sample))

    def request(self, shown: tuple[Example, ...]) -> forge.Request:
        """Return what an architect may know."""
        return forge.Request(
            intent=self.intent,
            profile=self.profile,
            examples=shown,
            sample=self.sample,
            lines=self.is_lines and not self.examples,
            context=self.context,
            signature=self.signature,
            hints=self.hints,
            simple=self.simple,
        )


def make_task(
    intent: str,
    *,
    input: object | Unset,
    lines: str | Path | None,
    examples: Sequence[Example | Mapping[str, object]],
    ground: object,
    context: Mapping[str, object] | None,
    tier: Tier,
    imports: frozenset[str] | None,
    hints: tuple[str, ...],
    signature: Signature | None,
    settings: Settings,
    # A task by itself is the root of its tree, with all of the budget; a leaf lies where it lies.
    depth: int = 0,
    origin: str = "",
    simple: bool = False,
    reading: str = "",
    bad_lines: BadLines = "ask",
    name: str = "",
    second: Path | Sequence[object] | None = None,
    contract: Contract | None = None,
    answers: Sequence[Example | Mapping[str, object]] = (),
    never: Sequence[object] = (),
    grants: tuple[str, ...] = (),
) -> Task:
    """Check what was given and look at the beginning of the input; anything wrong is an `InputError`."""
    text = _checked_intent(intent)
    if lines is not None and input is not UNSET:
        raise InputError("lines are the input: give one of the two")
    names = None
    if second is not None:
        names = (name or str(lines or ""), str(second) if isinstance(second, Path) else "")
        input, lines = [_all_items(input, lines), _all_items(second, None)], None
    given = checked_examples(examples)
    if isinstance(input, str) and not given and signature is None:
        input = input.splitlines()
    path = Path(lines) if lines is not None else None
    profile = Profile.of(settings.gates, tier=tier, depth=depth, imports=imports, grants=grants)
    return Task(
        intent=text,
        input=input,
        lines=path,
        examples=given,
        ground=ground,
        context=dict(context or {}),
        profile=profile,
        signature=signature,
        hints=hints,
        sample=_sample(input, path, given, settings.forge.sample) if signature is None else (),
        origin=origin,
        simple=simple,
        reading=reading,
        bad_lines=bad_lines,
        name=name,
        names=names,
        contract=contract,
        answers=checked_examples(answers),
        never=tuple(never),
    )


def _checked_intent(intent: str) -> str:
    text = intent.strip()
    if not text:
        raise InputError(
            "the intent is empty", fix='say what to do: mayfly run "count requests by status" --input FILE'
        )
    if len(text) > LONGEST_INTENT:
        raise InputError(f"the intent is {len(text)} characters long; the limit is {LONGEST_INTENT}")
    return text


def _all_items(input: object, lines: str | Path | None) -> list[object]:
    """Return all items of one of two inputs, which are put together in memory."""
    path = Path(lines) if lines is not None else input if isinstance(input, Path) else None
    if path is None:
        if not isinstance(input, (list, dict)):
            raise InputError("two inputs are put together line by line or record by record: this one is neither")
        return records.records_in(input)
    if size_of(path) > LARGEST_JOINED:
        raise InputError(f"{path} is larger than {LARGEST_JOINED} bytes: two inputs are put together in memory")
    return list(read_lines(path, LARGEST_JOINED))


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


def _sample(input: object | Unset, lines: Path | None, examples: tuple[Example, ...], limit: int) -> tuple[object, ...]:
    if lines is not None:
        return tuple(islice(read_lines(lines), limit))
    if isinstance(input, list) and (not examples or _are_items(input, examples)):
        return tuple(input[:limit])
    return () if input is UNSET else (input,)


def read_lines(path: Path, limit: int = LONGEST_SAMPLE) -> Iterator[str]:
    """Yield lines as the sandbox will read them, to a limit of bytes: a line may be as long as the file."""
    try:
        with path.open("rb") as file:
            left = limit
            while left > 0 and (line := file.readline(left)):
                left -= len(line)
                if left <= 0 and not line.endswith(b"\n"):
                    return
                yield line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read {path}: {reason}", fix="name a readable file") from None


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
