"""What the rules in force know: tools, personas, policies, and which tool a policy works with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mayfly.mangle import Atom, Constant, Name, Negation, Symbol, Timed

if TYPE_CHECKING:
    from mayfly.mangle import Unit
    from mayfly.policy import RuleFile, Snapshot

_ACTION_CLASS: Final = Symbol("action_class", 2)
_VERB_PERSONA: Final = Symbol("verb_persona", 2)
_DEFAULT_PERSONA: Final = Symbol("default_persona", 2)
_POLICY_TOOL: Final = Symbol("policy_tool", 2)
_TOOL_ABOVE: Final = Symbol("tool_above", 2)
_GOALS: Final = (_ACTION_CLASS, _VERB_PERSONA, _DEFAULT_PERSONA, _POLICY_TOOL, _TOOL_ABOVE)


class ConfigNames:
    """Answer what a configuration may name, by one snapshot of the rules."""

    def __init__(self, snapshot: Snapshot, named: frozenset[str]) -> None:
        self._snapshot = snapshot
        # A predicate counts as a tool where some configuration has a tool of its name.
        self._named = named

    @cached_property
    def _rows(self) -> dict[Symbol, list[tuple[str, str]]]:
        program = self._snapshot.program()
        goals = [goal for goal in _GOALS if goal in program.predicates]
        model = program.evaluate((), goals=goals, record=False)
        return {goal: [(_text(row[0]), _text(row[1])) for row in model.rows(goal)] for goal in goals}

    @cached_property
    def tools(self) -> frozenset[str]:
        """Every action that has a class, so that the rules can decide about it."""
        return frozenset(tool for tool, _ in self._rows.get(_ACTION_CLASS, ()))

    @cached_property
    def verbs(self) -> dict[str, tuple[str, ...]]:
        """The verbs of each persona that the rules speak of."""
        found: dict[str, list[str]] = {}
        for verb, persona in self._rows.get(_VERB_PERSONA, ()):
            found.setdefault(persona, []).append(verb)
        for _, persona in self._rows.get(_DEFAULT_PERSONA, ()):
            found.setdefault(persona, [])
        return {persona: tuple(dict.fromkeys(verbs)) for persona, verbs in found.items()}

    def above(self, tier: str) -> frozenset[str]:
        """Return the tools that nobody of the tier may give away."""
        return frozenset(tool for held, tool in self._rows.get(_TOOL_ABOVE, ()) if held == tier)

    def has_policy(self, name: str) -> bool:
        """Tell whether there is a policy of the name, in force as it stands."""
        return self._file(name) is not None

    def why_no_policy(self, name: str) -> str:
        """Say why a policy is not there: it is bad, or nobody wrote it."""
        told = (problem for problem in self._snapshot.problems if problem.file.rpartition("/")[2] == name)
        return next((str(problem) for problem in told), f"there is no policy {name}")

    def tools_of(self, policy: str) -> tuple[str, ...]:
        """Return the tools a policy works with: those it names, and those whose predicate it uses."""
        file = self._file(policy)
        if file is None:
            return ()
        said = [tool for name, tool in self._rows.get(_POLICY_TOOL, ()) if name == policy]
        if not file.base:
            said += _named_by(file.unit, policy)
        # Most policies use no tool's predicate, which is seen without parsing them.
        if any(re.search(rf"\b{tool}\s*\(", file.text) for tool in self._named):
            said += [tool for tool in _used_by(file.unit) if tool in self._named]
        return tuple(dict.fromkeys(said))

    def _file(self, name: str) -> RuleFile | None:
        found = self._snapshot.policies.get(name)
        return found or next((file for file in self._snapshot.rules if file.name == name), None)


def _text(value: object) -> str:
    return value.text.removeprefix("/") if isinstance(value, Name) else str(value)


def _named_by(unit: Unit, policy: str) -> Iterator[str]:
    """Yield the tools of facts policy_tool("mine.mg", /tool)."""
    for clause in unit.clauses:
        terms = clause.head.arguments
        if clause.head.symbol == _POLICY_TOOL and all(isinstance(term, Constant) for term in terms):
            name, tool = (term.value for term in terms if isinstance(term, Constant))
            if name == policy:
                yield _text(tool)


def _used_by(unit: Unit) -> Iterator[str]:
    """Yield the predicates that a file uses and does not define itself."""
    defined = {clause.head.predicate for clause in unit.clauses}
    for clause in unit.clauses:
        for premise in clause.premises or ():
            atom = premise.atom if isinstance(premise, Negation | Timed) else premise
            if isinstance(atom, Atom) and atom.predicate not in defined:
                yield atom.predicate.rpartition(".")[2]
