"""What can be wrong with a Mangle program, always with the stage, the place and, where known, the way to mend it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mayfly.core import InputError

if TYPE_CHECKING:
    from mayfly.mangle._ast import Unit
    from mayfly.mangle._symbols import Place

_LONGEST: Final = 1200
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

Stage: TypeAlias = Literal["parse", "analyze", "eval"]


class MangleError(InputError):
    """Say at which stage a program is wrong, where and why; the text is one line: place, message, fix."""

    code = "MANGLE"

    def __init__(self, message: str, *, stage: Stage, place: Place | None = None, fix: str | None = None) -> None:
        super().__init__(_brief(message), fix=None if fix is None else _brief(fix))
        self.stage = stage
        self.place = place
        self.unit: Unit | None = None
        """What was read all the same, where it is plain what was meant."""

    def __str__(self) -> str:
        return super().__str__() if self.place is None else f"{_one_line(str(self.place))}: {super().__str__()}"

    @property
    def all(self) -> tuple[MangleError, ...]:
        """Every error that was found, this one or several."""
        return (self,)


class MangleErrors(MangleError):
    """Hold everything that is wrong with a program; as one line it is the first error and how many more there are."""

    code = "MANGLE_SEVERAL"

    def __init__(self, errors: Sequence[MangleError]) -> None:
        first = errors[0]
        super().__init__(first.message, stage=first.stage, place=first.place, fix=first.fix)
        self.errors = tuple(errors)

    @property
    def all(self) -> tuple[MangleError, ...]:
        """Every error that was found, in order."""
        return self.errors

    def __str__(self) -> str:
        more = len(self.errors) - 1
        return f"{super().__str__()} (and {more} more error{'s' if more > 1 else ''})" if more else super().__str__()


def _brief(text: str) -> str:
    """Return a text as one line that a person can read, whatever it quotes: of a very long one both ends."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST * 3 // 4]} … {text[-_LONGEST // 4 :]}"
    return _one_line(text)


def _one_line(text: str) -> str:
    return _BREAKS.sub(lambda found: repr(found[0])[1:-1], text)


def raise_all(errors: Sequence[MangleError]) -> None:
    """Raise what was found: nothing, the one error, or all of them together."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise MangleErrors(errors)
