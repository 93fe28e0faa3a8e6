"""Clauses that put into a file what an earlier one gave, or only show it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from mayfly.promise.fit import Piece, Said, Source, is_idle

# Before the noun these say no more than that it is what there is now.
_LEFT = frozenset(("remaining", "other", "resulting", "final", "whole", "complete"))
_OPEN = frozenset(("what", "what's", "whatever", "whichever"))
_IN = frozenset(("in", "into", "onto", "on"))


def target_of(said: Said) -> Piece | None:
    """Return the one file that a clause puts something into; None where it names more, or puts nothing anywhere."""
    files = [piece for piece in said.pieces if piece.kind not in ("word", "literal")]
    aims = [piece for piece in files if piece.is_file and (piece.role == "destination" or piece.lead in _IN)]
    return aims[0] if len(files) == len(aims) == 1 else None


def refers(said: Said, target: Piece, sources: Sequence[Source]) -> bool:
    """Say whether all that a clause puts there is what came before: "what is left", "the others", "the old listing"."""
    beside = [piece for piece in said.pieces if piece is not target and not is_idle(piece.plain)]
    if any(piece.role != "object" and piece.phrase != target.phrase for piece in beside):
        return False
    spoken = [piece.plain for piece in beside if piece.role == "object"]
    if not spoken or spoken[0] in _OPEN:
        return True
    called = (word in _LEFT or any(source.is_called(word) for source in sources) for word in spoken[:-1])
    return all(called)


def with_file(said: Said, target: Piece) -> Said:
    """Return a clause as if it named only the file; "list the hits in a.txt" writes them, as all that names one does."""
    verbs = said.verbs & {"append"} or frozenset(("write",))
    return replace(said, verbs=verbs, pieces=(replace(target, role="destination", lead="to"),))


def puts_what_came(said: Said, found: Container[int]) -> bool:
    """Say whether a clause puts into files what an earlier one gave, in whatever way: "save each beside the original"."""
    names = any(piece.is_file and (piece.role == "destination" or piece.lead in _IN) for piece in said.pieces)
    puts = (names or said.clause.head == "each") and bool(said.verbs & {"write", "append"})
    return puts and any(place in found for place in said.clause.needs)
