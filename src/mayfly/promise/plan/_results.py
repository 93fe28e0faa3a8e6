"""What the steps of a plan gave so far: their names, what is known of their values, and who has to come after whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mayfly.core import UNSET, Unset
from mayfly.language import bases
from mayfly.library import Registry
from mayfly.promise.fit import FillSource, FitReading, SaidClause
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._each import named_in_each

_LONGEST_NAME = 60


@dataclass(kw_only=True)
class Results:
    """Keep what the clauses of one request gave, by their places; *given* is the data that came with it."""

    registry: Registry
    reading: FitReading
    given: object | Unset = UNSET
    found: dict[int, FillSource] = field(default_factory=dict)
    handed: dict[int, FillSource] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def name(self, said: SaidClause) -> str:
        """Return a name for the step of a clause, by its verb."""
        return self.free(
            (said.clause.said or said.clause.verb or "step").replace(" ... ", " ").replace(" ", "_")[:_LONGEST_NAME]
        )

    def free(self, wanted: str) -> str:
        """Return a name that no step has yet."""
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}{number}"
        self.names.add(name)
        return name

    def words(self, said: SaidClause) -> frozenset[str]:
        """Return the words by which what a clause gives may be called."""
        told = [piece.plain for piece in said.pieces if piece.kind == "word"]
        return frozenset().union(bases(said.clause.said), *(bases(word) for word in told))

    def note(self, said: SaidClause, name: str, schema: Mapping[str, Any]) -> None:
        """Note the step that gives what a clause asks for, and what is known of its value."""
        self.found[said.place] = FillSource.of_step(name, schema, self.words(said))

    def note_step(self, said: SaidClause, draft: Draft) -> None:
        """Note a step that gives what a clause asks for: its value, and the words that this may be called by."""
        capability = self.registry.get(draft.capability) if draft.capability else None
        schema = capability.output_schema if capability else {}
        schema = {"type": "object"} if draft.template is not None or draft.steps else schema
        things = " ".join(thing for _, thing in capability.does) if capability else ""
        told = self.words(said).union(*(bases(word) for word in things.split()))
        self.found[said.place] = FillSource.of_step(draft.name, schema, told)

    def needed(self, said: SaidClause) -> list[FillSource]:
        """Return what a clause is given; one that only puts something away hands on what it was given itself."""
        known = [place for place in said.clause.needs if place in self.found]
        return [self.handed.get(place, self.found[place]) for place in known]

    def hand_on(self, said: SaidClause) -> None:
        """Let a clause that puts something away give what it was given itself."""
        if needed := self.needed(said):
            self.handed[said.place] = needed[0]

    def before(self, said: SaidClause) -> FillSource | None:
        """Return what the last clause before a clause gave, if there is one."""
        earlier = [result for place, result in self.found.items() if place < said.place]
        return earlier[-1] if earlier else None

    def sources(self, said: SaidClause) -> list[FillSource]:
        """Return what a clause may work on that it does not name itself."""
        found = self.needed(said)
        if not found and not isinstance(self.given, Unset) and said.place == self.reading.said[0].place:
            found = [FillSource(value=self.given, schema=_schema_of(self.given), given=True)]
        return found

    def lists(self, said: SaidClause) -> list[FillSource]:
        """Return what came before where a clause names nothing that it goes through: "hash each of them"."""
        sources, before = self.sources(said), self.before(said)
        return [before] if not sources and before and not any(named_in_each(said)) else sources

    def shared(self, said: SaidClause) -> list[str]:
        """Return the step that is done to the same thing before: "implement and test the importer"."""
        clauses = self.reading.request.clauses
        found = [other for other in self.found if other < said.place and not clauses[other].phrases]
        return [self.found[other].name for other in found if clauses[other].target == said.clause.target]

    def in_order(self, draft: Draft, after: Sequence[str]) -> Draft:
        """Return a step that comes after some others, where it does not wait for them anyway."""
        mine = {step.name for step in (draft, *draft.steps)}
        found = dict.fromkeys(name for name in after if name not in draft.needs and name not in mine)
        return replace(draft, after=tuple(dict.fromkeys((*draft.after, *found))))

    def changed(self, draft: Draft, drafts: Sequence[Draft]) -> list[str]:
        """Return the steps that have to come before one that looks at, or changes, what they change or look at."""
        capability = self.registry.get(draft.capability) if draft.capability else None
        if capability is None or not capability.reaches_out:
            return []
        changes = capability.effect != "none"
        before = _all_before(draft, drafts)
        found = [earlier for earlier in drafts if changes or not self._only_looks(earlier)]
        implied = {name for earlier in found for name in _all_before(earlier, drafts)}
        return [earlier.name for earlier in found if earlier.name not in before | implied]

    def _only_looks(self, draft: Draft) -> bool:
        if draft.steps or draft.template is not None:
            return all(self._only_looks(step) for step in (*draft.steps, *([draft.template] if draft.template else [])))
        return bool(draft.capability) and self.registry.get(draft.capability).effect == "none"


def _all_before(draft: Draft, drafts: Sequence[Draft]) -> set[str]:
    """Return the steps that are done before one in any case: those it waits for, and those that these wait for."""
    by_name = {one.name: one for one in drafts}
    waiting, found = [*draft.needs, *draft.after], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found and name in by_name:
            found.add(name)
            waiting += [*by_name[name].needs, *by_name[name].after]
    return found


def _schema_of(value: object) -> dict[str, Any]:
    kinds = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object"))
    return next(({"type": name} for kind, name in kinds if isinstance(value, kind)), {})
