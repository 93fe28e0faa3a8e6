"""Personas: what each may use and is told, by the atoms and rules of one instant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

from mayfly.core import InputError, PersonaSettings, one_line
from mayfly.mangle import Name, Symbol
from mayfly.persona._atoms import Category, PromptAtom, categories, plain
from mayfly.persona._config import ConfigAtom, ConfigEntry, merge
from mayfly.persona._known import ConfigNames
from mayfly.persona._shelf import Shelf, Stock, shipped_configs
from mayfly.policy import Problem

if TYPE_CHECKING:
    from mayfly.persona._atomset import AtomSet
    from mayfly.persona._compile import CompiledPrompt, Placed
    from mayfly.persona._context import PromptContext
    from mayfly.policy import Fact, Snapshot

DEFAULT: Final = "general"
"""Whose tools a persona has that no config atom speaks of."""
Mode: TypeAlias = Literal["SingleTurn", "Campaign"]
MODES: Final[tuple[str, ...]] = get_args(Mode)
_GRANTED_TOOL: Final = Symbol("granted_tool", 1)
_ADVICE: Final = Symbol("advice", 2)
_GRANTED_POLICY: Final = Symbol("granted_policy", 1)


@dataclass(frozen=True, kw_only=True)
class AgentConfig:
    """What one agent is made of. No tool in it means no tool: what is not listed is not there."""

    identity_prompt: str
    tools: tuple[str, ...]
    policies: tuple[str, ...]
    mode: Mode = "SingleTurn"
    personas: tuple[str, ...] = ()
    manifest: tuple[Placed, ...] = ()
    priority: int = 0
    problem: str = ""
    """Why the prompt is the plain one, where compiling the full one failed."""

    def __post_init__(self) -> None:
        if not self.identity_prompt.strip():
            raise InputError("an agent without a prompt", fix="give it an identity_prompt")
        if not self.policies:
            raise InputError("an agent that no policy governs", fix="give it base.mg at least")
        if self.mode not in MODES:
            raise InputError(f"there is no mode {self.mode!r}", fix=f"use {' or '.join(MODES)}")

    def facts(self) -> tuple[Fact, ...]:
        """Return what the kernel has to know of it; its policies are handed to the kernel by name."""
        return granted_tools(self.tools)


def granted_tools(tools: tuple[str, ...]) -> tuple[Fact, ...]:
    """Return tools as the facts that the rules ask for."""
    return tuple((_GRANTED_TOOL, (Name(f"/{tool}"),)) for tool in tools)


class Brought(NamedTuple):
    """A tool or a policy of a configuration, and who brought it."""

    name: str
    by: str


class Personas:
    """Answer for all personas; nothing in it changes, so a turn under way keeps what it began with."""

    def __init__(self, stock: Stock, snapshot: Snapshot, *, settings: PersonaSettings | None = None) -> None:
        self._stock = stock
        self._snapshot = snapshot
        self._settings = settings or PersonaSettings()
        named = frozenset(tool for entry in shipped_configs() for tool in entry.atom.tools)
        self._known = ConfigNames(snapshot, named)
        self._own_problems: list[Problem] = []
        self._entries = tuple(self._sound(stock.configs))

    @classmethod
    def load(cls, state: Path | None, snapshot: Snapshot, *, settings: PersonaSettings | None = None) -> Personas:
        """Read the shipped files and those in *state*, once."""
        return cls(Shelf(state).stock, snapshot, settings=settings)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Files and entries that are not in force, each with the reason."""
        return (*self._stock.problems, *self._own_problems)

    @property
    def actions(self) -> frozenset[str]:
        """Every action that the rules know by its name."""
        return self._known.tools

    def names(self) -> tuple[str, ...]:
        """Return every persona: those with a config atom, and those that the rules give a verb."""
        made = (entry.name for entry in self._entries if entry.layer == "persona")
        return tuple(sorted({*made, *self._known.verbs}))

    def verbs(self, persona: str) -> tuple[str, ...]:
        """Return the verbs whose requests are the persona's work."""
        return self._known.verbs.get(self._checked([persona])[0], ())

    def summary(self, persona: str) -> str:
        """Return what the persona is, in a line."""
        told = (entry.summary for entry in self._entries if entry.name == persona and entry.layer == "persona")
        return next((one_line(text) for text in told if text), "")

    def atom(self, personas: Sequence[str], verbs: Sequence[str] = ()) -> ConfigAtom:
        """Return what personas have for some verbs: base, verb's, user's, everyone's, and what their policies need."""
        entries = list(self._layers(personas, verbs))
        merged = merge(entry.atom for entry in entries)
        needed = ConfigAtom(tools=tuple(tool for policy in merged.policies for tool in self._known.tools_of(policy)))
        return merged.merge(needed)

    def brought(self, personas: Sequence[str], verbs: Sequence[str] = ()) -> tuple[list[Brought], list[Brought]]:
        """Return the tools and the policies of a configuration, each with the file or policy that brings it."""
        tools: dict[str, str] = {}
        policies: dict[str, str] = {}
        for entry in self._layers(personas, verbs):
            for tool in entry.atom.tools:
                tools.setdefault(tool, entry.place)
            for policy in entry.atom.policies:
                policies.setdefault(policy, entry.place)
        for policy in policies:
            for tool in self._known.tools_of(policy):
                tools.setdefault(tool, policy)
        return [Brought(*one) for one in tools.items()], [Brought(*one) for one in policies.items()]

    def facts(self, *personas: str) -> tuple[Fact, ...]:
        """Return what the kernel has to know of who acts: a fact for each tool. The policies go to it by name."""
        return granted_tools(self.atom(personas).tools)

    def policies(self, *personas: str) -> tuple[str, ...]:
        """Return the policies that govern who acts."""
        return self.atom(personas).policies

    def configure(
        self,
        personas: Sequence[str],
        verbs: Sequence[str] = (),
        *,
        context: PromptContext,
        mode: Mode = "SingleTurn",
        request: str = "",
        window: int | None = None,
    ) -> AgentConfig:
        """Return the whole configuration of an agent; an unknown persona is an error, never an agent without limits.

        *window* is how many tokens its model takes in all, where that is known.
        """
        names = self._checked(personas)
        atom = self.atom(names, verbs)
        about = context.acting(names, verbs, mode=mode, request=request, tools=atom.tools)
        compiled, problem = self._compiled(about, atom.policies, window)
        return AgentConfig(
            identity_prompt=compiled.text,
            tools=atom.tools,
            policies=atom.policies,
            mode=mode,
            personas=names,
            manifest=compiled.manifest,
            priority=atom.priority,
            problem=problem,
        )

    def compile(self, context: PromptContext, *, policies: Sequence[str] = (), budget: int) -> CompiledPrompt:
        """Compile the prompt of a context within *budget* tokens, with what the policies advise."""
        from mayfly.persona._compile import Weights, compile_prompt

        atoms, settings = self.atoms, self._settings
        advised = self._advice(policies, context.workspace)
        return compile_prompt(
            atoms if advised is None else _with(atoms, advised),
            context,
            budget,
            weights=Weights(settings.logic_weight, settings.similarity_weight, settings.threshold),
            shares=self._shares,
        )

    def budget(self, window: int | None = None) -> int:
        """Return how many tokens a prompt may have, for a model that takes *window* in all."""
        settings = self._settings
        most = min(settings.budget, settings.largest)
        if window is not None:
            # Half of a small window at most: the rest is for what is said and answered.
            most = min(most, max(window - settings.reserve, window // 2))
        return max(0, most - settings.headroom)

    @cached_property
    def atoms(self) -> AtomSet:
        """Every prompt atom in force. An identity without agent_types is for the persona its file is called after."""
        found = self._stock.atoms
        names = set(self.names())
        meant = {
            atom.id: replace(atom, selectors=(*atom.selectors, ("agent_types", (atom.stem,))))
            for file in self._stock.files
            for atom in file.atoms
            if atom.category == "identity" and atom.stem in names and "agent_types" not in dict(atom.selectors)
        }
        return _with(found, *meant.values()) if meant else found

    def _checked(self, personas: Iterable[str]) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(plain(name) for name in personas))
        known = self.names()
        if not names:
            raise InputError("nobody is to act", fix="name a persona: mayfly persona list")
        for name in names:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                fix = f"did you mean {near[0]}?" if near else "see: mayfly persona list"
                told = next((f": {problem}" for problem in self.problems if f"persona {name}:" in problem.reason), "")
                raise InputError(f"there is no persona {one_line(name, limit=60)!r}{told}", fix=fix)
        return names

    def _layers(self, personas: Sequence[str], verbs: Sequence[str]) -> Iterator[ConfigEntry]:
        """Yield the entries that make a configuration, in the order in which they are merged."""
        names = self._checked(personas)
        for name in names:
            own = [entry for entry in self._entries if entry.layer == "persona" and entry.name == name]
            yield from own or (
                entry for entry in shipped_configs() if entry.name == DEFAULT and entry.layer == "persona"
            )
        asked = [plain(verb) for verb in verbs]
        yield from (entry for verb in asked for entry in self._entries if entry.layer == "verb" and entry.name == verb)
        yield from (entry for name in names for entry in self._entries if entry.layer == "user" and entry.name == name)
        yield from (entry for entry in self._entries if entry.layer == "everyone")

    def _sound(self, entries: Iterable[ConfigEntry]) -> Iterator[ConfigEntry]:
        """Yield the entries that name only what there is and what their author may give."""
        entries = list(entries)
        everyone = {tool for entry in entries if entry.layer == "everyone" for tool in entry.atom.tools}
        for entry in entries:
            wrong = None if entry.shipped else self._fault(entry, everyone)
            if wrong is None:
                yield entry
            else:
                file, _, line = entry.place.rpartition(":")
                kind = "verb" if entry.layer == "verb" else "persona"
                self._own_problems.append(Problem(file=file, reason=f"line {line}: {kind} {entry.name}: {wrong}"))

    def _fault(self, entry: ConfigEntry, everyone: Collection[str]) -> str | None:
        for policy in entry.atom.policies:
            if not self._known.has_policy(policy):
                return f"policies: {self._known.why_no_policy(policy)}"
        inferred = [tool for policy in entry.atom.policies for tool in self._known.tools_of(policy)]
        above = self._known.above(self._settings.tier)
        for tool in (*entry.atom.tools, *inferred):
            if tool not in self._known.tools:
                near = get_close_matches(tool, self._known.tools, n=1)
                return f"tools: no rule knows {tool}" + (f"; did you mean {near[0]}?" if near else "")
            if tool in above and tool not in everyone:
                return f"tools: {tool} is above the tier {self._settings.tier} (persona.tier)"
        return None

    @cached_property
    def _shares(self) -> Mapping[str, Category]:
        return shares_of(self._settings.shares)

    def _compiled(
        self, context: PromptContext, policies: Sequence[str], window: int | None
    ) -> tuple[CompiledPrompt, str]:
        """Compile the full prompt; where that fails, the plain one of the shipped atoms alone, and say why."""
        try:
            return self.compile(context, policies=policies, budget=self.budget(window)), ""
        except InputError as error:
            from mayfly.persona._compile import compile_prompt
            from mayfly.persona._shelf import shipped_atoms

            return compile_prompt(shipped_atoms(), context, self._settings.fallback), str(error)

    def _advice(self, policies: Sequence[str], workspace: str) -> PromptAtom | None:
        """Return what the policies advise as an atom of its own."""
        from mayfly.policy import World

        program = self._snapshot.program(policies)
        if not policies or _ADVICE not in program.predicates:
            return None
        granted: list[Fact] = [(_GRANTED_POLICY, (policy,)) for policy in policies]
        try:
            found = program.evaluate(
                granted, goals=[_ADVICE], externals=World(workspace or "/nowhere").externals, record=False
            )
        except InputError:
            return None
        lines = sorted({one_line(str(row[1])) for row in found.rows(_ADVICE) if row[0] in policies})
        if not lines:
            return None
        text = "Your policies ask for this:\n" + "\n".join(f"- {line}" for line in lines)
        return PromptAtom(id="policy/advice", category="methodology", content=text, priority=60, place="policies")


def granted_by(stock: Stock, persona: str) -> list[Fact]:
    """Return what a persona has by its own files, with no rules to ask; nothing where no file speaks of it."""
    entries = [entry for entry in stock.configs if entry.layer in ("persona", "user") and entry.name == persona]
    if not entries:
        return []
    atom = merge(entry.atom for entry in (*entries, *(one for one in stock.configs if one.layer == "everyone")))
    policies: list[Fact] = [(_GRANTED_POLICY, (policy,)) for policy in atom.policies]
    return [*granted_tools(atom.tools), *policies]


def _with(atoms: AtomSet, *more: PromptAtom) -> AtomSet:
    from mayfly.persona._atomset import AtomSet

    return AtomSet({**atoms, **{atom.id: atom for atom in more}}.values(), check=False, like=atoms)


def shares_of(text: str) -> Mapping[str, Category]:
    """Return the kinds of atoms with their parts of the budget, some changed: `language=20,framework=5`."""
    found = dict(categories())
    for part in (one.strip() for one in text.split(",") if one.strip()):
        name, _, number = part.partition("=")
        try:
            percent = float(number)
        except ValueError:
            percent = -1.0
        if name.strip() not in found or not 0 <= percent <= 100:
            raise InputError(f"persona.shares: {part!r} is no part", fix="write language=20,framework=5")
        old = found[name.strip()]
        # A part that was set is meant: neither the least nor the most of the kind stand in its way.
        found[old.name] = old._replace(percent=percent, least=0, most=10**9)
    return found
