"""The prompt compiler: atoms, a context and a budget become one text, and a list that says why each is in or out.

Atoms are chosen by selectors, needs, conflicts, groups and score before any budget counts; then each gets the variant
that fits: required ones first, then each kind within its part, then whatever is left.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.core import InputError, content_hash
from mayfly.persona._atoms import Category, categories, tokens_in
from mayfly.persona._atomset import AtomFault, AtomSet

if TYPE_CHECKING:
    from mayfly.persona._atoms import PromptAtom
    from mayfly.persona._context import PromptContext

BETWEEN: Final = "\n\n"
# A prompt without these says neither who acts nor how.
NEEDED: Final = ("identity", "protocol")


class Weights(NamedTuple):
    """What an atom's own importance and its nearness to the request count, and from which sum on it may come in."""

    logic: float = 0.7
    similarity: float = 0.3
    threshold: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What became of one atom, and why."""

    id: str
    category: str
    included: bool
    why: str
    variant: str = ""
    """standard, concise or min where it is in."""
    part: str
    """skeleton where rules alone choose it, flesh otherwise."""
    tokens: int = 0
    score: float = 0.0
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPrompt:
    """A prompt, its length and the fate of every atom: first those in it, in their order, then the others."""

    text: str
    tokens: int
    budget: int
    manifest: tuple[Placed, ...]

    @property
    def hash(self) -> str:
        """The SHA-256 of the text."""
        return content_hash(self.text)


def compile_prompt(
    atoms: AtomSet | Iterable[PromptAtom],
    context: PromptContext,
    budget: int,
    *,
    weights: Weights | None = None,
    shares: Mapping[str, Category] | None = None,
) -> CompiledPrompt:
    """Compile a prompt of at most *budget* tokens; the same atoms, context and budget give the same bytes."""
    known = atoms if isinstance(atoms, AtomSet) else AtomSet(atoms)
    if budget < 1:
        raise InputError(f"a budget of {budget} tokens leaves no room for a prompt", fix="raise persona.budget")
    selection = Selection(known, context, weights or Weights())
    allotted = _Allotment(known, selection, budget, shares or categories()).run()
    order = _in_order(known, allotted.variant)
    text = BETWEEN.join(known[id].variants[allotted.variant[id]][1] for id in order)
    out = {**selection.out, **allotted.out}
    last = [id for id in known if id not in allotted.variant]
    placed = [_placed(known[id], selection, allotted.variant.get(id), out.get(id, "")) for id in (*order, *last)]
    tokens = tokens_in(text)
    assert tokens <= budget, "the sum over the atoms is an upper bound"
    return CompiledPrompt(text=text, tokens=tokens, budget=budget, manifest=tuple(placed))


def _placed(atom: PromptAtom, selection: Selection, variant: int | None, out: str) -> Placed:
    """Say what became of an atom: in with a variant, or out for a reason."""
    name, text = ("", "") if variant is None else atom.variants[variant]
    why = out if variant is None else selection.chosen[atom.id]
    return Placed(
        id=atom.id,
        category=atom.category,
        included=variant is not None,
        why=f"{why}; shortened, for the budget" if variant else why,
        variant=name,
        part="skeleton" if atom.skeleton else "flesh",
        tokens=tokens_in(text),
        score=selection.scores.get(atom.id, 0.0),
        place=atom.place,
    )


def _in_order(atoms: AtomSet, chosen: Mapping[str, int]) -> list[str]:
    """Sort by kind; within one what is needed stands before what needs it, then the more important first."""
    kinds = categories()

    def rank(id: str) -> tuple[int, int, str]:
        return kinds[atoms[id].category].order, -atoms[id].priority, id

    def before(id: str) -> list[str]:
        return [one for one in atoms[id].depends_on if one in chosen and atoms[one].category == atoms[id].category]

    waiting = {id: len(before(id)) for id in chosen}
    free = [rank(id) for id, count in waiting.items() if not count]
    heapq.heapify(free)
    order: list[str] = []
    while free:
        id = heapq.heappop(free)[2]
        order.append(id)
        for other in atoms.needed_by.get(id, ()):
            if other in waiting and atoms[other].category == atoms[id].category:
                waiting[other] -= 1
                if not waiting[other]:
                    heapq.heappush(free, rank(other))
    return order


class Selection:
    """Choose atoms for a context; two mandatory ones that exclude each other are an error."""

    def __init__(self, atoms: AtomSet, context: PromptContext, weights: Weights) -> None:
        self.chosen: dict[str, str] = {}
        """What was chosen, from the most important on, and why."""
        self.out: dict[str, str] = {}
        self.required: dict[str, None] = {}
        self.scores: dict[str, float] = {}
        self._atoms = atoms
        self._values = context.values()
        self._weights = weights
        self._groups: dict[str, str] = {}
        self._matched: dict[str, str] = {}
        self._match_selectors()
        self._require_mandatory()
        self._score(context.request)
        for id in sorted(self._open(), key=self._rank):
            if self._allowed(id):
                self._admit(id, self._matched[id])

    def _match_selectors(self) -> None:
        """Put out what is for other contexts or needs what nobody has, and all that needs it."""
        blocked: list[tuple[str, str]] = []
        for id, atom in self._atoms.items():
            matched, missed = _match(atom, self._values)
            if missed:
                blocked.append((id, missed))
            else:
                self._matched[id] = matched
            blocked += [
                (id, f"needs {other}, which does not exist") for other in atom.depends_on if other not in self._atoms
            ]
        for id, why in blocked:
            self._block(id, why)

    def _block(self, id: str, why: str) -> None:
        """Put an atom out, and with it everything that needs it."""
        waiting = [(id, why)]
        while waiting:
            here, reason = waiting.pop()
            if here in self.out:
                continue
            self.out[here] = reason
            waiting += [(other, f"needs {here}, which is out") for other in self._atoms.needed_by.get(here, ())]

    def _require_mandatory(self) -> None:
        mandatory = [id for id, atom in self._atoms.items() if atom.is_mandatory and id not in self.out]
        for id in sorted(mandatory, key=lambda id: (-self._atoms[id].priority, id)):
            if id not in self.chosen:
                if (clash := self._clash(self._needs(id))) is not None:
                    raise AtomFault(
                        f"{self._atoms[id].place}: the mandatory atom {id} cannot come in: {clash[1]}", [id]
                    )
                self._admit(id, "mandatory")
        self.required = dict.fromkeys(self.chosen)
        for id in self.required:
            for other in self._atoms.excludes.get(id, ()):
                if other in self._atoms:
                    self._block(other, f"conflicts with {id}, which is mandatory")

    def _score(self, request: str) -> None:
        near = self._atoms.index.nearness(request) if request else {}
        weights = self._weights
        for id in self._matched:
            atom = self._atoms[id]
            logic = min(atom.priority, 100) / 100
            similar = near.get(id, 0.0)
            score = logic if atom.skeleton else weights.logic * logic + weights.similarity * similar
            self.scores[id] = round(score, 6)

    def _open(self) -> list[str]:
        return [id for id in self._matched if id not in self.chosen and id not in self.out]

    def _rank(self, id: str) -> tuple[float, int, str]:
        return -self.scores[id], -self._atoms[id].priority, id

    def _allowed(self, id: str) -> bool:
        """Tell whether an atom may come in as things stand; why not is kept."""
        if id in self.chosen or id in self.out:
            return False
        score, threshold = self.scores[id], self._weights.threshold
        if score < threshold and not self._atoms[id].skeleton:
            self.out[id] = f"its score {score:g} is below {threshold:g}"
            return False
        clash = self._clash(self._needs(id))
        if clash is None:
            return True
        self._block(*clash)
        if id not in self.out:
            self._block(id, f"needs {clash[0]}, which is out")
        return False

    def _needs(self, id: str) -> list[str]:
        return self._atoms.closure(id, without=self.chosen)

    def _clash(self, ids: list[str]) -> tuple[str, str] | None:
        """Return which of some atoms cannot come in beside those chosen and each other, and why."""
        together = set(ids)
        groups: dict[str, str] = {}
        for id in ids:
            atom = self._atoms[id]
            for other in self._atoms.excludes.get(id, ()):
                if other in self.chosen:
                    return id, f"conflicts with {other}"
                if other in together:
                    return ids[0], f"needs {id} and {other}, which exclude each other"
            group = atom.is_exclusive
            if group and group in self._groups:
                return id, f"{self._groups[group]} is the one of the group {group}"
            if group and groups.setdefault(group, id) != id:
                return ids[0], f"needs {id} and {groups[group]}, both of the group {group}"
        return None

    def _admit(self, id: str, why: str) -> None:
        for other in self._needs(id):
            self.chosen[other] = why if other == id else f"needed by {id}"
            self.out.pop(other, None)
            if group := self._atoms[other].is_exclusive:
                self._groups[group] = other


def _match(atom: PromptAtom, values: dict[str, frozenset[str]]) -> tuple[str, str]:
    """Return by which selectors an atom is for a context, and by which one it is not; one of them is empty.

    No selector is for every context; all kinds have to match, in each any one value does; a kind of which the context
    has no value does not match.
    """
    matched: list[str] = []
    for name, wanted in atom.selectors:
        have = values.get(name, frozenset())
        both = [value for value in wanted if value in have]
        if not both:
            told = ", ".join(sorted(have)[:5]) or "nothing"
            return "", f"{name}: wants {', '.join(wanted[:5])}, and here is {told}"
        matched.append(f"{name} {', '.join(both)}")
    return "by " + "; ".join(matched) if matched else "for every context", ""


class _Allotment:
    """Give each chosen atom a variant, or none; the sum never exceeds the budget.

    Lengths are counted in bytes and with what stands between two atoms, so that rounding each to tokens can only
    overstate the whole.
    """

    def __init__(self, atoms: AtomSet, selection: Selection, budget: int, shares: Mapping[str, Category]) -> None:
        self._atoms = atoms
        self._selection = selection
        self._budget = budget
        self._shares = shares
        self._left = budget
        self.variant: dict[str, int] = {}
        self.out: dict[str, str] = {}
        self._costs = {id: self._cost(id) for id in selection.chosen}

    def run(self) -> _Allotment:
        """Hand out the budget."""
        self._require()
        ranked = sorted(self._selection.chosen, key=self._rank)
        for category in sorted(self._shares.values(), key=lambda one: (one.importance, one.order)):
            self._serve([id for id in ranked if self._atoms[id].category == category.name], category)
        for id in ranked:
            if id in self.variant:
                self._lengthen(id)
            else:
                self._place(id, self._left)
        for id in ranked:
            if id not in self.variant:
                self.out[id] = f"the budget: it takes {self._least(id):,} tokens at least, and {self._left:,} are left"
        return self

    def _least(self, id: str) -> int:
        """Return what an atom takes at its shortest, with what it needs where it would fit alone."""
        own = self._costs[id][-1]
        return own if own > self._left else sum(self._costs[one][-1] for one in self._unit(id))

    def _cost(self, id: str) -> list[int]:
        between = len(BETWEEN)
        return [(len(text.encode("utf-8", "surrogatepass")) + between + 3) // 4 for _, text in self._atoms[id].variants]

    def _rank(self, id: str) -> tuple[bool, float, int, str]:
        required = id in self._selection.required
        return not required, -self._selection.scores.get(id, 0.0), -self._atoms[id].priority, id

    def _require(self) -> None:
        """Put in what has to be there, as short as it can be, then lengthen it by importance."""
        required = dict(self._selection.required)
        for name in NEEDED:
            if not any(self._atoms[id].category == name for id in required):
                required |= dict.fromkeys(self._best_of(name))
        for id in required:
            self._set(id, len(self._costs[id]) - 1)
        if self._left < 0:
            needed = self._budget - self._left
            message = f"the atoms that a prompt must have take {needed:,} tokens at their shortest, of {self._budget:,}"
            raise InputError(message, fix="raise persona.budget, or give them a content_min")
        for id in sorted(required, key=self._rank):
            self._lengthen(id)

    def _best_of(self, name: str) -> list[str]:
        found = sorted((id for id in self._selection.chosen if self._atoms[id].category == name), key=self._rank)
        if not found:
            raise InputError(f"no {name} atom is for this context, and a prompt needs one", fix=f"add one of {name}")
        return self._atoms.closure(found[0])

    def _set(self, id: str, variant: int) -> None:
        before = self._costs[id][self.variant[id]] if id in self.variant else 0
        self._left -= self._costs[id][variant] - before
        self.variant[id] = variant

    def _lengthen(self, id: str) -> None:
        """Give an atom that is in the longest of its texts that fits."""
        now = self.variant[id]
        for variant in range(now):
            if self._costs[id][variant] - self._costs[id][now] <= self._left:
                self._set(id, variant)
                return

    def _serve(self, ids: list[str], category: Category) -> None:
        share = int(min(max(self._budget * category.percent / 100, category.least), category.most))
        spent = sum(self._costs[id][self.variant[id]] for id in ids if id in self.variant)
        for id in ids:
            if id not in self.variant:
                spent += self._place(id, min(self._left, share - spent))

    def _place(self, id: str, most: int) -> int:
        """Put an atom in with what it needs, each as long as *most* tokens allow; return what it took."""
        if self._costs[id][-1] > most:
            return 0
        unit = self._unit(id)
        for level in range(max(len(self._costs[one]) for one in unit)):
            variants = {one: min(level, len(self._costs[one]) - 1) for one in unit}
            took = sum(self._costs[one][variant] for one, variant in variants.items())
            if took <= most:
                for one, variant in variants.items():
                    self._set(one, variant)
                return took
        return 0

    def _unit(self, id: str) -> list[str]:
        return self._atoms.closure(id, without=self.variant)
