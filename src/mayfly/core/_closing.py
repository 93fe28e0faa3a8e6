"""`Closing`: what a class with a `close` needs to be a context manager."""

from __future__ import annotations

from typing import Self


class Closing:
    """A context manager that closes itself at the end of its block, whatever ended it."""

    def close(self) -> None:
        """End what this object holds; a second call does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
