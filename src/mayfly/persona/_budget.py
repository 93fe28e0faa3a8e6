"""Which variant of which atom fits: required ones first, then each kind within its part, then whatever is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError
from mayfly.persona._atoms import Category

if TYPE_CHECKING:
    from mayfly.persona._atomset import AtomSet
    from mayfly.persona._select import Selection

BETWEEN: Final = "\n\n"
# A prompt without these says neither who acts nor how.
NEEDED: Final = ("identity", "protocol")


class Allotment:
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

    def run(self) -> Allotment:
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
