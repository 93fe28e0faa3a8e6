"""What every route and page shares: what the application is made over, who gives an order, and pages of lists."""

from __future__ import annotations

import getpass
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Query
from fastapi import Path as InPath
from starlette.requests import Request

from mayfly.core import InputError

if TYPE_CHECKING:
    from mayfly.runtime import Runtime
    from mayfly.serve.web._feed import Feed
    from mayfly.serve.web._passes import Passes, WebOptions
    from mayfly.serve.web._trees import TreeCache
    from mayfly.serve.web._uploads import Uploads
    from mayfly.serve.web._workroom import Workroom
    from mayfly.store import Ledger

Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
Skip = Annotated[int, Query(ge=0, le=10_000_000, description="How many to leave out at the beginning.")]
Before = Annotated[int | None, Query(ge=0, le=2**62, description="Only those before this number.")]
# Ids as the store makes them: nothing in one can name another place.
RunId = Annotated[str, InPath(pattern=r"^[a-z]{1,3}-[A-Za-z0-9._-]{1,100}$", description="The id of a run.")]


@dataclass(kw_only=True)
class Served:
    """The runtime, what signs cookies and forms, the threads that do what takes long, and what is kept meanwhile."""

    runtime: Runtime
    options: WebOptions
    passes: Passes
    workroom: Workroom
    uploads: Uploads
    trees: TreeCache
    workspace: Path = field(default_factory=Path.cwd)
    feeding: Feed | None = None

    @property
    def ledger(self) -> Ledger:
        """The ledger of the runtime."""
        return self.runtime.ledger

    @property
    def feed(self) -> Feed:
        """What follows the ledger while the application runs."""
        assert self.feeding is not None, "the application has been started"
        return self.feeding


def served_by(request: Request) -> Served:
    """Return what the application behind *request* is made over: `Depends(served_by)`."""
    found: Served = request.app.state.served
    return found


Site = Annotated[Served, Depends(served_by)]


def order_by(name: str | None) -> str:
    """Return the name to record: the one given, or whoever the server runs as."""
    if name is not None and name.strip():
        if not name.isprintable():
            raise InputError("a name holds characters that cannot be shown", fix="write it in plain letters")
        return name.strip()
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "web"
