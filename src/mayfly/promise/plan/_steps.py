"""Steps for a request, clause by clause: a capability that does what is said, else the rules, else a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from mayfly.core import UNSET, MayflyError, PromiseSettings, Unset
from mayfly.language import bases
from mayfly.library import Registry
from mayfly.mangle import Program
from mayfly.promise._data import references, result_of
from mayfly.promise._promise import Combine
from mayfly.promise.fit import ClausePiece, Fit, FitReading, Misfit, SaidClause, fits, is_small, is_torn, only_fit
from mayfly.promise.plan._draft import Draft, call_step, served_here
from mayfly.promise.plan._each import (
    FILE,
    as_each,
    bare_clause,
    each_named,
    find_step,
    goes_through,
    is_each,
    only_with,
    side_by_side,
    step_for_item,
    text_with,
    uncounted,
)
from mayfly.promise.plan._results import Results
from mayfly.promise.plan._rules import RulePlan, plan_by_rules
from mayfly.promise.plan._slots import Files, slots_of, words_before
from mayfly.promise.plan._slots import alone as said_alone
from mayfly.promise.plan._store import get_first, make_first, put_result, puts_what_came, show_result
from mayfly.promise.plan._wanted import chooses, left_out, unnamed, unused

WHOLE = "whole"
_WRITE = "write_file"
_LONGEST_NAME = 60


@dataclass(kw_only=True)
class Steps:
    """Draft the steps of one request. *given* is the data that came with it, *came* the names of what came.

    *known* is what the steps before the one under way gave.
    """

    reading: FitReading
    registry: Registry
    program: Callable[[], Program]
    files: Files
    settings: PromiseSettings
    given: object | Unset = UNSET
    came: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = Results(registry=self.registry, reading=self.reading, given=self.given)

    def draft(self, *, depth: int) -> tuple[tuple[Draft, ...], Combine]:
        """Return the steps of a request and how their values become one; nothing it says is left out."""
        reading = self.reading
        asked = [said for said in reading.said if said.clause.kind != "instruction"]
        whole = Draft(name="do", intent=reading.text, by_example=True)
        unplanned = left_out(reading)
        if not asked or is_torn(reading.request) or chooses(asked) or unplanned:
            # Nothing was understood, or one of two ways is to be taken: that is for one step to find out.
            self.notes += [f"no step does {unplanned!r}"] if unplanned else []
            return (whole,), "last"
        if len(asked) == 1 and goes_through(asked[0]) < 0:
            planned = self._clause(asked[0], depth, alone=True)
            only = planned.steps[0]
            if len(planned.steps) == 1 and only.steps and only.intent == reading.text:
                return only.steps, only.combine
            return planned.steps, planned.combine
        if self._is_one_program(asked, depth):
            return (Draft(name="compile", intent=reading.text, by_example=True),), "last"
        return self._in_turn(asked, whole, depth)

    def _is_one_program(self, asked: Sequence[SaidClause], depth: int) -> bool:
        """Say whether everything that is asked of given data is for one program to do."""
        if not self.came or depth:
            return False
        return all(self._by_rules(said, depth, alone=False).plan == WHOLE for said in asked)

    def _in_turn(self, asked: Sequence[SaidClause], whole: Draft, depth: int) -> tuple[tuple[Draft, ...], Combine]:
        """Return the steps of several clauses; the whole as one step, and a note, where one of them is lost."""
        drafts: list[Draft] = []
        for through, led in groupby(asked, key=goes_through):
            group = list(led)
            if through < 0:
                for said in group:
                    drafts += self._several(said, depth, drafts)
            elif steps := self._for_each(group, depth):
                drafts += steps
            else:
                self.notes.append(f"no step goes through {group[0].clause.each[0]!r}")
                return (whole,), "last"
        if unplanned := self._unresolved(asked) or unused(self.reading, asked, drafts):
            self.notes.append(f"no step does {unplanned!r}")
            return (whole,), "last"
        linked = bool(drafts[-1].needs)
        return tuple(drafts), "last" if linked else "record"

    def _unresolved(self, asked: Sequence[SaidClause]) -> str:
        """Return a clause for which there is no step, or whose "it" stands for nothing that was got or named."""
        for said in asked:
            open_ = said.points_back and said.pieces and not said.clause.needs and not said.clause.target
            if said.place not in self.known.found or open_:
                return self.reading.written(said.clause.text)
        return ""

    def _several(self, said: SaidClause, depth: int, drafts: Sequence[Draft]) -> list[Draft]:
        """Return the steps of one clause of several: side by side where capabilities do it, else one with its own."""
        name = self.known.name(said)
        after = tuple(self.known.found[other].name for other in said.clause.after if other in self.known.found)
        needs = tuple(dict.fromkeys(result.name for result in self.known.needed(said)))
        planned = self._clause(said, depth + 1, name=name)
        if planned.plan == "":
            if said.place not in self.known.found:
                self.known.note_step(said, planned.steps[-1])
            return [self.known.in_order(one, (*after, *self.known.changed(one, drafts))) for one in planned.steps]
        after = (*after, *self.known.shared(said))
        if planned.follows and not needs and (before := self.known.before(said)):
            needs = (before.name,)
        whole = Draft(
            name=name,
            intent=said_alone(said, self.reading),
            needs=needs,
            after=tuple(other for other in after if other not in needs),
            combine=planned.combine,
            steps=planned.steps,
        )
        self.known.note(said, name, {})
        return [whole]

    def _for_each(self, group: Sequence[SaidClause], depth: int) -> list[Draft]:
        """Return the steps for clauses that are all done for one thing after another: "for each file, do a and b"."""
        found = find_step(group[0], self.registry, self.known.free("find"))
        steps: list[Draft] = []
        rest: list[SaidClause] = []
        for said in group if found else ():
            step = self._for_item(said)
            if step is None:
                return []
            if rest or (step.capability == _WRITE and steps):
                # One file for all of them is written once, with what all of them gave.
                rest.append(bare_clause(said))
                continue
            self.known.note_step(said, step)
            steps.append(step)
        if not found:
            return []
        group = group[: len(steps)]
        text = ", ".join(self.reading.written(said.clause.text) for said in group)
        one = Draft(name="each", intent=f"{text} ({{item}})", steps=tuple(steps)) if len(steps) > 1 else steps[0]
        each, name = result_of(found.name), self.known.free("each")
        for said in group:
            self.known.note(said, name, {"type": "object"})
        led = self.reading.written(words_before(group[0]))
        whole = Draft(name=name, intent=f"{led}, {text}", needs=(found.name,), each=each, template=one, combine="")
        drafts = [found, whole]
        for said in rest:
            drafts += self._several(said, depth, drafts)
        return drafts

    def _for_item(self, said: SaidClause) -> Draft | None:
        """Return what one of several clauses does for an item: on what an earlier one gave for it, or on the item."""
        name, sources = self.known.name(said), self.known.sources(said)
        fit = only_fit(bare_clause(said), list(self.registry), sources, whole=True) if sources else None
        if fit is not None:
            return call_step(fit, name, self.reading.written(said.clause.text))
        step = step_for_item(said, FILE, self.registry)
        return replace(step, name=name) if step else None

    def _clause(self, said: SaidClause, depth: int, *, alone: bool = False, name: str = "") -> RulePlan:
        """Return the plan of one clause; one that capabilities do has no name."""
        clause = said.clause
        name = name or self.known.name(said)
        counts = said.verbs == {"count"}
        data = bool({"lines", "examples"} & set(self.came))
        if (clause.kind != "question" or counts) and not said.condition and not data:
            steps = self._each(said, name) if is_each(said) else []
            steps = steps or show_result(self.known, said, name) or self._served(said.as_one(), name)
            steps = steps or put_result(self.known, said, name)
            steps = steps or self._parts(said, name, side_by_side(said))
            steps = steps or get_first(self.known, said, name) or self._all(said, name)
            steps = steps or make_first(self.known, said, name)
            if steps:
                return RulePlan(plan="", steps=tuple(steps), combine="last" if len(steps) > 1 else steps[0].combine)
        if puts_what_came(said, self.known.found):
            # What only puts something away needs no design and no test, whoever does it.
            return RulePlan(
                plan="put", steps=(Draft(name="do", intent=said_alone(said, self.reading)),), combine="last"
            )
        return self._by_rules(said, depth, alone=alone)

    def _served(self, said: SaidClause, name: str) -> list[Draft]:
        """Return the step that a capability does, and one that writes its result to the file that is named for it."""
        found, others = fits(said, list(self.registry), self.known.sources(said))
        # What lacks something may still be about what was spoken of before: "… and hash the file".
        if not found or found[0].open:
            found = next(filter(None, self._otherwise(said)), found)
        if len(found) != 1:
            self._note(said, found, others)
            return []
        fit = found[0]
        step = call_step(fit, name, said_alone(said, self.reading))
        self.known.note_step(said, step)
        if fit.capability.effect != "none" and step.needs:
            # "Write the sum to a.txt and append it to b.txt": it is the sum, not what writing gave.
            self.known.hand_on(said)
        return [step, *self._written(said, fit, step)]

    def _otherwise(self, said: SaidClause) -> Iterator[list[Fit]]:
        """Yield what fits where the clause is about what it does not name: the step before, or the file spoken of."""
        before = self.known.before(said)
        if before and not said.clause.needs:
            found, _ = fits(said, list(self.registry), (before,))
            yield found
        spoken = self._spoken_of(said)
        if spoken is not None:
            found, _ = fits(replace(said, pieces=(spoken, *said.pieces)), list(self.registry), ())
            yield found

    def _spoken_of(self, said: SaidClause) -> ClausePiece | None:
        """Return the file that a pronoun stands for: what the clause is about, or the last one named before it.

        "It" may be a file, and "the file" and the owner in "its words" always are.
        """
        plain = [piece.plain for piece in said.pieces if piece.role == "object"]
        owned, called = plain[:1] in (["its"], ["their"]), set(plain) <= {"file", "document"}
        if not plain or not (said.points_back or owned or called):
            return None
        start = said.clause.tokens[0].start
        named = [token for token in self.reading.request.tokens if token.kind == "path" and token.start < start]
        named = [token for token in named if not token.text.endswith("/") and not token.text.startswith((".", "*"))]
        meant = [token for token in named if token.text == said.clause.target] or named[-1:]
        if not meant:
            return None
        role, lead = ("place", "of") if owned else ("object", "")
        return ClausePiece(token=meant[-1], kind="path", value=meant[-1].text, role=role, lead=lead, phrase=-2)

    def _note(self, said: SaidClause, found: Sequence[Fit], others: Sequence[Misfit]) -> None:
        if found:
            names = ", ".join(sorted(one.capability.name for one in found))
            self.notes.append(f"several capabilities could do it: {names}")
        elif others and others[0].left:
            self.notes.append(str(others[0]))

    def _written(self, said: SaidClause, fit: Fit, step: Draft) -> list[Draft]:
        if not fit.write or _WRITE not in self.registry:
            return []
        name = self.known.free("write")
        argument = {
            "path": fit.write,
            "content": result_of(step.name, at=str(fit.capability.output_schema.get("x-main", ""))),
        }
        write = Draft(
            name=name,
            intent=f"write the result to {fit.write}",
            needs=(step.name,),
            capability=_WRITE,
            argument=argument,
        )
        return [write]

    def _each(self, said: SaidClause, name: str) -> list[Draft]:
        """Return the steps for a clause that is done for one thing after another: those it names, or those found."""
        named = each_named(said)
        several = self._parts(uncounted(said), name, named) if len(named) > 1 else []
        steps = several or self._repeated(said, name)
        if steps:
            self.known.note(said, name, {"type": "object"})
        return steps

    def _all(self, said: SaidClause, name: str) -> list[Draft]:
        each = as_each(said)
        return self._each(each, name) if each is not said else []

    def _parts(self, said: SaidClause, name: str, named: Sequence[ClausePiece]) -> list[Draft]:
        """Return one step with a part for each of the things that are named, all done by the same capability."""
        parts: list[Draft] = []
        for piece in named if len(named) > 1 else ():
            fit = only_fit(only_with(said, named, piece), list(self.registry), self.known.sources(said))
            if fit is None or fit.write:
                return []
            step = call_step(fit, str(piece.value)[:_LONGEST_NAME], text_with(self.reading, said, named, piece))
            # What a part works on is needed by all of them, one level up.
            parts.append(replace(step, needs=()))
        if len({part.capability for part in parts}) != 1 or len({part.name for part in parts}) != len(parts):
            return []
        return [Draft(name=name, intent=said_alone(said, self.reading), steps=tuple(parts), combine="record")]

    def _repeated(self, said: SaidClause, name: str) -> list[Draft]:
        """Return a step that goes through a list, after one that finds it unless an earlier clause gives it."""
        lists = [source for source in self.known.lists(said) if source.schema.get("type") == "array"]
        found = None if lists else find_step(said, self.registry, self.known.free("find"))
        if not lists and found is None:
            return []
        items = lists[0].schema.get("items", {}) if lists else FILE
        template = step_for_item(said, items, self.registry)
        if template is None:
            return []
        each = lists[0].value if lists else result_of(found.name if found else "")
        whole = Draft(
            name=name,
            intent=said_alone(said, self.reading),
            needs=tuple(references(each)),
            each=each,
            template=template,
            combine="",
        )
        return [found, whole] if found else [whole]

    def _by_rules(self, said: SaidClause, depth: int, *, alone: bool) -> RulePlan:
        """Return the plan of the rules for a clause; where nobody can be asked, one step with the reason."""
        slots = slots_of(said, self.reading, self.files)
        if alone:
            slots["intent"] = " ".join(self.reading.text.split())[:2_000]
        whole = Draft(name="do", intent=slots["intent"], by_example=True, fed="before" in slots)
        try:
            planned = plan_by_rules(
                self.program(),
                said.clause,
                slots,
                given=self.came if depth == 0 else (),
                depth=self.settings.max_depth - depth,
                most=self.settings.max_nodes,
            )
        except MayflyError as error:
            self.notes.append(f"the plan rules failed: {error}")
            return RulePlan(plan="failed", steps=(whole,), combine="last")
        steps = tuple(served_here(step, self.registry) for step in planned.steps)
        planned = replace(planned, steps=steps or (whole,))
        return planned if planned.plan == WHOLE else self._complete(planned, said, slots["intent"])

    def _complete(self, planned: RulePlan, said: SaidClause, text: str) -> RulePlan:
        """Return a plan that leaves no word out: where capabilities alone would do it, the rest becomes a last step."""
        leaves = [leaf for step in planned.steps for leaf in _leaves(step)]
        if not all(leaf.capability in self.registry for leaf in leaves):
            # A template may leave out a name: then a step says the whole request beside its own part of it.
            lost = unnamed(self.reading, said, planned.steps)
            return replace(planned, steps=_saying(planned.steps, text)) if lost else planned
        told = " ".join(f"{leaf.intent} {leaf.argument}" for leaf in leaves).lower()
        done = frozenset().union(*(bases(word.strip(".,:;'\"{}[]()")) for word in told.split()))
        left = [piece for piece in said.pieces if not (bases(piece.plain) & done or piece.plain in told)]
        if all(piece.kind == "word" and is_small(piece.plain) for piece in left):
            return planned
        names = tuple(step.name for step in planned.steps)
        rest = Draft(name="rest" if "rest" not in names else f"rest{len(names)}", intent=text, needs=names)
        return replace(planned, steps=(*planned.steps, rest), combine="last")


def _saying(steps: Sequence[Draft], text: str) -> tuple[Draft, ...]:
    """Return steps of which the first one that no capability does says the whole request as well."""
    for place, step in enumerate(steps):
        if any(not leaf.capability for leaf in _leaves(step)):
            inner = _saying(step.steps, text) if step.steps else ()
            told = step if inner else replace(step, intent=f"{step.intent} ({text})")
            return (*steps[:place], replace(told, steps=inner), *steps[place + 1 :])
    return tuple(steps)


def _leaves(step: Draft) -> list[Draft]:
    return [leaf for one in step.steps for leaf in _leaves(one)] if step.steps else [step]
