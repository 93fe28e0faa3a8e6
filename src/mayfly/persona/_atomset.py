"""Prompt atoms that belong together: checked as a whole, their needs and conflicts, and their nearness to a request."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError

if TYPE_CHECKING:
    from mayfly.persona._atoms import PromptAtom

# How many others one atom may need, all told: it keeps choosing linear, and no prompt is written so.
MOST_NEEDED: Final = 100
_WORD: Final = re.compile(r"[^\W_]{2,}")
# A request that is pasted from a log adds nothing after this many words.
_MOST_WORDS: Final = 2000


class AtomFault(InputError):
    """Something is wrong with atoms as a whole; `ids` are those to blame, the last read first."""

    code = "ATOMS"

    def __init__(self, message: str, ids: Iterable[str], *, fix: str | None = None) -> None:
        super().__init__(message, fix=fix)
        self.ids = tuple(ids)


class AtomSet(Mapping[str, "PromptAtom"]):
    """Atoms by id, in the order they were read; nothing in it changes."""

    def __init__(self, atoms: Iterable[PromptAtom] = (), *, check: bool = True, like: AtomSet | None = None) -> None:
        self._atoms: dict[str, PromptAtom] = {}
        # An older set with the same texts, but for atoms that need not be near to a request.
        self._like = like
        for atom in atoms:
            if atom.id in self._atoms:
                first = self._atoms[atom.id].place
                raise AtomFault(f"{atom.place}: id: {atom.id} stands in {first} already", [atom.id], fix="rename one")
            self._atoms[atom.id] = atom
        self.needed_by: dict[str, list[str]] = defaultdict(list)
        self.excludes: dict[str, list[str]] = defaultdict(list)
        for atom in self._atoms.values():
            for other in atom.depends_on:
                self.needed_by[other].append(atom.id)
            for other in atom.conflicts_with:
                self.excludes[atom.id].append(other)
                self.excludes[other].append(atom.id)
        if check and (fault := next(self.faults(), None)) is not None:
            raise fault

    def __getitem__(self, id: str) -> PromptAtom:
        return self._atoms[id]

    def __contains__(self, id: object) -> bool:
        return id in self._atoms

    def __iter__(self) -> Iterator[str]:
        return iter(self._atoms)

    def __len__(self) -> int:
        return len(self._atoms)

    @cached_property
    def index(self) -> AtomIndex:
        """What the atoms are about, for comparing them with a request."""
        if self._like is not None:
            return self._like.index
        return AtomIndex((id, f"{atom.description}\n{atom.content}\n{id}") for id, atom in self._atoms.items())

    def faults(self) -> Iterator[AtomFault]:
        """Yield what is wrong with the whole: cycles, atoms that need too many, mandatory ones that exclude another."""
        yield from self._cycles()
        yield from self._needs()
        yield from self._clashes()

    def _cycles(self) -> Iterator[AtomFault]:
        needs = {id: [other for other in atom.depends_on if other in self] for id, atom in self._atoms.items()}
        try:
            TopologicalSorter(needs).prepare()
        except CycleError as error:
            # Each is needed by the next one; it is told the other way round, from the first that was read.
            order = {id: number for number, id in enumerate(self._atoms)}
            circle = error.args[1][:0:-1]
            newest = sorted(circle, key=order.__getitem__, reverse=True)
            first = circle.index(newest[-1])
            circle = circle[first:] + circle[:first]
            told = " -> ".join((*circle, circle[0]))
            yield AtomFault(f"{self[circle[0]].place}: depends_on: atoms need each other in a circle: {told}", newest)

    def _needs(self) -> Iterator[AtomFault]:
        for id in self._atoms:
            if len(self.closure(id, most=MOST_NEEDED + 1)) > MOST_NEEDED:
                place = self[id].place
                yield AtomFault(f"{place}: depends_on: {id} needs more than {MOST_NEEDED} other atoms, all told", [id])

    def _clashes(self) -> Iterator[AtomFault]:
        order = {id: number for number, id in enumerate(self._atoms)}
        for id, atom in self._atoms.items():
            if not atom.is_mandatory:
                continue
            for other in self.excludes.get(id, ()):
                both = self._atoms.get(other)
                if both is not None and both.is_mandatory and order[other] < order[id] and _meet(atom, both):
                    told = f"{id} and {other} ({both.place}) are both mandatory and exclude each other"
                    yield AtomFault(f"{atom.place}: conflicts_with: {told}", [id])
        yield from self._groups()

    def _groups(self) -> Iterator[AtomFault]:
        groups: dict[str, list[PromptAtom]] = defaultdict(list)
        for atom in self._atoms.values():
            if not (atom.is_mandatory and atom.is_exclusive):
                continue
            for other in groups[atom.is_exclusive]:
                if _meet(atom, other):
                    told = (
                        f"{atom.id} and {other.id} ({other.place}) are both mandatory in the group {atom.is_exclusive}"
                    )
                    yield AtomFault(f"{atom.place}: is_exclusive: {told}", [atom.id])
                    break
            else:
                groups[atom.is_exclusive].append(atom)

    def closure(self, id: str, *, without: Mapping[str, object] | None = None, most: int | None = None) -> list[str]:
        """Return an atom and all it needs that are there and not in *without*, as far as *most*."""
        found = {id: None}
        waiting = [id]
        while waiting and (most is None or len(found) <= most):
            for other in self[waiting.pop()].depends_on:
                if other in self and other not in found and (without is None or other not in without):
                    found[other] = None
                    waiting.append(other)
        return list(found)


def _meet(one: PromptAtom, other: PromptAtom) -> bool:
    """Tell whether some context with one value of each kind suits both atoms."""
    wanted = dict(other.selectors)
    return all(not (name in wanted and not {*values} & {*wanted[name]}) for name, values in one.selectors)


class AtomIndex:
    """Texts by their words; `nearness` compares a request with all of them, rare words counting more.

    No model, and the same on every machine.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._having: dict[str, list[str]] = defaultdict(list)
        words_of: dict[str, frozenset[str]] = {}
        for id, text in texts:
            words_of[id] = words = words_in(text)
            for word in words:
                self._having[word].append(id)
        self._count = len(words_of)
        self._length = {id: self._norm(words) for id, words in words_of.items()}

    def nearness(self, request: str) -> dict[str, float]:
        """Return the cosine of request and text, from 0 to 1, of every text that shares a word with it."""
        words = words_in(request)
        length = self._norm(words)
        shared: dict[str, list[float]] = defaultdict(list)
        for word in sorted(words):
            weight = self._weight(word) ** 2
            for id in self._having.get(word, ()):
                shared[id].append(weight)
        return {id: min(1.0, math.fsum(found) / (length * self._length[id])) for id, found in shared.items()}

    def _norm(self, words: Iterable[str]) -> float:
        # fsum does not depend on the order of a set.
        return math.sqrt(math.fsum(self._weight(word) ** 2 for word in words)) or 1.0

    def _weight(self, word: str) -> float:
        return math.log(1.0 + (self._count + 1) / (len(self._having.get(word, ())) + 1))


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text, in small letters, a plural as its singular."""
    found = _WORD.findall(text.casefold())[:_MOST_WORDS]
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word for word in found)
