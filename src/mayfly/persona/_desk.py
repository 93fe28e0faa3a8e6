"""`Desk`: settings, ledger, key and rule files joined to say who does what, whether it may, and which grants hold."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly import language, mangle
from mayfly import policy as rules_of
from mayfly.core import InputError
from mayfly.mangle import Limits, Symbol
from mayfly.policy import Appeals, Caps, Court, Kernel, Programs, Review, Rulebook, recordings
from mayfly.store import Seal, SealedFiles

if TYPE_CHECKING:
    from mayfly.core import Intent, Settings
    from mayfly.language import Lexicon, Request
    from mayfly.mangle import Why, WhyNot
    from mayfly.persona._personas import AgentConfig, Personas
    from mayfly.persona._shelf import Shelf
    from mayfly.policy import (
        DecisionDifference,
        Fact,
        PolicyOverridden,
        Proposed,
        Recording,
        Route,
        Snapshot,
        Watcher,
    )
    from mayfly.store import Ledger


_HOST = re.compile(r"[\w.:\[\]-]+")


class Understood(NamedTuple):
    """What a text asks for, and who takes it on."""

    request: Request
    route: Route


class Desk:
    """Answer who does what and whether it may be done, by the rules in force in one workspace."""

    def __init__(
        self, settings: Settings, *, ledger: Ledger | None, workspace: Path | None = None, rules: Sequence[Path] = ()
    ) -> None:
        policy = settings.policy
        self._settings = settings
        self._ledger = ledger
        self._limits = Limits(facts=policy.facts, seconds=policy.seconds)
        self.workspace = workspace or Path.cwd()
        self._shelf: Shelf | None = None
        self._personas: Personas | None = None
        self._of: tuple[str, str] = ("", "")
        self.rulebook = Rulebook(
            extra=(*rules, *_paths(policy.rules), settings.state / "rules"),
            policies=(settings.state / "policies",),
            workspace=self.workspace,
            court=Court(
                lambda: recordings(ledger) if ledger is not None else (),
                limits=self._limits,
                configured=self._granted_to,
            ),
            ledger=ledger,
            kept=Programs(SealedFiles(settings.state.absolute(), "rules-cache")),
        )
        self._lexicon: tuple[str, Lexicon] | None = None

    @property
    def snapshot(self) -> Snapshot:
        """The rules in force now."""
        return self.rulebook.snapshot

    @property
    def shelf(self) -> Shelf:
        """The atoms of which personas and their prompts are made, read when they are first wanted."""
        if self._shelf is None:
            from mayfly.persona._shelf import Shelf

            self._shelf = Shelf(self._settings.state)
        return self._shelf

    @property
    def personas(self) -> Personas:
        """Who there is and what each has, by the atoms and rules of this moment."""
        stock, snapshot = self.shelf.stock, self.snapshot
        key = (stock.hash, snapshot.hash)
        if self._personas is None or self._of != key:
            from mayfly.persona._personas import Personas

            self._personas = Personas(stock, snapshot, settings=self._settings.persona)
            self._of = key
        return self._personas

    @property
    def lexicon(self) -> Lexicon:
        """The verbs of the rules in force."""
        snapshot = self.snapshot
        if self._lexicon is None or self._lexicon[0] != snapshot.hash:
            program = snapshot.program()
            known = [symbol for symbol in rules_of.LEXICON if symbol in program.predicates]
            model = program.evaluate(goals=known, limits=self._limits, record=False)
            facts = ((symbol, row) for symbol in known for row in model.rows(symbol))
            self._lexicon = snapshot.hash, rules_of.lexicon_of(facts)
        return self._lexicon[1]

    def follow_from(self, facts: Iterable[Fact], goals: Sequence[Symbol]) -> dict[Symbol, list[tuple[Any, ...]]]:
        """Return what the rules in force derive for each of *goals* from *facts*."""
        model = self.snapshot.program().evaluate(facts, goals=goals, limits=self._limits, record=False)
        return {goal: list(model.rows(goal)) for goal in goals}

    def keep(self) -> None:
        """Keep the compiled rules in force for the next process."""
        self.snapshot.keep()

    def understand(self, text: str, *, session: str | None = None) -> Understood:
        """Read *text* without a model, and route it."""
        request = language.read(text, self.lexicon)
        return Understood(request, self.kernel(session=session).route(rules_of.facts_of(request), said=text))

    def route(self, intents: Sequence[Intent], *, said: str, session: str | None = None) -> Route:
        """Route what somebody else read in *said*, such as a model."""
        return self.kernel(session=session).route(rules_of.facts_of_intents(intents), said=said)

    def kernel(
        self, *, persona: str | None = None, facts: Iterable[Fact | str] = (), session: str | None = None
    ) -> Kernel:
        """Return what decides for one agent: its persona's tools and policies and its facts, by what holds now.

        An unknown persona is an error.
        """
        granted: Sequence[Fact] = () if persona is None else self.personas.facts(persona)
        policies = () if persona is None else self.personas.policies(persona)
        return self._kernel_for(persona, (*granted, *facts), policies, session=session)

    def _kernel_for(
        self, persona: str | None, facts: Iterable[Fact | str], policies: Sequence[str], *, session: str | None
    ) -> Kernel:
        return Kernel(
            self.snapshot,
            workspace=self.workspace,
            ledger=self._ledger,
            persona=persona,
            policies=policies,
            session=(*self._standing(), *facts),
            session_id=session,
            appeals=self._appeals(),
            review=self._review(),
            limits=self._limits,
            caps=self._caps(),
            removals=self._settings.policy.removals,
        )

    def agent(self, config: AgentConfig, *, session: str, only_asked: bool = False) -> Kernel:
        """Return what decides for an agent with a configuration of its own, by what holds now."""
        facts: list[Fact | str] = [*config.facts(), *(["only_asked()."] if only_asked else [])]
        return self._kernel_for("_and_".join(config.personas) or None, facts, config.policies, session=session)

    def propose(self, lines: Iterable[str], *, subject: str, already: int = 0) -> Proposed:
        """Sift facts that a model proposes in one turn; what is refused is recorded with the reason."""
        most = self._settings.policy.proposals
        return rules_of.propose(lines, ledger=self._ledger, subject=subject, already=already, most=most)

    def approve(self, decision: str, *, by: str, reason: str, seconds: float | None = None) -> PolicyOverridden:
        """Approve exactly the action of a recorded decision for a time."""
        lasting = self._settings.policy.approval if seconds is None else seconds
        appeals = self._appeals()
        assert appeals is not None, "approving needs a ledger"
        return appeals.appeal(decision, by=by, reason=reason, ttl=lasting)

    def simulate(self, changed: Sequence[Path], *, last: int = 200) -> tuple[int, list[DecisionDifference]]:
        """Try what was recorded under changed rules: how much was tried, and what would come out otherwise."""
        told = list(recordings(self._ledger, last=last)) if self._ledger is not None else []
        return len(told), rules_of.simulate(self.snapshot, self.rulebook.changed(changed), told)

    def explain(self, goal: str, *, of: str | None = None) -> list[Why | WhyNot]:
        """Say why a goal holds or not, from the facts of a recorded question: *of*, or the last one it can be about.

        A goal is an atom, or the name of a predicate alone for all that holds of it.
        """
        snapshot = self.snapshot
        declared = snapshot.program().checked.declared
        atoms = rules_of.goal_atoms(goal, declared)
        told = self._recorded(of, atoms[0].symbol)
        program = snapshot.program(told.policies if told else ())
        facts = [fact for fact in (told.facts if told else ()) if fact[0] in program.predicates]
        externals = rules_of.World(str(self.workspace)).externals
        goals = [atom.symbol for atom in atoms]
        model = program.evaluate(facts, goals=goals, externals=externals, limits=self._limits)
        trees: list[Why | WhyNot] = [mangle.why(model, atom.symbol, row) for atom in atoms for row in model.match(atom)]
        return trees or [mangle.why_not(model, atom, changeable=rules_of.changeable) for atom in atoms]

    def _recorded(self, of: str | None, goal: Symbol) -> Recording | None:
        if self._ledger is None:
            return None
        found = [one for one in recordings(self._ledger, last=200) if of is None or one.id == of]
        if of is not None and not found:
            raise InputError(f"nothing is recorded under {of}", fix="see: mayfly log")
        kind = "action" if rules_of.depends_on(self.snapshot.program().checked, goal, "pending_action") else "intent"
        return next((one for one in reversed(found) if of is not None or one.kind == kind), None)

    def watch(self) -> Watcher:
        """Return a watcher that reloads changed files of rules and personas until it is closed."""
        return rules_of.Watcher(self.rulebook, debounce=self._settings.policy.debounce, also=[self.shelf])

    def _granted_to(self, persona: str) -> list[Fact]:
        """Return what a persona has by the files alone: the court asks while the rules are not in force yet."""
        from mayfly.persona._personas import granted_by

        return granted_by(self.shelf.stock, persona)

    def _standing(self) -> list[Fact]:
        policy = self._settings.policy
        sent = _hosts("policy.send_hosts", policy.send_hosts)
        reached = [*_hosts("policy.hosts", policy.hosts), *sent]
        return [
            *self._own_state(),
            *((Symbol("allowed_host", 1), (host,)) for host in reached),
            *((Symbol("send_host", 1), (host,)) for host in sent),
            *((Symbol("allowed_package", 1), (name,)) for name in _packages(policy.packages)),
            (Symbol("spend_limit", 1), (policy.spend_limit,)),
        ]

    def _own_state(self) -> list[Fact]:
        """Say where in the workspace the state lies, where it does: nobody changes it for an agent."""
        state, root = os.path.realpath(self._settings.state), os.path.realpath(self.workspace)
        inside = os.path.commonpath([state, root]) == root
        return [(Symbol("runtime_state", 1), (os.path.relpath(state, root),))] if inside and state != root else []

    def _caps(self) -> Caps:
        policy = self._settings.policy
        # Unless something else is said, a session spends what may be spent at once, and a day has ten such sessions.
        return Caps(policy.spend_session or policy.spend_limit, policy.spend_day or 10 * policy.spend_limit)

    def _appeals(self) -> Appeals | None:
        if self._ledger is None:
            return None
        key = Seal.open(self._settings.state, name="policy")
        longest = self._settings.policy.longest_approval
        return Appeals(self._ledger, key, clock=time.time_ns, longest=longest, review=self._review())

    def _review(self) -> Review | None:
        if self._ledger is None:
            return None
        policy = self._settings.policy
        return Review(self._ledger, denials=policy.denials, overrides=policy.overrides, window=policy.review_window)


def _hosts(key: str, text: str) -> list[str]:
    hosts = [host.strip() for host in text.split(",") if host.strip()]
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise InputError(f"{key}: {host!r} is no host", fix="write example.com,example.org")
    return [host.lower() for host in hosts]


def _packages(text: str) -> list[str]:
    from mayfly.library import package_name

    return [package_name(name) for name in text.split(",") if name.strip()]


def _paths(text: str) -> list[Path]:
    return [Path(part).expanduser() for part in text.split(os.pathsep) if part]
