"""What can go wrong with a model, in words a person can act on."""

from __future__ import annotations

from typing import ClassVar, Literal

from mayfly.core import Cost, MayflyError

Kind = Literal[
    "unreachable", "busy", "refused", "malformed", "cut", "timeout", "too-large", "schema", "no-model", "not-recorded"
]


class ModelError(MayflyError):
    """A model gave no usable answer; `kind` says in which way and `cost` what was spent on finding out."""

    code: ClassVar[str] = "MODEL"

    def __init__(
        self,
        message: str,
        *,
        kind: Kind = "refused",
        fix: str | None = None,
        cost: Cost | None = None,
        text: str = "",
    ) -> None:
        super().__init__(message, fix=fix)
        self.kind = kind
        self.cost = cost or Cost()
        self.text = text


class Failure(Exception):
    """One attempt failed; a backend raises it and the model decides whether to try again.

    With *billed* the request was sent and nobody knows what it used, so the whole reservation counts as used.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: Kind,
        retry: bool = False,
        billed: bool = False,
        retry_after: float = 0.0,
        fix: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind: Kind = kind
        self.retry = retry
        self.billed = billed
        self.retry_after = retry_after
        self.fix = fix


def too_large(most: int) -> Failure:
    """Return the failure of an answer that is larger than it may be."""
    message = f"the answer is larger than {most:,} bytes"
    return Failure(message, kind="too-large", billed=True, fix="raise MAYFLY_MODELS_MAX_ANSWER")
