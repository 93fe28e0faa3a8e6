"""Clauses that put into a file what an earlier one gave or what is got first, or only show it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from mayfly.promise._data import result_of
from mayfly.promise.fit import ClausePiece, FillSource, SaidClause, hands_on, is_idle, only_fit
from mayfly.promise.plan._draft import Draft, call_step
from mayfly.promise.plan._results import Results
from mayfly.promise.plan._slots import alone

# Before the noun these say no more than that it is what there is now.
_LEFT = frozenset(("remaining", "other", "resulting", "final", "whole", "complete"))
_OPEN = frozenset(("what", "what's", "whatever", "whichever"))
_SHOW = "return_constant"
_PUTTING = frozenset(("write", "append", "send"))
_IN = frozenset(("in", "into", "onto", "on", "under"))


def show_result(known: Results, said: SaidClause, name: str) -> list[Draft]:
    """Return the step of a clause that only wants to see what came before it: its value is that."""
    needed = known.needed(said)
    if not needed or not hands_on(said) or _SHOW not in known.registry:
        return []
    known.hand_on(said)
    known.found[said.place] = FillSource.of_step(name, needed[0].schema, needed[0].said)
    argument = {"value": result_of(needed[0].name)}
    text = alone(said, known.reading)
    return [Draft(name=name, intent=text, needs=(needed[0].name,), capability=_SHOW, argument=argument)]


def put_result(known: Results, said: SaidClause, name: str) -> list[Draft]:
    """Return the step that puts into a file what an earlier clause gave, whatever that is called."""
    sources, target = known.sources(said), _target_of(said)
    if not sources or target is None or said.narrowed or not _refers(said, target, sources):
        return []
    step = _put(known, said, name, _with_file(said, target), sources)
    if step is None:
        return []
    known.hand_on(said)
    return [step]


def _put(known: Results, said: SaidClause, name: str, taken: SaidClause, sources: Sequence[FillSource]) -> Draft | None:
    """Return the step of a clause, *taken* as putting away only what comes before it."""
    fit = only_fit(taken, list(known.registry), sources)
    if fit is None:
        return None
    step = call_step(fit, name, alone(said, known.reading))
    known.note_step(said, step)
    return step


def get_first(known: Results, said: SaidClause, name: str) -> list[Draft]:
    """Return two steps for what is to be put where it is not yet: "write the number of lines of a.txt to n.txt"."""
    aims = [piece for piece in said.pieces if piece.kind in ("path", "url") and _is_aim(piece)]
    if not said.verbs & _PUTTING or said.clause.needs or len(aims) != 1:
        return []
    thing = [piece for piece in said.pieces if piece.phrase != aims[0].phrase]
    measured = any(piece.plain == "number" for piece in thing if piece.role == "object")
    verbs = frozenset(("count" if measured else "read",))
    got = only_fit(replace(said, verbs=verbs, pieces=tuple(thing)), list(known.registry), (), whole=True)
    if not thing or got is None or got.capability.effect != "none":
        return []
    text = known.reading.text[thing[0].token.start : thing[-1].token.end]
    first = call_step(got, known.free("get"), f"get {known.reading.written(text)}")
    source = FillSource.of_step(first.name, got.capability.output_schema)
    put = _put(known, said, name, replace(said, pieces=tuple(aims)), (source,))
    if put is None:
        return []
    if aims[0].kind == "path":
        # A file gives back what was put there, an address gives its reply.
        known.handed[said.place] = replace(source, said=known.words(said))
    return [first, put]


def make_first(known: Results, said: SaidClause, name: str) -> list[Draft]:
    """Return three steps for what is made of one file and put into another: "write the first line of a to b"."""
    aims = [piece for piece in said.pieces if piece.is_file and _is_aim(piece)]
    thing = [piece for piece in said.pieces if not aims or piece.phrase != aims[-1].phrase]
    files = [piece for piece in thing if piece.kind in ("path", "url") or piece.is_file]
    if not said.verbs & {"write", "append"} or said.clause.needs or said.narrowed or len(files) != 1 or not aims:
        return []
    verbs = frozenset(("fetch" if files[0].kind == "url" else "read",))
    read = replace(said, verbs=verbs, pieces=(replace(files[0], role="object", lead=""),))
    got = only_fit(read, list(known.registry), ())
    if got is None or got.open:
        return []
    words = " ".join(known.reading.text[thing[0].token.start : thing[-1].token.end].split())
    first = call_step(got, known.free("get"), f"get {files[0].token.text}")
    make = Draft(name=known.free("make"), intent=known.reading.written(words), needs=(first.name,))
    source = FillSource.of_step(make.name, {})
    last = _put(known, said, name, _with_file(said, aims[-1]), (source,))
    if last is None:
        return []
    known.handed[said.place] = replace(source, said=known.words(said))
    return [first, make, last]


def _is_aim(piece: ClausePiece) -> bool:
    return piece.role == "destination" or (piece.role == "place" and piece.lead in ("in", "into"))


def _target_of(said: SaidClause) -> ClausePiece | None:
    """Return the one file that a clause puts something into; None where it names more, or puts nothing anywhere."""
    files = [piece for piece in said.pieces if piece.kind not in ("word", "literal")]
    aims = [piece for piece in files if piece.is_file and (piece.role == "destination" or piece.lead in _IN)]
    return aims[0] if len(files) == len(aims) == 1 else None


def _refers(said: SaidClause, target: ClausePiece, sources: Sequence[FillSource]) -> bool:
    """Say whether all that a clause puts there is what came before: "what is left", "the others", "the old listing"."""
    beside = [piece for piece in said.pieces if piece is not target and not is_idle(piece.plain)]
    if any(piece.role != "object" and piece.phrase != target.phrase for piece in beside):
        return False
    spoken = [piece.plain for piece in beside if piece.role == "object"]
    if not spoken or spoken[0] in _OPEN:
        return True
    called = (word in _LEFT or any(source.is_called(word) for source in sources) for word in spoken[:-1])
    return all(called)


def _with_file(said: SaidClause, target: ClausePiece) -> SaidClause:
    """Return a clause as if it named only the file; "list the hits in a.txt" writes them as well."""
    verbs = said.verbs & {"append"} or frozenset(("write",))
    return replace(said, verbs=verbs, pieces=(replace(target, role="destination", lead="to"),))


def puts_what_came(said: SaidClause, found: Container[int]) -> bool:
    """Say whether a clause puts into files what an earlier one gave: "save them as a.txt and b.txt"."""
    names = any(piece.is_file and (piece.role == "destination" or piece.lead in _IN) for piece in said.pieces)
    puts = (names or said.clause.head == "each") and bool(said.verbs & {"write", "append"})
    return puts and any(place in found for place in said.clause.needs)
