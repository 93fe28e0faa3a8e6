"""`Story`: what happens in a run, told to an observer at once and to the ledger; `Collapse`: why it ended in ground."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from mayfly import gates
from mayfly.core import UNSET, Cost, HelpNeeded, MayflyError, Stop
from mayfly.forge._events import (
    AgentCached,
    AgentCollected,
    AgentCreated,
    AgentExecuted,
    ForgeReflected,
    ForgeWrote,
    RunBegan,
    RunCollapsed,
    RunResolved,
)
from mayfly.forge._inbox import Inbox, request_of
from mayfly.forge._request import CannotWrite
from mayfly.store import as_payload

if TYPE_CHECKING:
    from mayfly.core import Artifact, Offer, Outcome, Proof
    from mayfly.forge._request import Attempt
    from mayfly.forge._task import Task
    from mayfly.gates import Admission
    from mayfly.library import Workshop
    from mayfly.models import ModelPool
    from mayfly.sandbox import Result
    from mayfly.store import Fence, Ledger, Payload


Observer = Callable[[str, Any], None]
# An input that somebody is asked about, and the answers it may have.
Asked = tuple[object, tuple[object, ...]]
LONGEST = 2000


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How the execution of an agent ended, and what came of it."""

    result: Result
    value: object
    items: int | None = None
    # How many lines were used, filtered out and not understood, where the agent says so.
    account: Mapping[str, object] | None = None


class Story:
    """Collect the events of one run and tell the observer."""

    def __init__(
        self,
        id: str,
        observer: Observer | None,
        *,
        stop: Stop | None = None,
        fence: Fence | None = None,
        strategy: str = "",
    ) -> None:
        self.id = id
        self.fence = fence
        self.strategy = strategy
        self.stop = stop or Stop()
        self.sandbox_seconds = 0.0
        self.pool: ModelPool | None = None
        self.task: Task | None = None
        self._observer = observer
        self._events: list[Payload] = []
        self._began = time.monotonic()
        self._attempt = 1
        self._record: Callable[[], None] | None = None

    def record_live(self, record: Callable[[], None]) -> None:
        """Have each step recorded by *record* when it happens."""
        self._record = record

    def check(self) -> None:
        """End the run here if it has to end."""
        if self.stop.cancelled:
            raise Collapse("cancelled", "CANCELLED")

    def tell(self, what: str, about: Any) -> None:
        """Hand something to whoever watches; a watcher that fails does not end the run."""
        if self._record is not None and self._events:
            self._record()
        if self._observer is not None:
            self._observer(what, about)

    def add(self, event: Payload) -> None:
        """Keep one event for the ledger."""
        self._events.append(event)

    def take(self) -> list[Payload]:
        """Return the events not yet recorded."""
        taken, self._events = self._events, []
        return taken

    def keep(self, ledger: Ledger) -> None:
        """Put the story into the ledger; one that cannot be written is told to the observer and changes nothing."""
        try:
            ledger.fenced(self.fence).append_many(self.take(), subject=self.id)
        except MayflyError as error:
            self.tell("unrecorded", str(error))

    def cost(self) -> Cost:
        """Return what was spent so far."""
        used = self.pool.used if self.pool else Cost()
        return used + Cost(seconds=round(time.monotonic() - self._began, 6))

    def began(self, task: Task) -> None:
        """Say what was asked."""
        self.task, order = task, task.order
        given = "nothing" if order.input is UNSET else "a value"
        self.add(
            RunBegan(
                intent=order.intent[:LONGEST],
                tier=task.profile.tier.value,
                depth=task.profile.depth,
                model=order.model or None,
                examples=len(order.examples),
                input=task.origin or (str(order.lines) if order.lines else given),
                grants=task.profile.grants,
                strategy=self.strategy,
            )
        )
        self.tell("began", (self.id, task, order.model or None))

    def watch(self, what: str, about: Any) -> None:
        """Follow the forge: what it wrote, what the gates said, what was thought about it; it may have to end here."""
        if what == "wrote":
            self._attempt, artifact = about
            self._wrote(artifact)
        elif what == "judged":
            self._judged(about)
        elif what == "reflected":
            self._reflected(about)
        self.tell(what, about)
        self.check()

    def _wrote(self, artifact: Artifact) -> None:
        self.add(
            ForgeWrote(
                attempt=self._attempt,
                author=artifact.author,
                source_hash=artifact.hash,
                lines=len(artifact.source.splitlines()),
                entropy_remaining=round(self.task.profile.entropy / self._attempt, 3) if self.task else 0.0,
                provenance=json.loads(json.dumps(dict(artifact.provenance), default=str)),
            )
        )

    def _judged(self, admission: Admission) -> None:
        hash = admission.artifact.hash
        self.sandbox_seconds += admission.milliseconds.get("proof", 0.0) / 1000
        took = dict(admission.milliseconds)
        self._events += [
            gates.GateJudged.of(
                verdict, source_hash=hash, attempt=self._attempt, milliseconds=took.pop(verdict.gate, None)
            )
            for verdict in admission.verdicts
        ]

    def _reflected(self, attempt: Attempt) -> None:
        if attempt.reflection is None:
            return
        self.add(
            ForgeReflected(
                attempt=attempt.number,
                root_cause=attempt.reflection.root_cause[:LONGEST],
                suggestions=tuple(text[:LONGEST] for text in attempt.reflection.suggestions),
                confidence=attempt.reflection.confidence,
                failing=tuple(text[:LONGEST] for text in attempt.reflection.failing),
            )
        )

    def created(self, admission: Admission, attempts: int) -> None:
        """Say that an agent was admitted."""
        artifact = admission.artifact
        self.add(
            AgentCreated(
                source_hash=artifact.hash,
                author=artifact.author,
                lines=len(artifact.source.splitlines()),
                attempts=attempts,
                repairs=admission.repairs,
                milliseconds=round(sum(admission.milliseconds.values()), 3),
            )
        )

    def cached(self, artifact: Artifact, key: str, *, hit: bool) -> None:
        """Say that an agent is remembered, or was found again."""
        self.add(AgentCached(source_hash=artifact.hash, key=key, hit=hit))
        self.tell("cached", (artifact, hit))

    def executed(self, artifact: Artifact, ran: Ran) -> None:
        """Say how the execution ended."""
        result = ran.result
        self.sandbox_seconds += result.milliseconds / 1000
        self.add(
            AgentExecuted(
                source_hash=artifact.hash,
                status=result.status,
                level=result.level,
                lane=result.lane,
                milliseconds=round(result.milliseconds, 3),
                items=ran.items,
                error=result.error[:LONGEST] if result.error else None,
            )
        )
        self.tell("executed", ran)

    def resolved(self, outcome: Outcome[Any], *, kept: bool) -> None:
        """Say that the value was proven."""
        self.add(AgentCollected(source_hash=outcome.source_hash or "", kept=kept))
        self.add(run_ended(outcome))
        self.tell("ended", outcome)

    def collapsed(
        self, outcome: Outcome[Any], intent: str, error: Exception, parts: Workshop, asked: Asked | None = None
    ) -> None:
        """Say that ground was given, and why; a call for help goes to the inbox, and so does a question."""
        self.add(run_ended(outcome, intent=intent, depth=self.task.profile.depth if self.task else 1))
        if asked is not None and outcome.question:
            self._ask_for_help(_question(asked, outcome, intent), parts)
        elif isinstance(error, HelpNeeded):
            self._ask_for_help(error, parts)
        self.tell("ended", outcome)

    def _ask_for_help(self, error: HelpNeeded, parts: Workshop) -> None:
        task = self.task
        if task is None:
            return
        try:
            Inbox(parts.ledger).ask(error, run=self.id, request=request_of(task.order, origin=task.origin))
        except MayflyError as fault:
            self.tell("unrecorded", str(fault))


def run_ended(outcome: Outcome[Any], *, intent: str = "", depth: int = 0) -> RunResolved | RunCollapsed:
    """Return the event with which a run ends; what was asked is said again where ground was given."""
    cost = outcome.cost
    told: dict[str, Any] = {
        "seconds": round(cost.seconds, 6),
        "model_calls": cost.model_calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "money": cost.money.dollars,
        "reason": outcome.reason[:LONGEST],
        "reading": outcome.reading[:LONGEST] or None,
        "account": as_payload(outcome.account),
    }
    if outcome.resolved:
        return RunResolved(cached=outcome.cached, source_hash=outcome.source_hash, **told)
    return RunCollapsed(
        intent=intent[:LONGEST],
        depth=depth,
        code=outcome.code,
        ground_value=as_payload(outcome.value),
        status=outcome.status,
        question=outcome.question[:LONGEST] if outcome.question else None,
        readings=tuple(offer.reading[:LONGEST] for offer in outcome.readings),
        **told,
    )


def _question(asked: Asked, outcome: Outcome[Any], intent: str) -> HelpNeeded:
    """Return a question about one input as a call for help that one answer settles."""
    input, answers = asked
    context = {"question": outcome.question or "", "asked": json.dumps([as_payload(input), as_payload(list(answers))])}
    return HelpNeeded("proof", intent, 0, outcome.question or "", context)


MACHINE = "MACHINE"


class About(TypedDict, total=False):
    """What is known about a run that ends in ground, by the names its outcome has for it."""

    question: str | None
    proof: Proof | None
    source_hash: str | None
    readings: tuple[Offer, ...]
    account: Mapping[str, object] | None
    candidate: object
    reading: str


class Collapse(Exception):
    """End a run in ground; never seen outside the runtime unless the caller asked for it."""

    def __init__(self, reason: str, code: str, *, asked: Asked | None = None, **about: Unpack[About]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code
        self.asked = asked
        self.about = about

    @classmethod
    def ran(cls, result: Result) -> Collapse:
        """Say how the execution ended."""
        if result.status == "refused" and result.level == "none":
            return cls(result.error or "this machine gives no sandbox", MACHINE)
        words = {"timeout": "it took too long", "memory": "it needed too much memory", "died": "it died"}
        reason = f"{words.get(result.status, 'it failed')}: {result.error or 'no reason given'}"
        return cls(reason, f"RUN_{result.status.upper()}")


def collapse_of(error: Exception) -> Collapse:
    """Return why *error* ends a run."""
    if isinstance(error, Collapse):
        return error
    if isinstance(error, HelpNeeded):
        reason = (
            f"{error.last_error or 'no attempt was admitted'} (after {error.attempts} attempts; help was asked for)"
        )
        return Collapse(reason, error.code)
    if isinstance(error, CannotWrite):
        code = "QUESTION" if error.question else error.code
        return Collapse(str(error), code, question=error.question, asked=error.asked, readings=error.offers)
    if isinstance(error, MayflyError):
        return Collapse(str(error), error.code)
    return Collapse(f"unexpected {type(error).__name__}: {error}", "UNEXPECTED")
