"""The prompt compiler: atoms, a context and a budget become one text, and a list that says why each is in or out."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mayfly.core import InputError, content_hash
from mayfly.persona._atoms import Category, categories, tokens_in
from mayfly.persona._atomset import AtomSet
from mayfly.persona._budget import BETWEEN, Allotment
from mayfly.persona._select import Weights, select

if TYPE_CHECKING:
    from mayfly.persona._atoms import PromptAtom
    from mayfly.persona._context import PromptContext


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
class Compiled:
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
) -> Compiled:
    """Compile a prompt of at most *budget* tokens; the same atoms, context and budget give the same bytes."""
    known = atoms if isinstance(atoms, AtomSet) else AtomSet(atoms)
    if budget < 1:
        raise InputError(f"a budget of {budget} tokens leaves no room for a prompt", fix="raise persona.budget")
    selection = select(known, context, weights or Weights())
    allotted = Allotment(known, selection, budget, shares or categories()).run()
    order = _in_order(known, allotted.variant)
    text = BETWEEN.join(known[id].variants[allotted.variant[id]][1] for id in order)
    placed = [_placed_in(known[id], allotted.variant[id], selection.chosen[id], selection.scores) for id in order]
    out = {**selection.out, **allotted.out}
    placed += [_placed_out(atom, out[id], selection.scores) for id, atom in known.items() if id not in allotted.variant]
    tokens = tokens_in(text)
    assert tokens <= budget, "the sum over the atoms is an upper bound"
    return Compiled(text=text, tokens=tokens, budget=budget, manifest=tuple(placed))


def _placed_in(atom: PromptAtom, variant: int, why: str, scores: Mapping[str, float]) -> Placed:
    name, text = atom.variants[variant]
    return Placed(
        id=atom.id,
        category=atom.category,
        included=True,
        why=why if variant == 0 else f"{why}; shortened, for the budget",
        variant=name,
        part="skeleton" if atom.skeleton else "flesh",
        tokens=tokens_in(text),
        score=scores.get(atom.id, 0.0),
        place=atom.place,
    )


def _placed_out(atom: PromptAtom, why: str, scores: Mapping[str, float]) -> Placed:
    return Placed(
        id=atom.id,
        category=atom.category,
        included=False,
        why=why,
        part="skeleton" if atom.skeleton else "flesh",
        score=scores.get(atom.id, 0.0),
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
