"""From a task to its outcome: a known or a new agent, run behind the wall, and its answer held to account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import UNSET, InputError, MayflyError, Outcome, shown
from mayfly.forge._execute import OTHER_ROWS, Within, execute
from mayfly.forge._known import find_again, needs_input, no_input
from mayfly.forge._question import TOLERATED, check_account
from mayfly.forge._spool import Spool
from mayfly.forge._spread import programs_for
from mayfly.forge._story import Collapse, collapse_of
from mayfly.sandbox import Ticket

if TYPE_CHECKING:
    from mayfly.core import Artifact
    from mayfly.forge._known import Compiled
    from mayfly.forge._story import Ran, Story
    from mayfly.forge._task import Task
    from mayfly.gates import RivalQuestion
    from mayfly.library import Workshop
    from mayfly.synthesis.records import Spread


# Asks about the files of a run on other machines, with the programs for parts of them.
AskSpread = Callable[["TaskRun", "Spread"], "Ran"]
# Nobody looks at more than this to say whether an answer is right.
_LOOKED_AT = 2000


@dataclass(frozen=True, kw_only=True)
class TaskRun:
    """One task that is done: with which parts, told to which story, and within which bounds its agent runs."""

    parts: Workshop
    task: Task
    story: Story
    within: Within
    # Asks about many files on other machines, where there are such.
    spread: AskSpread | None = None

    def resolve(self) -> Outcome[Any]:
        """Do the task; raise what stood in the way."""
        task, order = self.task, self.task.order
        if task.is_without_input and needs_input(self.parts, intent=order.intent):
            raise no_input()
        compiled, again = self.find_or_write()
        if order.has_nothing and (order.examples or task.signature):
            raise InputError("there is no input to run it on", fix="add --input FILE; to only write it: mayfly compile")
        # Only what was proven before is called again in a worker that is kept for it.
        held = compiled.proof.strength == "strong" or (compiled.proof.holds and not order.demand_strong)
        if not held and not order.accept_weak:
            raise self._weak(compiled, again=again)
        ran = self._execute_known(compiled) if again else self.execute(compiled, pinned=compiled.repeat)
        if ran is None or (again and _has_another_shape(compiled, ran)):
            # What was written for another file is not applied to this one: it is written again, for this one.
            self.parts.memo.forget(compiled.key)
            compiled, again = self._write(), False
            ran = self.execute(compiled, pinned=False)
        _check_answer(task, compiled, ran)
        if not again:
            compiled.remember(self.parts, task, self.story, not_understood=_not_understood(ran))
        return resolved(compiled, ran.value, self.story, cached=again, account=ran.account)

    def find_or_write(self) -> tuple[Compiled, bool]:
        """Return an agent, and whether it was found again."""
        self.story.began(self.task)
        self.parts.switch.check()
        found = find_again(self.parts, self.task, self.story)
        return found or self._write(), found is not None

    def _write(self) -> Compiled:
        # Imported where it is used: a known agent runs without what writes and proves.
        from mayfly.forge._compile import compile_task

        return compile_task(self.parts, self.task, self.story)

    def execute(self, compiled: Compiled, *, pinned: bool) -> Ran:
        """Run the agent; a run that gives no value is a `Collapse`."""
        self.story.check()
        ticket = self.within.ticket or Ticket()
        with self.story.stop.ending(ticket.cancel):
            story = self.story
            bounds = replace(self.within, ticket=ticket, run=story.id, progress=lambda part: story.tell("read", part))
            artifact, entry = compiled.artifact, compiled.entry
            programs = self._programs(artifact)
            if programs and self.spread:
                ran = self.spread(replace(self, within=bounds), programs)
            else:
                ran = execute(self.parts.sandbox, artifact, entry, self.task, within=bounds, pinned=pinned)
            if entry.data and self.task.given.check_unchanged():
                story.tell("grew", None)
        self.story.executed(artifact, ran)
        if not ran.result.ok:
            self.story.check()
            with suppress(MayflyError):  # whatever is wrong with what is promoted, the run has ended so
                self.parts.promotion.look_after(artifact.hash)
            raise Collapse.ran(ran.result)
        return ran

    def _programs(self, artifact: Artifact) -> Spread | None:
        """Return the programs for parts of the files, where these are on more than one machine; if not, say why."""
        if self.spread is None or not self.task.is_spread(self.parts.settings):
            return None
        found = programs_for(self.task, self.parts.settings, artifact)
        if isinstance(found, str):
            self.story.tell("alone", found)
            return None
        return found

    def _execute_known(self, compiled: Compiled) -> Ran | None:
        """Run an agent that was found again; None where it was written for another kind of input."""
        try:
            return self.execute(compiled, pinned=compiled.repeat)
        except Collapse as error:
            if error.code != OTHER_ROWS:
                raise
            return None

    def _weak(self, compiled: Compiled, *, again: bool) -> Collapse:
        """Say that too little speaks for a program; what it gives is a candidate, and it is remembered as it is.

        Nobody pays twice for the same question, and one answer may be all that is missing.
        """
        if not again:
            compiled.remember(self.parts, self.task, self.story)
        try:
            ran = self.execute(compiled, pinned=False)
        except Collapse as error:
            return weak_collapse(compiled, failed=error.reason)
        candidate = list(ran.value) if isinstance(ran.value, Spool) else ran.value
        return weak_collapse(compiled, candidate=candidate, about=_about(self.task, candidate))


def weak_collapse(
    compiled: Compiled,
    *,
    candidate: object = None,
    failed: str = "",
    about: RivalQuestion | None = None,
) -> Collapse:
    """Say what speaks for a program, what is missing, and what would settle it.

    Where rivals or mistakes leave something open, that is asked; elsewhere what *about* asks of the candidate.
    """
    proof, question = compiled.proof, compiled.question or about
    lacking = next((point.what for point in proof.open if point.kind == "classes"), "")
    if proof.holds:
        reason = f"the proof is not strong; open: {'; '.join(map(str, proof.open))}"
    else:
        reason = f"the proof is weak: {lacking or 'only what its author was shown speaks for the program'}"
    missing = "" if lacking else "add examples, "
    missing += "answer the question, " if question else ""
    reason += f"; {f'on this input {failed}; ' if failed else ''}{missing}or take the candidate (--accept-weak)"
    return Collapse(
        reason,
        "QUESTION" if question else "WEAK",
        question=question.text if question else None,
        proof=proof,
        source_hash=compiled.artifact.hash,
        asked=(question.input, question.answers) if question else None,
        candidate=candidate,
        reading=compiled.reading,
    )


def _about(task: Task, candidate: object) -> RivalQuestion | None:
    """Ask whether the candidate is right, of an input that a person can look at: the whole of it, or its first item."""
    input = UNSET if task.order.lines is not None else task.order.input
    if task.each and task.sample and isinstance(candidate, list) and candidate:
        input, candidate = task.sample[0], candidate[0]
    if input is UNSET or len(shown(input, _LOOKED_AT + 1)) > _LOOKED_AT or len(shown(candidate)) > _LOOKED_AT:
        return None
    # What proves is not loaded for a known agent that is only run again.
    from mayfly.gates import RivalQuestion

    text = f"is it right that {shown(input, _LOOKED_AT)} gives {shown(candidate)}?"
    return RivalQuestion(input=input, answers=(candidate,), text=text)


def _has_another_shape(compiled: Compiled, ran: Ran) -> bool:
    """Say whether a remembered agent understood clearly less of this input than of the one it was written for."""
    then = cast("float", compiled.artifact.provenance.get("not_understood", 0.0))
    return _not_understood(ran) > then + TOLERATED


def _not_understood(ran: Ran) -> float:
    """Return the share of lines that an agent did not understand."""
    account = ran.account
    if account is None:
        return 0.0
    return cast("int", account["not_understood"]) / max(1, cast("int", account["lines"]))


def _check_answer(task: Task, compiled: Compiled, ran: Ran) -> None:
    """Hold an answer to the account of its lines."""
    try:
        if ran.account is not None:
            check_account(ran.account, task.order.bad_lines, ran.value)
    except Collapse as error:
        error.about["reading"] = compiled.reading
        raise


def resolved(
    compiled: Compiled,
    value: object,
    story: Story,
    *,
    cached: bool,
    account: Mapping[str, object] | None = None,
) -> Outcome[Any]:
    """Say that *value* was proven."""
    outcome = Outcome(
        status="resolved",
        value=value,
        reason=f"{'cached, ' if cached else 'promoted, ' if compiled.promoted else ''}proof {compiled.proof.strength}",
        id=story.id,
        proof=compiled.proof,
        cost=story.cost(),
        cached=cached,
        source_hash=compiled.artifact.hash,
        reading=compiled.reading,
        account=account,
    )
    story.resolved(outcome, kept=compiled.kept)
    return outcome


def collapsed(error: Exception, story: Story, parts: Workshop, *, intent: str, ground: object = None) -> Outcome[Any]:
    """Say that *ground* is given, and why."""
    collapse = collapse_of(error)
    outcome = Outcome(
        status="collapsed" if isinstance(error, (MayflyError, Collapse)) else "failed",
        value=ground,
        reason=collapse.reason,
        id=story.id,
        cost=story.cost(),
        code=collapse.code,
        **collapse.about,
    )
    if collapse.asked is not None:
        story.tell("question", collapse.asked)
    story.collapsed(outcome, intent, error, parts, collapse.asked)
    return outcome


@contextmanager
def recorded_live(parts: Workshop, story: Story) -> Iterator[None]:
    """Put each step of the story into the ledger when it happens; whoever looks sees that the run is under way."""
    with parts.ledger.claim(story.id) as claim:
        story.fence = claim.fence
        story.record_live(lambda: story.keep(parts.ledger))
        yield
