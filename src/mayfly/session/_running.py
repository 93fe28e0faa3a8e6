"""A session put together: rules, personas, model, workbench and tools, for one person in one workspace."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mayfly.core import Closing, InputError, Stop
from mayfly.library import Registry
from mayfly.models import ModelPool
from mayfly.persona import AgentConfig, Desk, detect_context
from mayfly.sandbox.workbench import SecretFiles, Workbench
from mayfly.session._events import SessionBegan, SessionEnded, TurnEnded
from mayfly.session._executor import Executor
from mayfly.session._log import SessionLog, sessions, tag_of
from mayfly.session._offline import OfflineTalker
from mayfly.session._parts import SessionParts
from mayfly.session._spawner import Spawner, SpawnRequest
from mayfly.session._staging import Stager, open_approvals
from mayfly.session.tools import BuiltinChange, McpServers, session_tools
from mayfly.session.tools._library import SessionLibrary
from mayfly.world import History, Room, builtins

if TYPE_CHECKING:
    from mayfly.core import Capability, Outcome, Settings
    from mayfly.library import Tools, Workshop
    from mayfly.promise import Promise
    from mayfly.session._calls import Observer
    from mayfly.session._perceive import Talker
    from mayfly.session.tools import AskPerson
    from mayfly.store.schema import AgentSchema

T = TypeVar("T")


class SessionRuntime(Protocol):
    """What a session needs of the runtime it works with, and closes at its end."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        ...

    @property
    def parts(self) -> Workshop:
        """The parts, the ledger among them."""
        ...

    @property
    def tools(self) -> Tools:
        """The library."""
        ...

    def plan(self, intent: str) -> Promise[Any]:
        """Return the tree that a request would take."""
        ...

    def run(self, intent: str, **options: Any) -> Outcome[Any]:
        """Write, prove and run an agent."""
        ...

    def close(self) -> None:
        """End its processes and connections."""
        ...


class RunningSession(Closing):
    """One conversation in one workspace: `turn` takes a request to its end, `close` ends all that it began."""

    def __init__(
        self,
        runtime: SessionRuntime,
        *,
        workspace: Path | None = None,
        model: str | None = None,
        resume: str | None = None,
        id: str = "",
        observe: Observer | None = None,
        ask: AskPerson | None = None,
    ) -> None:
        """Open a session, or with *resume* go on with one: "" is the last one of the workspace.

        With an *id* of the caller's own it is that session, begun or gone on with.
        """
        self.runtime, self.settings = runtime, runtime.settings
        settings = self.settings
        self.workspace = (workspace or Path.cwd()).resolve()
        self._observe = observe or (lambda _: None)
        self._ask = ask
        self._stop = Stop()
        self.id = self._found(resume) if resume is not None else id or f"s-{secrets.token_hex(4)}"
        self._secret_files = SecretFiles(self.workspace, state=settings.workbench_state, hidden=settings.state)
        own = self.runtime.parts.ledger
        # Whatever this session records, by whichever part of it, is without its secrets.
        ledger = own.hiding(own.secrets.tagged(tag_of(self.id), self._secret_files.values))
        self.desk = Desk(settings, ledger=ledger, workspace=self.workspace)
        self.approvals = open_approvals(settings, self.desk, ledger)
        self._claim = ledger.claim(self.id)
        self._ledger = ledger.fenced(self._claim.fence)
        self.log = SessionLog(self._ledger, self.id)
        name = model or settings.models.name or (self.log.began.model if self.log.began is not None else "")
        self._named = name or None
        self.model = self.runtime.parts.model(name) if name else None
        self._pool = self._new_pool(name)
        named = settings.session.mcp
        self._servers = McpServers.load(
            Path(named).expanduser() if named else settings.state / "mcp.json", settings.tools
        )
        self._agent_schema: AgentSchema | None = None
        self._schema_lock = threading.Lock()
        self._watcher = self.desk.watch()
        self._watcher.__enter__()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mayfly-session", daemon=True)
        self._thread.start()
        self._stager = Stager(settings, ledger)
        _, self._seen_staged = self._stager.changed_since(None)
        self.spawner = Spawner(
            ledger, settings.session, self._sub, parent=self.id, workspace=str(self.workspace), model=name
        )
        self._history = History(self.workspace, ledger=self._ledger, session=self.id)
        self.executor = self._executor(self.log, main=True)
        if self.log.began is None:
            self.log.add(SessionBegan(workspace=str(self.workspace), model=name))

    def turn(self, text: str) -> TurnEnded:
        """Take one request to the end of its turn; `stop` ends it from another thread or a signal."""
        self._follow_staged()
        return self._run(lambda: self.executor.execute(text))

    def go_on(self) -> TurnEnded | None:
        """Go on with the turn that an earlier process did not end; None where there is none."""
        if self.log.turn is None:
            return None
        return self._run(self.executor.resume)

    def stop(self) -> None:
        """End the turn that is under way; the session stays."""
        self._stop.cancel()

    def close(self) -> None:
        """End agents, processes and connections; what was said and done is in the ledger."""
        asyncio.run_coroutine_threadsafe(self.spawner.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._watcher.__exit__(None, None, None)
        self.executor.room.bench.close()
        self._servers.close()
        if self._agent_schema is not None:
            self._agent_schema.close()
        self.log.add(SessionEnded(status="parked", reason="closed"))
        self._claim.close()
        self.runtime.close()

    def _run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        self._stop = Stop()
        self.executor.room.stop = self._stop
        self.executor.parts.pool = ModelPool(parent=self._pool, stop=self._stop)
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result()

    def _found(self, wanted: str) -> str:
        """Return the id of the session that is meant: named, or the last of this workspace that a person began."""
        for log in reversed(sessions(self.runtime.parts.ledger)):
            began = log.began
            if began is None or (wanted and log.id != wanted) or (began.parent and not wanted):
                continue
            if wanted or began.workspace == str(self.workspace):
                return log.id
        named = f"no session {wanted}" if wanted else f"no session in {self.workspace}"
        raise InputError(f"there is {named}", fix="see: mayfly agents --all")

    def _new_pool(self, name: str) -> ModelPool:
        limits = self.settings.models
        return ModelPool(
            calls=self.settings.session.model_calls,
            input_tokens=limits.input_tokens,
            output_tokens=limits.output_tokens,
            money=limits.money,
            note=lambda event: self._ledger.append(event, subject=self.id).id,
        )

    def _talker(self) -> Talker:
        return self.model or OfflineTalker(lambda text: self.runtime.plan(text))

    def _executor(self, log: SessionLog, *, main: bool, config_for: SpawnRequest | None = None) -> Executor:
        room = Room(
            session=log.id,
            workspace=self.workspace,
            state=self.settings.workbench_state,
            bench=Workbench(
                self.workspace,
                state=self.settings.workbench_state,
                settings=self.settings.workbench,
                hidden=self.settings.state,
                owner=self.id,
            ),
            kernel=self.desk.kernel,
            approvals=self.approvals,
            stop=self._stop,
            history=self._history,
            grants=_grants(self.settings.session.hosts),
            secrets=self._ledger.secrets,
            secret_files=self._secret_files,
        )
        parts = SessionParts(
            settings=self.settings.session,
            desk=self.desk,
            configure=self._configure(config_for),
            kill=self.runtime.parts.switch.check,
            model=self._talker(),
            pool=self._pool,
            observe=self._observe if main else (lambda _: None),
        )
        parts.library = self._library(log.id)
        known = Registry(self._tools(room, main=main), library=partial(self.runtime.tools.capability, run=log.id))
        return Executor(parts, log, room, known)

    def _library(self, session: str) -> SessionLibrary:
        return SessionLibrary(self.runtime.tools, session, model=self._named, most=self.settings.library.offered)

    def _tools(self, room: Room, *, main: bool) -> list[Capability]:
        """Return what can be called in *room*; of what was staged a short while ago, a crash takes it back."""
        packages = self.runtime.parts.packages
        tools = session_tools(
            room,
            self._ledger,
            ask=self._ask if main else None,
            spawn=self._spawn if main else None,
            compile=self._compile,
            stage=self._stage,
            servers=self._servers,
            limits=self.settings.tools,
            library=self._library(room.session),
            install=lambda name, call: packages.install(name, by=room.session, stop=call.stop),
            schema=self._schema,
        )
        # What the host itself can do serves the offline reader; a model has the tools of its persona.
        taken = {one.name for one in tools}
        further = [one for one in builtins(self.settings) if self.model is None and one.name not in taken]
        return self._stager.watching([*tools, *further])

    def _stage(self, change: BuiltinChange, *, stop: Stop | None) -> str:
        said = self._stager.apply(change, stop=stop)
        self._follow_staged()
        return said

    def _follow_staged(self) -> None:
        """Take up what was staged or taken back since the last look, by whatever process."""
        changed, self._seen_staged = self._stager.changed_since(self._seen_staged)
        if not changed:
            return
        known = self.executor.tools
        for one in self._tools(self.executor.room, main=True):
            if one.name in changed and one.name in known:
                known.add(replace(one, version=known.get(one.name).version + 1))

    def _configure(self, wanted: SpawnRequest | None) -> Callable[..., AgentConfig]:
        def configure(personas: Sequence[str], verbs: Sequence[str], *, task: str) -> AgentConfig:
            verbs = (wanted.verb, *verbs) if wanted is not None and wanted.verb else verbs
            config = self.config_for(personas, verbs, task=task)
            # Tools of other servers are offered to everybody; the rules say for whose calls they are.
            others = [one.name for one in self._servers.capabilities()]
            config = replace(config, tools=tuple(dict.fromkeys((*config.tools, *others))))
            if self.model is not None:
                return config
            # Reading with what the host itself can do; what each asks for is still decided by the rules.
            offline = [one.name for one in builtins(self.settings) if one.effect == "none"]
            return replace(config, tools=tuple(dict.fromkeys((*config.tools, *offline))))

        return configure

    def config_for(self, personas: Sequence[str], verbs: Sequence[str] = (), *, task: str = "") -> AgentConfig:
        """Return the configuration of an agent for a task, by the rules and atoms of this moment."""
        context = detect_context(self.workspace, self.desk.snapshot)
        return self.desk.personas.configure(personas, verbs, context=context, request=task)

    def _sub(self, id: str, request: SpawnRequest) -> Executor:
        return self._executor(SessionLog(self._ledger.fenced(None), id), main=False, config_for=request)

    async def _spawn(self, *, task: str, name: str, kind: Any, verb: str, seconds: float | None) -> str:
        agent = await self.spawner.spawn(SpawnRequest(task=task, name=name, kind=kind, verb=verb, timeout=seconds))
        ended = await self.spawner.wait(agent)
        said = ended.text or f"it ended without a word: {ended.reason or ended.status}"
        return f"[agent {agent.id}: {ended.status}]\n{said}"

    def _schema(self) -> AgentSchema:
        """Return the database agents extend, opened when the first of them asks for it."""
        from mayfly.store.schema import AgentSchema

        with self._schema_lock:
            if self._agent_schema is None:
                self._agent_schema = AgentSchema(self._ledger, self.settings)
            return self._agent_schema

    def _compile(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        options: dict[str, Any] = {"examples": given.get("examples", ())}
        if "path" in given:
            options["lines"] = self.workspace / given["path"]
        elif "input" in given:
            options["input"] = given["input"]
        model = self.model.name if self.model is not None else None
        outcome = self.runtime.run(given["intent"], model=model, **options)
        return {
            "status": outcome.status,
            "value": outcome.value,
            "reason": outcome.reason,
            "id": outcome.id,
            "question": outcome.question,
        }


def _grants(hosts: str) -> tuple[str, ...]:
    named = [host.strip() for host in hosts.split(",") if host.strip()]
    return tuple(host if host.startswith(("tcp:", "net:")) else f"net:{host}" for host in named)
