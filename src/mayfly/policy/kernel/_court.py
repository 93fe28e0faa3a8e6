"""The court: a changed rule file is tried before it comes into force."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from mayfly import core
from mayfly.mangle import Name, Symbol, show_row, show_value
from mayfly.policy.kernel._decide import LIMITS, PENDING, name_text
from mayfly.policy.kernel._record import Recording
from mayfly.policy.kernel.facts import facts_of_action, symbol

if TYPE_CHECKING:
    from mayfly.core import Verdict
    from mayfly.mangle import Limits, Value
    from mayfly.policy.kernel._files import RuleFile
    from mayfly.policy.kernel._replay import ReplayOutcome
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel.facts import Fact

    Trial: TypeAlias = tuple[Recording, ReplayOutcome, ReplayOutcome]

ASK: Final = "probe:ask"
_WORKSPACE: Final = "/workspace"
_AGAINST: Final = (Symbol("policy_denies", 2), Symbol("policy_needs_approval", 2))
_PERSONAS: Final = (Symbol("verb_persona", 2), Symbol("default_persona", 2))


class Court:
    """Try changed rules on what was decided before and on standard questions."""

    def __init__(
        self,
        recordings: Callable[[], Iterable[Recording]] = tuple,
        *,
        limits: Limits = LIMITS,
        personas: int = 12,
        configured: Callable[[str], Iterable[Fact]] = lambda persona: (),
    ) -> None:
        self._recordings = recordings
        self._limits = limits
        self._most = personas
        # What a persona has, so that a changed rule is tried on those who may do something.
        self._configured = configured

    def hear(self, old: Snapshot, new: Snapshot, file: RuleFile, *, policy: bool = False) -> Verdict:
        """Say whether *file*, which makes *new* of *old*, may come into force; a policy is joined to the rules."""
        joined = (file.name,) if policy else ()
        trials: list[Trial] = []
        for trial in self._trials(old, new, joined):
            trials.append(trial)
            # Rules that cannot be evaluated once would fail slowly on every other question too.
            if (failed := _evaluates(trial)) is not None:
                return failed
        for verdict in (_asks(trials), _widens(trials, file), _empties(trials)):
            if verdict is not None:
                return verdict
        return core.Verdict(
            decision="accept", gate="court", code="COURT_OK", message=f"{file.name} changes nothing it may not"
        )

    def _trials(self, old: Snapshot, new: Snapshot, joined: tuple[str, ...]) -> Iterator[Trial]:
        from mayfly.policy.kernel._replay import replay

        for recording in (*self._probes(old), *self._recordings()):
            granted = _granted(recording, joined)
            others = tuple(name for name in recording.policies if name not in joined)
            before = replay(old, replace(granted, policies=others))
            after = replay(new, replace(granted, policies=(*others, *joined)), limits=self._limits)
            yield recording, before, after

    def _probes(self, snapshot: Snapshot) -> Iterator[Recording]:
        program = snapshot.program()
        model = program.evaluate((), goals=[goal for goal in _PERSONAS if goal in program.predicates])
        personas = dict.fromkeys(row[1] for goal in _PERSONAS for row in model.rows(goal))
        actors: list[tuple[Fact, ...]] = [
            ((symbol("asked_by"), (Name("/person"),)),),
            *(((symbol("acting"), (name,)), *self._facts_of(name)) for name in list(personas)[: self._most]),
        ]
        for number, probe in enumerate(_probes()):
            for actor in actors:
                yield _recording(number, probe, actor)

    def _facts_of(self, persona: Value) -> Iterable[Fact]:
        return self._configured(name_text(persona)) if isinstance(persona, Name) else ()


@cache
def _probes() -> tuple[Mapping[str, str], ...]:
    table = core.shipped_table(Path(__file__).with_name("probes.toml"))
    return (table["ask"], *table["action"])


def _recording(number: int, probe: Mapping[str, str], actor: Sequence[Fact]) -> Recording:
    id = ASK if number == 0 else f"probe:{number}"
    action, target, payload = probe["action"], probe["target"], probe.get("payload", "")
    facts = facts_of_action(action, target, payload, id=id, time=0, workspace=_WORKSPACE)
    given: Fact = (symbol("workspace"), (_WORKSPACE,))
    return Recording(id=id, kind="action", facts=(given, *actor, *facts), outcome="", policies=(), rules="")


def _granted(recording: Recording, policies: tuple[str, ...]) -> Recording:
    """Say that the acting agent has the policies under trial, before as after: only their rules are to differ."""
    facts = tuple((Symbol("granted_policy", 1), (name,)) for name in policies if name not in recording.policies)
    return replace(recording, facts=(*recording.facts, *facts))


def _reject(code: str, message: str, fix: str) -> Verdict:
    return core.Verdict(decision="reject", gate="court", code=code, message=message[:400], fix=fix)


def _evaluates(trial: Trial) -> Verdict | None:
    recording, before, after = trial
    if not after.failed or before.failed:
        return None
    reason = f"it cannot be evaluated on {_name(recording)}: {'; '.join(after.because)}"
    return _reject("COURT_FAILS", reason, "mend the rule named")


def _asks(trials: Sequence[Trial]) -> Verdict | None:
    for recording, before, after in trials:
        if recording.id == ASK and before.word == "permit" and after.word != "permit":
            reason = f"it forbids {_actor(recording)} to ask the user: {'; '.join(after.because)}"
            return _reject("COURT_SILENCES", reason, "leave /ask_user out of what is denied")
        if recording.id == ASK and (said := _against(after, recording) - _against(before, recording)):
            # The shipped rules would not listen, but who writes this does not know it.
            reason = f"it speaks against asking the user: {', '.join(sorted(said))}"
            return _reject("COURT_SILENCES", reason, "leave /ask_user out of what is denied")
    return None


def _against(outcome: ReplayOutcome, recording: Recording) -> set[str]:
    """Return what policies say against the action of *recording*."""
    asked = next((row[0] for name, row in recording.facts if name == PENDING), None)
    model = outcome.model
    found = () if model is None else ((name, row) for name in _AGAINST for row in model.rows(name))
    return {show_row(name, row) for name, row in found if row[0] == asked}


def _widens(trials: Sequence[Trial], file: RuleFile) -> Verdict | None:
    gives_tools = any(clause.head.predicate == "policy_tool" for clause in file.unit.clauses)
    for recording, before, after in trials:
        if before.word == "deny" and before.facts and after.word != "deny":
            # A policy may bring tools; whoever lacked one was refused for that, and only recordings know such cases.
            if gives_tools and not recording.id.startswith("probe:"):
                continue
            reason = f"{_name(recording)} was refused and would be {after.word}: {'; '.join(before.because)}"
            return _reject("COURT_WIDENS", reason, "what the shipped rules refuse stays refused")
    return None


def _empties(trials: Sequence[Trial]) -> Verdict | None:
    asking = _probes()[0]["action"]
    permitted = [after for asked, before, after in trials if before.word == "permit" and _action(asked) != asking]
    if permitted and all(after.word != "permit" for after in permitted):
        reason = f"nothing that was permitted would be any more, of {len(permitted)} questions"
        return _reject("COURT_EMPTIES", reason, "deny less")
    return None


def _name(recording: Recording) -> str:
    for name, row in recording.facts:
        if name.name == "pending_action":
            return f"{show_value(row[1])} {show_value(row[2])[:80]}"
        if name.name == "pending_change":
            return f"a set of changes with {show_value(row[0])[:80]}"
    return recording.id


def _action(recording: Recording) -> str:
    return next((show_value(row[1]) for name, row in recording.facts if name.name == "pending_action"), "")


def _actor(recording: Recording) -> str:
    acting = next((row[0] for name, row in recording.facts if name.name == "acting"), None)
    return acting.text.removeprefix("/") if isinstance(acting, Name) else "everybody"
