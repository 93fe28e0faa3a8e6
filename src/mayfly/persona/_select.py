"""Which atoms belong into a prompt: by selectors, needs, conflicts, groups and score, before any budget counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from mayfly.persona._atomset import Fault

if TYPE_CHECKING:
    from mayfly.persona._atoms import PromptAtom
    from mayfly.persona._atomset import AtomSet
    from mayfly.persona._context import PromptContext


class Weights(NamedTuple):
    """What an atom's own importance and its nearness to the request count, and from which sum on it may come in."""

    logic: float = 0.7
    similarity: float = 0.3
    threshold: float = 0.1


@dataclass(kw_only=True)
class Selection:
    """What was chosen, from the most important on, and why everything is in or out."""

    chosen: dict[str, str] = field(default_factory=dict)
    out: dict[str, str] = field(default_factory=dict)
    required: dict[str, None] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)


def select(atoms: AtomSet, context: PromptContext, weights: Weights) -> Selection:
    """Choose atoms for a context; two mandatory ones that exclude each other are an error."""
    return _Selector(atoms, context, weights).run()


class _Selector:
    def __init__(self, atoms: AtomSet, context: PromptContext, weights: Weights) -> None:
        self._atoms = atoms
        self._values = context.values()
        self._request = context.request
        self._weights = weights
        self._found = Selection()
        self._groups: dict[str, str] = {}
        self._matched: dict[str, str] = {}

    def run(self) -> Selection:
        self._match_selectors()
        self._require_mandatory()
        self._score()
        for id in sorted(self._open(), key=self._rank):
            if self._allowed(id):
                self._admit(id, self._matched[id])
        return self._found

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
            if here in self._found.out:
                continue
            self._found.out[here] = reason
            waiting += [(other, f"needs {here}, which is out") for other in self._atoms.needed_by.get(here, ())]

    def _require_mandatory(self) -> None:
        mandatory = [id for id, atom in self._atoms.items() if atom.is_mandatory and id not in self._found.out]
        for id in sorted(mandatory, key=lambda id: (-self._atoms[id].priority, id)):
            if id not in self._found.chosen:
                if (clash := self._clash(self._needs(id))) is not None:
                    raise Fault(f"{self._atoms[id].place}: the mandatory atom {id} cannot come in: {clash[1]}", [id])
                self._admit(id, "mandatory")
        self._found.required = dict.fromkeys(self._found.chosen)
        for id in self._found.required:
            for other in self._atoms.excludes.get(id, ()):
                if other in self._atoms:
                    self._block(other, f"conflicts with {id}, which is mandatory")

    def _score(self) -> None:
        near = self._atoms.index.nearness(self._request) if self._request else {}
        weights = self._weights
        for id in self._matched:
            atom = self._atoms[id]
            logic = min(atom.priority, 100) / 100
            similar = near.get(id, 0.0)
            score = logic if atom.skeleton else weights.logic * logic + weights.similarity * similar
            self._found.scores[id] = round(score, 6)

    def _open(self) -> list[str]:
        return [id for id in self._matched if id not in self._found.chosen and id not in self._found.out]

    def _rank(self, id: str) -> tuple[float, int, str]:
        return -self._found.scores[id], -self._atoms[id].priority, id

    def _allowed(self, id: str) -> bool:
        """Tell whether an atom may come in as things stand; why not is kept."""
        if id in self._found.chosen or id in self._found.out:
            return False
        score, threshold = self._found.scores[id], self._weights.threshold
        if score < threshold and not self._atoms[id].skeleton:
            self._found.out[id] = f"its score {score:g} is below {threshold:g}"
            return False
        clash = self._clash(self._needs(id))
        if clash is None:
            return True
        self._block(*clash)
        if id not in self._found.out:
            self._block(id, f"needs {clash[0]}, which is out")
        return False

    def _needs(self, id: str) -> list[str]:
        return self._atoms.closure(id, without=self._found.chosen)

    def _clash(self, ids: list[str]) -> tuple[str, str] | None:
        """Return which of some atoms cannot come in beside those chosen and each other, and why."""
        together = set(ids)
        groups: dict[str, str] = {}
        for id in ids:
            atom = self._atoms[id]
            for other in self._atoms.excludes.get(id, ()):
                if other in self._found.chosen:
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
            self._found.chosen[other] = why if other == id else f"needed by {id}"
            self._found.out.pop(other, None)
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
