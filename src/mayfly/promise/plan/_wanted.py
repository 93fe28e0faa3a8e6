"""What of a request is to be planned, and what of it no plan would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mayfly.promise.fit import Reading, Said, hands_on

_ORDERING = frozenset(("before", "after", "once"))


def without_showing(asked: list[tuple[int, Said]]) -> list[tuple[int, Said]]:
    """Return what is asked without "and show it"; what is forbidden with that holds for what comes before it."""
    kept = [one for one in asked if not hands_on(one[1])]
    bound = [said.clause.constraint for _, said in asked if hands_on(said) and said.clause.constraint != "none"]
    if not kept or not bound:
        return kept or asked
    place, said = kept[-1]
    told = [part for part in (said.clause.constraint, *bound) if part != "none"]
    return [*kept[:-1], (place, replace(said, clause=replace(said.clause, constraint="; ".join(told))))]


def left_out(reading: Reading) -> str:
    """Return what stands beside a request and may be part of it: "before you overwrite a.txt, …", "every file: …"."""
    told = [clause for clause in reading.request.clauses if clause.kind == "statement" and not clause.pasted]
    asked = [said for said in reading.said.values() if said.clause.kind != "question"]
    used = " ".join(f"{said.clause.target} {said.condition}" for said in asked)
    names = {piece.token.text for said in asked for piece in said.pieces}
    for clause in told if asked else ():
        named = [token.text for token in clause.tokens if token.kind in ("path", "url")]
        if clause.tokens[0].plain in _ORDERING or any(name not in names and name not in used for name in named):
            return reading.written(clause.text)
    return ""


def chooses(asked: Sequence[Said]) -> bool:
    """Say whether one of two ways is to be taken."""
    otherwise = any(phrase.lead == "otherwise" for said in asked for phrase in said.clause.conditions)
    return otherwise or any(said.clause.alternative for said in asked)
