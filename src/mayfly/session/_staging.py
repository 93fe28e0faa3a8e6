"""Built-in tools staged: which file each is written in, the change tried and taken in, and watched afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import Capability, InputError, MayflyError, Refusal, Verdict
from mayfly.library.staging import (
    Repository,
    RolledBack,
    Staging,
    StagingPromoted,
    homes_of,
    take_up,
    under_watch,
    watched,
)
from mayfly.world import builtins

if TYPE_CHECKING:
    from mayfly.core import Settings, Stop
    from mayfly.library.staging import StageResult, StagingReport
    from mayfly.persona import Desk
    from mayfly.session._approvals import Approvals
    from mayfly.session.tools import BuiltinChange
    from mayfly.store import Ledger
    from mayfly.world import Room

PACKAGE = Path(__file__).resolve().parents[1]
_KINDS = ("staging.promoted", "staging.rolled_back")


class Stager:
    """Stage changes of the tools that this product is made of, in the repository it runs from."""

    def __init__(
        self, settings: Settings, ledger: Ledger, *, tell: Callable[[StageResult], None] | None = None
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._tell = tell or (lambda _: None)

    def staging(self, stop: Stop | None = None) -> Staging:
        """Return the staging of the product's repository; an installed product has none, which is an error."""
        return Staging(
            repository=Repository.of(PACKAGE), ledger=self._ledger, settings=self._settings, stop=stop, tell=self._tell
        )

    def homes(self) -> dict[str, tuple[Path, ...]]:
        """Return every built-in tool with the files that define it."""
        return homes_of((*builtins(self._settings), *_session_tools(self._settings, self._ledger)), PACKAGE)

    def listed(self) -> dict[str, tuple[Path, ...]]:
        """Return the same with paths that begin at the package, as the sources of the repository do."""
        return {name: tuple(file.relative_to(PACKAGE.parent) for file in files) for name, files in self.homes().items()}

    def stage(
        self,
        tool: str,
        source: bytes,
        *,
        path: str = "",
        why: str = "",
        merge: bool = True,
        stop: Stop | None = None,
    ) -> StagingReport:
        """Try *source* as the new file of *tool*, and with *merge* take it in."""
        staging = self.staging(stop)
        homes = self.homes()
        home = _choose(tool, homes, path, staging.repository)
        tools = tuple(sorted(name for name, files in homes.items() if home in files))
        return staging.stage(tool, staging.repository.relative(home), source, tools=tools, why=why, merge=merge)

    def preview(self, change: BuiltinChange) -> str:
        """Try a change without taking it in, and return what a person decides by; one that fails is refused."""
        return _passed(self._of(change, merge=False, stop=None)).told()

    def apply(self, change: BuiltinChange, *, stop: Stop | None = None) -> str:
        """Try a change, take it in and say so; one that fails is refused."""
        report = _passed(self._of(change, merge=True, stop=stop))
        return f"{report.path} is changed by commit {report.commit[:12]}; {self.taken_up(report.path)}"

    def _of(self, change: BuiltinChange, *, merge: bool, stop: Stop | None) -> StagingReport:
        source = self._ledger.get_blob(change.source)
        return self.stage(change.tool, source, path=change.path, why=change.why, merge=merge, stop=stop)

    def taken_up(self, path: str) -> str:
        """Take a changed file up in this process, and say whether it is live here."""
        wrong = take_up(self.staging().repository.root / path)
        return f"restart needed: {wrong}" if wrong else "it is live in this process; others take it up when restarted"

    def watching(self, capabilities: Iterable[Capability]) -> list[Capability]:
        """Return *capabilities*, with a crash of those whose health window is open taking their change back."""
        watch = under_watch(self._ledger)
        return watched(capabilities, watch, self._crashed) if watch else list(capabilities)

    def _crashed(self, id: str, reason: str) -> None:
        # The ledger has why it could not be; the crash itself is what the caller is told.
        with suppress(MayflyError):
            self.staging().roll_back(id, reason)

    def changed_since(self, seen: int | None) -> tuple[set[str], int]:
        """Take up what was staged or taken back after the event *seen*; return the tools, and what was seen last.

        With None nothing is taken up: who begins now has loaded what is there.
        """
        last = max((one.id for kind in _KINDS if (one := self._ledger.last(kind)) is not None), default=0)
        tools: set[str] = set()
        for kind in _KINDS if seen is not None and last > seen else ():
            for entry in self._ledger.read(kind=kind, after=seen or 0):
                if isinstance(entry.data, (StagingPromoted, RolledBack)):
                    # Of a ledger that several machines share, it may be another one's repository.
                    with suppress(MayflyError):
                        self.taken_up(entry.data.path)
                    tools |= {entry.data.tool, *entry.data.tools}
        return tools, last


def left_by_staging() -> list[str]:
    """Name what a killed staging left in the repository this runs from; an installed product has none."""
    try:
        repository = Repository.of(PACKAGE)
        with repository.lock():
            return [found.told() for found in repository.leftovers()]
    except MayflyError:
        return []  # no repository, or somebody is staging just now and it is theirs


def _choose(tool: str, homes: dict[str, tuple[Path, ...]], path: str, repository: Repository) -> Path:
    files = homes.get(tool, ())
    if not files:
        raise InputError(
            f"no built-in tool is called {tool}",
            fix="see: mayfly stage --list; tools of the library are changed without staging: mayfly tools write",
        )
    names = {repository.relative(file): file for file in files}
    if path and path not in names:
        raise InputError(f"{tool} is not written in {path}", fix=f"it is in {' and '.join(names)}")
    if not path and len(names) > 1:
        raise InputError(f"{tool} is in {' and in '.join(names)}", fix=f"add --path {next(iter(names))}")
    return names[path] if path else files[0]


def _passed(report: StagingReport) -> StagingReport:
    if report.status in ("passed", "promoted"):
        return report
    verb = "was taken back" if report.status == "rolled_back" else "is not taken in"
    message = f"the change of {report.tool} {verb}: {report.reason}"
    raise Refusal(Verdict(decision="reject", gate="staging", code="STAGE", message=message))


def _session_tools(settings: Settings, ledger: Ledger) -> tuple[Capability, ...]:
    """Return the tools of sessions, made for no room at all: they are looked at, and none is called."""
    from mayfly.session.tools import McpServers, session_tools
    from mayfly.session.tools._mcp_servers import Configured
    from mayfly.store.schema import AgentSchema

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("a tool that is only looked at is not called")

    return session_tools(
        cast("Room", SimpleNamespace(session="", workspace=Path())),
        ledger,
        servers=McpServers(Configured((), ()), directory=Path()),
        schema=lambda: AgentSchema(ledger, settings),
        ask=never,
        spawn=never,
        compile=never,
        stage=never,
    )


def open_approvals(settings: Settings, desk: Desk, ledger: Any) -> Approvals:
    """Return what waits for a person, with what happens when they agree."""
    # Imported where they are used: most trees change nothing, and sessions are much to load.
    from mayfly.session._approvals import Approvals
    from mayfly.session.tools import BuiltinChange
    from mayfly.world import planned_again, push

    def sign(decision: str, *, by: str, reason: str) -> str:
        return desk.approve(decision, by=by, reason=reason or "agreed").override

    chosen = settings.session
    autonomous = chosen.approvals if chosen.profile == "autonomous" else 0

    stager = Stager(settings, ledger)

    def change_of(target: str, payload: str) -> BuiltinChange:
        return BuiltinChange(target, json.loads(payload))

    return Approvals(
        ledger,
        settings.workbench_state,
        sign=sign,
        perform={
            "git_push": lambda asked: push(desk.workspace, asked.payload),
            "builtin_modify": lambda asked: stager.apply(change_of(asked.target, asked.payload)),
        },
        shows={
            "git_push": lambda target, payload: planned_again(desk.workspace, payload).told(),
            "builtin_modify": lambda target, payload: stager.preview(change_of(target, payload)),
        },
        autonomous=autonomous,
        only_persons=("git_push",),
    )
