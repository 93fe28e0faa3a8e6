"""What the judge asks, from a file that anybody may replace, and the rule by which passes become a decision."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from mayfly.core import InputError, canonical_json, content_hash, shipped_table

SHIPPED = Path(__file__).with_name("criteria.toml")


class Criterion(NamedTuple):
    """One question, and how much its answer counts."""

    name: str
    text: str
    weight: float


@dataclass(frozen=True)
class Criteria:
    """Hold the questions; equal questions have equal versions, whatever file they came from."""

    items: tuple[Criterion, ...]

    @classmethod
    def load(cls, path: str | Path = "") -> Criteria:
        """Read the criteria from *path*, or the shipped ones; a file that cannot be meant is an `InputError`."""
        if not str(path):
            return cls.of(shipped_table(SHIPPED), where=str(SHIPPED))
        import tomllib

        source = Path(path)
        try:
            table = tomllib.loads(source.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"the criteria {str(source)!r} cannot be read: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"the criteria {str(source)!r} are not TOML: {error}") from error
        return cls.of(table, where=str(source))

    @classmethod
    def of(cls, table: Mapping[str, object], *, where: str = "the criteria") -> Criteria:
        """Make criteria from a table of tables, each with `text` and perhaps `weight`."""
        if not table:
            raise InputError(f"{where} names no criterion", fix="add [tasteful] with a text")
        return cls(tuple(_criterion(name, part, where) for name, part in sorted(table.items())))

    @cached_property
    def version(self) -> str:
        """The hash of all questions and weights; it belongs into the key of whatever is cached after a judgement."""
        return content_hash(canonical_json([list(item) for item in self.items]))

    def weight(self, name: str) -> float:
        """Return how much the criterion *name* counts; one that is not asked counts nothing."""
        return next((item.weight for item in self.items if item.name == name), 0.0)


def _criterion(name: str, part: object, where: str) -> Criterion:
    text = part.get("text") if isinstance(part, Mapping) else None
    weight = part.get("weight", 1.0) if isinstance(part, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{where}: [{name}] has no text", fix=f'write [{name}] and text = "a question"')
    number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
    if not number or not math.isfinite(float(str(weight))) or float(str(weight)) < 0:
        raise InputError(f"{where}: the weight of [{name}] is {weight!r}, not a number from 0")
    return Criterion(name, text.strip(), float(str(weight)))


Decision = Literal["accept", "revise", "reject"]
REJECT_RATE = 0.3


def pass_rate(passes: Iterable[tuple[bool, float]]) -> float:
    """Return which part of all weight passed; no weight at all is no pass."""
    weighed = list(passes)
    total = math.fsum(weight for _, weight in weighed)
    return math.fsum(weight for passed, weight in weighed if passed) / total if total > 0 else 0.0


def decide(passes: Iterable[tuple[bool, float]], *, reject: float = REJECT_RATE) -> Decision:
    """Decide from pairs of passed and weight; where all pass, however few, that is an accept."""
    weighed = [(passed, weight) for passed, weight in passes]
    if all(passed for passed, _ in weighed):
        return "accept"
    return "reject" if pass_rate(weighed) < reject else "revise"
