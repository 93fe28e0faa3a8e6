"""`Session`: a conversation with a runtime of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from mayfly.runtime._run import Runtime
from mayfly.session import RunningSession

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.session import AskPerson, Observer


class SessionOptions(TypedDict, total=False):
    """The options of `RunningSession`."""

    model: str | None
    resume: str | None
    id: str
    observe: Observer | None
    ask: AskPerson | None


class Session(RunningSession):
    """One conversation in one workspace: `turn` takes a request to its end, `close` ends all that it began."""

    runtime: Runtime

    def __init__(self, settings: Settings, *, workspace: Path | None = None, **options: Unpack[SessionOptions]) -> None:
        """Open a session, or with *resume* go on with one; *workspace* is the current directory if left out."""
        place = (workspace or Path.cwd()).resolve()
        super().__init__(Runtime(settings, workspace=place), workspace=place, **options)
