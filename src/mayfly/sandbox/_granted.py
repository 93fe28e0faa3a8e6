"""A sandbox whose jobs all have the same grants, for whoever runs jobs and knows nothing of grants."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from mayfly.sandbox._box import Sandbox
from mayfly.sandbox._call import Stream
from mayfly.sandbox._purchases import Spender
from mayfly.sandbox._result import Level, Result


def only_reading(grants: Collection[str]) -> tuple[str, ...]:
    """Return what is left of *grants* for jobs that may be run any number of times: nothing that has an effect.

    A proof runs a program, and wrong versions of it, hundreds of times: they may read the workspace and import
    packages, and neither write, nor reach the network, nor buy.
    """
    kept = {"fs:workspace" if grant.startswith("fs:workspace") else grant for grant in grants}
    return tuple(sorted(grant for grant in kept if grant in ("fs:workspace", "package")))


class GrantedSandbox(Sandbox):
    """Add *grants* to every job; the processes are those of the sandbox it was made from, and end with that.

    What such a job buys is bought in the name of *spender*.
    """

    def __init__(self, box: Sandbox, grants: Collection[str], *, spender: Spender | None = None) -> None:
        self._box = box
        self._spender = spender
        self._added = tuple(grants)

    def run(self, source: str | bytes, entry: str | None, argument: object = None, **options: Any) -> Result:
        """Do what `Sandbox.run` does."""
        return self._box.run(source, entry, argument, **self._with_grants(options))

    async def arun(self, source: str | bytes, entry: str | None, argument: object = None, **options: Any) -> Result:
        """Do what `Sandbox.arun` does."""
        return await self._box.arun(source, entry, argument, **self._with_grants(options))

    @contextmanager
    def stream(
        self, source: str | bytes, entry: str | None, argument: object = None, **options: Any
    ) -> Iterator[Stream]:
        """Do what `Sandbox.stream` does."""
        with self._box.stream(source, entry, argument, **self._with_grants(options)) as stream:
            yield stream

    def release(self, tenant: str) -> None:
        """Do what `Sandbox.release` does."""
        self._box.release(tenant)

    def _with_grants(self, options: dict[str, Any]) -> dict[str, Any]:
        grants = (*options.get("grants", ()), *self._added)
        return {"spender": self._spender, **options, "grants": grants}

    def check_grants(self, grants: Collection[str]) -> None:
        """Do what `Sandbox.check_grants` does."""
        self._box.check_grants(grants)

    def warm(self, grants: Collection[str] = ()) -> Level:
        """Do what `Sandbox.warm` does."""
        return self._box.warm((*grants, *self._added))

    def close(self) -> None:
        """End nothing: the processes belong to the sandbox it was made from."""
