"""`Served`: what the application is made over, for every route and page."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request

if TYPE_CHECKING:
    from mayfly.runtime import Runtime
    from mayfly.serve.web._feed import Feed
    from mayfly.serve.web._options import WebOptions
    from mayfly.serve.web._passes import Passes
    from mayfly.serve.web._trees import TreeCache
    from mayfly.serve.web._uploads import Uploads
    from mayfly.serve.web._workroom import Workroom


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
    def feed(self) -> Feed:
        """What follows the ledger while the application runs."""
        assert self.feeding is not None, "the application has been started"
        return self.feeding


def served_by(request: Request) -> Served:
    """Return what the application behind *request* is made over: `Depends(served_by)`."""
    found: Served = request.app.state.served
    return found
