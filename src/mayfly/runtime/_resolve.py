"""Find or write an agent, run it behind the wall in bounded memory, and say how that ended."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import UNSET, InputError, MayflyError, Outcome, parse_python, shown
from mayfly.forge import (
    TOLERATED,
    Collapse,
    Ran,
    agree,
    check_account,
    collapse_of,
    find_again,
    needs_input,
    no_input,
    size_of,
)
from mayfly.gates import adapted
from mayfly.gates.stability import importable
from mayfly.promise.split import SPOOL_AT, Spool, collect
from mayfly.sandbox import Result, Spender, Ticket

if TYPE_CHECKING:
    from mayfly.core import Artifact
    from mayfly.forge import Compiled, Ran, Story, Task
    from mayfly.gates import Entry, RivalQuestion
    from mayfly.runtime._parts import Parts
    from mayfly.sandbox import Lane, Sandbox, Ticket


# Nobody looks at more than this to say whether an answer is right.
_LOOKED_AT = 2000


def written(parts: Parts, task: Task, story: Story) -> tuple[Compiled, bool]:
    """Return an agent, and whether it was found again."""
    story.began(task)
    parts.switch.check()
    found = find_again(parts, task, story)
    return found or _compile(parts, task, story), found is not None


def _compile(parts: Parts, task: Task, story: Story) -> Compiled:
    # Imported where it is used: a known agent runs without what writes and proves.
    from mayfly.forge import compile_task

    return compile_task(parts, task, story)


def resolve_task(parts: Parts, task: Task, story: Story, within: Within) -> Outcome[Any]:
    """Do the task; raise what stood in the way."""
    order = task.order
    if task.is_without_input and needs_input(parts, intent=order.intent):
        raise no_input()
    compiled, again = written(parts, task, story)
    if order.has_nothing and (order.examples or task.signature):
        raise InputError("there is no input to run it on", fix="add --input FILE; to only write it: mayfly compile")
    # Only what was proven before is called again in a worker that is kept for it.
    held = compiled.proof.strength == "strong" or (compiled.proof.holds and not order.demand_strong)
    if not held and not order.accept_weak:
        raise _weak(parts, task, compiled, story, within, again=again)
    ran = executed(parts, task, compiled, story, within, pinned=compiled.repeat)
    if again and _has_another_shape(compiled, ran):
        # What was written for another file is not applied to this one: it is written again, for this one.
        parts.memo.forget(compiled.key)
        compiled = _compile(parts, task, story)
        again = False
        ran = executed(parts, task, compiled, story, within, pinned=False)
    _check_answer(task, compiled, ran)
    if not again:
        compiled.remember(parts, task, story, not_understood=_not_understood(ran))
    return resolved(compiled, ran.value, story, cached=again, account=ran.account)


def _weak(parts: Parts, task: Task, compiled: Compiled, story: Story, within: Within, *, again: bool) -> Collapse:
    """Say that too little speaks for a program; what it gives is a candidate, and it is remembered as it is.

    Nobody pays twice for the same question, and one answer may be all that is missing.
    """
    if not again:
        compiled.remember(parts, task, story)
    try:
        ran = executed(parts, task, compiled, story, within, pinned=False)
    except Collapse as error:
        return weak_collapse(compiled, failed=error.reason)
    candidate = list(ran.value) if isinstance(ran.value, Spool) else ran.value
    return weak_collapse(compiled, candidate=candidate, about=_about(task, candidate))


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
    """Hold an answer to the account of its lines, and against the independent reading of them where there is one."""
    try:
        if ran.account is not None:
            check_account(ran.account, task.order.bad_lines, ran.value)
        if compiled.expected is not UNSET and not agree(compiled.expected, ran.value):
            raise Collapse(
                "the program and an independent reading of the same lines give different answers", "DISAGREE"
            )
    except Collapse as error:
        error.reading = compiled.reading
        raise


def executed(parts: Parts, task: Task, compiled: Compiled, story: Story, within: Within, *, pinned: bool) -> Ran:
    """Run the agent; a run that gives no value is a `Collapse`."""
    story.check()
    ticket = within.ticket or Ticket()
    with story.stop.ending(ticket.cancel):
        bounds = replace(within, ticket=ticket, run=story.id)
        ran = execute(parts.sandbox, compiled.artifact, compiled.entry, task, within=bounds, pinned=pinned)
    story.executed(compiled.artifact, ran)
    if not ran.result.ok:
        story.check()
        with suppress(MayflyError):  # whatever is wrong with what is promoted, the run has ended so
            parts.promotion.look_after(compiled.artifact.hash)
        raise Collapse.ran(ran.result)
    return ran


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


def collapsed(error: Exception, story: Story, parts: Parts, *, intent: str, ground: object = None) -> Outcome[Any]:
    """Say that *ground* is given, and why."""
    collapse = collapse_of(error)
    outcome = Outcome(
        status="collapsed" if isinstance(error, (MayflyError, Collapse)) else "failed",
        value=ground,
        reason=collapse.reason,
        id=story.id,
        proof=collapse.proof,
        cost=story.cost(),
        question=collapse.question,
        source_hash=collapse.source_hash,
        code=collapse.code,
        reading=collapse.reading,
        readings=collapse.offers,
        account=collapse.account,
        candidate=collapse.candidate,
    )
    if collapse.asked is not None:
        story.tell("question", collapse.asked)
    story.collapsed(outcome, intent, error, parts, collapse.asked)
    return outcome


@contextmanager
def recorded_live(parts: Parts, story: Story) -> Iterator[None]:
    """Put each step of the story into the ledger when it happens; whoever looks sees that the run is under way."""
    with parts.ledger.claim(story.id) as claim:
        story.fence = claim.fence
        story.record_live(lambda: story.keep(parts.ledger))
        yield


CHUNK = 64 * 1024 * 1024
PART_IN_MEMORY = 256 * 1024

# What an agent yields for one item is the list of it, as it was in the proof.
_EACH = """

def _mayfly_each(items):
    for item in items:
        value = _mayfly_one(item)
        yield list(value) if hasattr(type(value), "__next__") else value


def _mayfly_one(item):
    made = {name}
    return made().invoke(item) if isinstance(made, type) else made(item)
"""
# Where anything in the source is async, the items are too: the sandbox drives all of them in one event loop, which the
# source could not, since it may not import asyncio. It costs a turn of the loop for each item, so others do without.
_EACH_AWAITED = """

async def _mayfly_each(items):
    for item in items:
        value = _mayfly_one(item)
        if hasattr(type(value), "__await__"):
            value = await value
        if hasattr(type(value), "__anext__"):
            value = [inner async for inner in value]
        yield list(value) if hasattr(type(value), "__next__") else value


def _mayfly_one(item):
    made = {name}
    return made().invoke(item) if isinstance(made, type) else made(item)
"""


@dataclass(frozen=True, kw_only=True)
class Within:
    """Bound one execution: *seconds* for each 64 MiB of a file, *most* in all; the *ticket* can end it.

    What it buys is bought in the name of *run*.
    """

    seconds: float
    most: float | None = None
    ticket: Ticket | None = None
    # The run in whose name something may be bought.
    run: str = ""

    @property
    def spender(self) -> Spender:
        """Who buys: the run, which one cap holds for with all its leaves, with a program that has no name."""
        return Spender(agent=self.run.partition("/")[0], run=self.run)

    def of(self, size: int) -> float:
        """Return the seconds for an input of *size* bytes."""
        seconds = self.seconds * (1 + size // CHUNK)
        return seconds if self.most is None else min(seconds, self.most)


def execute(box: Sandbox, artifact: Artifact, entry: Entry, task: Task, *, within: Within, pinned: bool = False) -> Ran:
    """Call the agent; time grows with the size of a file."""
    source, name = adapted(artifact.source, entry)
    if task.each:
        source += (_EACH_AWAITED if _has_async(source) else _EACH).format(name=name)
        name = "_mayfly_each"
    imports = importable(task.profile)
    accounts = artifact.provenance.get("accounts")
    if task.order.lines is not None or task.each or entry.generator:
        return _without_account(_streamed(box, source, name, task, imports, within, accounts), accounts)
    argument = task.records if accounts else None if task.order.input is UNSET else task.order.input
    lane: Lane = "pinned" if pinned else "one-shot"
    result = box.run(
        source,
        name,
        argument,
        imports=imports,
        grants=task.profile.grants,
        timeout=within.of(0),
        lane=lane,
        tenant="run",
        ticket=within.ticket,
        spender=within.spender,
    )
    return _without_account(Ran(result=result, value=result.value), accounts)


def _has_async(source: str) -> bool:
    # The word decides first: most sources have none, and need not be parsed.
    return "async" in source and any(isinstance(node, ast.AsyncFunctionDef) for node in ast.walk(parse_python(source)))


def _without_account(ran: Ran, accounts: object) -> Ran:
    """Part the answer of an agent that accounts for its lines from the account."""
    if accounts == "value" and isinstance(ran.value, dict) and ran.value.keys() == {"value", "account"}:
        return replace(ran, value=ran.value["value"], account=ran.value["account"])
    return ran


class _HeldBack:
    """Pass on all items of a stream but the last, which is the account of the others."""

    def __init__(self, stream: Iterable[object]) -> None:
        self._stream = stream
        self.last: object = None

    def __iter__(self) -> Iterator[object]:
        held: list[object] = []
        for item in self._stream:
            if held:
                yield held.pop()
            held.append(item)
        self.last = held[0] if held else None


def _streamed(
    box: Sandbox,
    source: str,
    name: str,
    task: Task,
    imports: frozenset[str] | None,
    within: Within,
    accounts: object,
) -> Ran:
    argument = None if task.order.input is UNSET or task.order.lines is not None else task.order.input
    if accounts and task.order.lines is None:
        argument = task.records
    timeout = within.of(size_of(task.order.lines) if task.order.lines else 0)
    with box.stream(
        source,
        name,
        argument,
        imports=imports,
        grants=task.profile.grants,
        timeout=timeout,
        lines=task.order.lines,
        ticket=within.ticket,
        spender=within.spender,
    ) as stream:
        # There are many parts at once, and nobody looks at one of them before all are joined.
        pieces = _HeldBack(stream) if accounts == "stream" else stream
        items = collect(pieces, limit=PART_IN_MEMORY if task.origin else SPOOL_AT)
    result = stream.result or Result(status="died", error="the stream ended without a result")
    if isinstance(pieces, _HeldBack) and result.ok and isinstance(pieces.last, dict):
        return Ran(result=result, value=items, items=len(items), account=pieces.last.get("account"))
    # Without items it was no generator: the one value came with the end of the stream.
    return Ran(result=result, value=items, items=len(items)) if len(items) else Ran(result=result, value=result.value)
