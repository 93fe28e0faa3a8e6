"""`Workshop`: sandbox, gates, ledger and models, each made when it is first needed and once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mayfly import gates as gate

# The names of these are loaded when they are used: a known agent runs without what proves and asks models.
from mayfly import models
from mayfly.core import canonical_json
from mayfly.library import promotion as promoting
from mayfly.library._memo import Memo
from mayfly.sandbox import GrantedSandbox, Sandbox, only_reading
from mayfly.store import Cache, KillSwitch, Ledger, Seal

if TYPE_CHECKING:
    from mayfly.core import Settings, Stop
    from mayfly.gates import Again, Criteria, Gates, Judge, ProofOptions, Prover, Suite, TypeGate
    from mayfly.library._packages import Packages
    from mayfly.library.promotion import Promotion
    from mayfly.mangle import Symbol
    from mayfly.models import Answer, Backend, Model, ModelOptions, ModelPool, Purpose
    from mayfly.policy import Fact
    from mayfly.sandbox import PurchaseReply, PurchaseRequest
    from mayfly.store import Fence

T = TypeVar("T")


class Workshop:
    """Own what agents and tools are written, proven and called with; safe to share between threads.

    What comes from higher floors the runtime's own adds: buying, telemetry, the rules.
    """

    def __init__(self, settings: Settings, *, brief: bool = False, workspace: Path | None = None) -> None:
        """Take the settings; *workspace* is the directory that the grant fs:workspace opens."""
        self.settings = settings
        self._workspace = workspace
        self._brief = brief
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    def _once(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return cast("T", self._made[name])

    @property
    def ledger(self) -> Ledger:
        """The ledger of the settings."""
        return self._once("ledger", self._ledger)

    def _ledger(self) -> Ledger:
        ledger = Ledger.open(self.settings)
        if self.settings.market.strategy:
            from mayfly.store import name_strategy

            name_strategy(ledger, self.settings.market.strategy)
        return ledger

    @property
    def switch(self) -> KillSwitch:
        """The kill switch of the store."""
        return self._once("switch", lambda: KillSwitch(self.ledger, cache=self.settings.promise.kill_cache))

    @property
    def sandbox(self) -> Sandbox:
        """The one sandbox; its processes start with the first job."""
        return self._once("sandbox", self._sandbox)

    def _sandbox(self) -> Sandbox:
        return Sandbox(
            self.settings.sandbox,
            brief=self._brief,
            workspace=self._workspace,
            packages=lambda: self.packages.paths(),  # few jobs need them, so they are looked for when one does
            purchases=self.purchase,
        )

    def purchase(self, request: PurchaseRequest) -> PurchaseReply:
        """Buy for a job."""
        raise NotImplementedError("the runtime says who buys")

    def follow_from(self, facts: Iterable[Fact], goals: Sequence[Symbol]) -> dict[Symbol, list[tuple[Any, ...]]]:
        """Return what the rules in force derive for each of *goals* from *facts*."""
        raise NotImplementedError("the runtime says who asks the rules")

    @property
    def packages(self) -> Packages:
        """What agents had installed; a look at it opens no ledger."""
        from mayfly.library._packages import Packages

        return Packages(self.settings, ledger=lambda: self.ledger)

    @property
    def types(self) -> TypeGate:
        """The type gate; its server starts in the background once a compile is ahead."""
        gates = self.settings.gates
        options = gate.TypeOptions(memory=gates.type_memory, seconds=gates.type_timeout)
        cache = self.settings.state / "mypy-cache"
        return self._once(
            "types", lambda: gate.TypeGate(cache_dir=cache, options=options, beside=lambda: self.packages.paths())
        )

    @property
    def prover(self) -> Prover:
        """The prover, in the same sandbox as everything else."""
        return self._once("prover", lambda: gate.Prover(self.sandbox, self._proof_options()))

    def prover_for(self, grants: tuple[str, ...]) -> Prover:
        """Return the prover for programs with *grants*: those of them that only read hold while it proves."""
        reading = only_reading(grants)
        if not reading:
            return self.prover
        granted = GrantedSandbox(self.sandbox, reading)
        return self._once(f"prover {reading}", lambda: gate.Prover(granted, self._proof_options()))

    def _proof_options(self) -> ProofOptions:
        gates = self.settings.gates
        return gate.ProofOptions(
            mutants=gates.mutants,
            inputs=gates.inputs,
            timeout=min(gates.test_timeout, self.settings.sandbox.timeout),
            total_seconds=gates.adversary_seconds,
            memory=min(gates.adversary_memory, self.settings.sandbox.memory),
        )

    @property
    def criteria(self) -> Criteria:
        """The judge's criteria."""
        return self._once("criteria", lambda: gate.Criteria.load(self.settings.gates.criteria))

    @property
    def memo(self) -> Memo:
        """What is remembered."""
        return self._once("memo", self._memo)

    def _memo(self) -> Memo:
        library = self.settings.library
        return Memo(Cache(self.ledger, size=library.size, ttl=library.ttl), Seal.open(self.settings.state))

    @property
    def promotion(self) -> Promotion:
        """What is promoted, and how it comes there."""
        return self._once("promotion", self._promotion)

    def _promotion(self) -> Promotion:
        return promoting.Promotion(
            self.settings, self.ledger, memo=self.memo, switch=self.switch, follow_from=self.follow_from
        )

    @property
    def again(self) -> Again:
        """The gates that what was remembered passes again."""
        return self._once("again", gate.Again)

    def gates(self, model: Model | None = None, pool: ModelPool | None = None) -> Gates:
        """Return the gates, with *model* as a second judge where it serves that purpose."""
        if model is None or not model.serves("judge"):
            return self._once("gates", lambda: self._gates(self._judge(None)))
        return self._gates(self._judge(_Limited(model, pool)))

    def _judge(self, model: _Limited | None) -> Judge:
        return gate.Judge(self.criteria, model, reject=self.settings.gates.judge_reject)

    def _gates(self, judge: Judge) -> Gates:
        return gate.Gates(judge=judge, types=self.types, prover=self.prover, prover_for=self.prover_for)

    def keep_suite(self, tests: Suite) -> str:
        """Put tests where they are found again; a secret in an example of somebody's is not kept."""
        return self.ledger.put_blob(canonical_json(self.ledger.secrets.data(tests.to_json())).encode())

    def versions(self) -> dict[str, object]:
        """Return what an admission depends on beside the source: gate versions and criteria."""
        return {**gate.gate_versions(), "criteria": self.criteria.version}

    def model_named(self, name: str | None) -> str:
        """Return the model that is asked: *name*, or the one in the settings where none is named; empty for none."""
        return (self.settings.models.name if name is None else name) or ""

    def model(self, name: str, record: Path | None = None) -> Model:
        """Open the model called *name*, once."""
        return self._once(f"model {name} {record}", lambda: models.open_model(name, self._options(), record=record))

    @contextmanager
    def lent_model(self, backend: Backend) -> Iterator[str]:
        """Let a model that somebody brings along be asked in the body, under the name that is yielded."""
        name = f"{backend.name}#{os.urandom(4).hex()}"
        model = models.Model(backend, self._options())
        self._once(f"model {name} None", lambda: model)
        try:
            yield name
        finally:
            with self._lock:
                self._made.pop(f"model {name} None", None)
            model.close()

    def pool(self, run: str | None = None, stop: Stop | None = None, fence: Fence | None = None) -> ModelPool:
        """Return what one run may spend on models.

        The ledger knows of every call of *run* before it is made, and *stop* ends the one that is under way. For a
        run that another process has taken up, which the *fence* tells, no call is made.
        """
        limits = self.settings.models
        return models.ModelPool(
            stop=stop,
            note=None if run is None else lambda event: self.ledger.fenced(fence).append(event, subject=run).id,
            calls=limits.calls,
            input_tokens=limits.input_tokens,
            output_tokens=limits.output_tokens,
            money=limits.money,
        )

    def _options(self) -> ModelOptions:
        chosen = self.settings.models
        return models.ModelOptions(
            base_url=chosen.base_url,
            attempts=chosen.attempts,
            retry_delay=chosen.retry_delay,
            retry_factor=chosen.retry_factor,
            retry_after=chosen.retry_after,
            timeout=chosen.timeout,
            max_output=chosen.max_output,
            max_answer=chosen.max_answer,
            guard=self.switch.check,
        )

    def close(self) -> None:
        """End every process and connection; what is used afterwards is made again."""
        with self._lock:
            made, self._made = self._made, {}
        # The ledger last: whatever ends before it may still have something to record; and what that means goes out.
        last = ("ledger", "telemetry")
        for name in sorted(made, key=lambda name: last.index(name) if name in last else -1):
            if hasattr(made[name], "close"):
                made[name].close()


class _Limited:
    """A model whose answers are drawn from the pool of one run."""

    def __init__(self, model: Model, pool: ModelPool | None) -> None:
        self._model = model
        self._pool = pool

    def serves(self, purpose: Purpose) -> bool:
        return self._model.serves(purpose)

    def ask(self, purpose: Purpose, prompt: str, *, system: str, schema: type[T]) -> Answer[T]:
        return self._model.ask(purpose, prompt, system=system, schema=schema, pool=self._pool)
