"""Clauses that are done for one thing after another: for the files that are named, or for those that are found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mayfly.core import Capability
from mayfly.library import Registry
from mayfly.promise._data import ITEM
from mayfly.promise.fit import ClausePiece, FillSource, FitReading, SaidClause, format_of, only_fit
from mayfly.promise.plan._draft import Draft, call_step

FILE: Mapping[str, Any] = {"type": "string", "format": "path"}
_FIND = "find_files"
# Stands for the item while a clause is held against capabilities; no file is called so.
_MARK = "⟦item⟧"


def side_by_side(said: SaidClause) -> list[ClausePiece]:
    """Return the files or addresses that are named in one phrase, where there are several."""
    named = [piece for piece in said.pieces if piece.kind in ("path", "url")]
    first = next((piece for piece in named if sum(one.phrase == piece.phrase for one in named) > 1), None)
    return [piece for piece in named if first is not None and (piece.phrase, piece.kind) == (first.phrase, first.kind)]


def is_each(said: SaidClause) -> bool:
    """Say whether a clause is done for one thing after another; where one of two names is where it goes, it is not."""
    aimed = {str(piece.value) for piece in said.pieces if piece.role == "destination"}
    named = [name for name in said.clause.each if name not in aimed]
    return any(piece.role == "each" for piece in said.pieces) or len(named) > (
        1 if aimed & set(said.clause.each) else 0
    )


def named_in_each(said: SaidClause) -> list[ClausePiece]:
    """Return the words for what a clause goes through, without "each" and "of them"."""
    return [piece for piece in said.pieces if piece.role == "each" and not _counts(piece)]


def each_named(said: SaidClause) -> list[ClausePiece]:
    """Return the files or addresses that a clause goes through by their names."""
    return [piece for piece in said.pieces if piece.kind in ("path", "url") and str(piece.value) in said.clause.each]


def only_with(said: SaidClause, named: Sequence[ClausePiece], piece: ClausePiece) -> SaidClause:
    """Return a clause as if it named only one of several things."""
    return replace(said, pieces=tuple(one for one in said.pieces if one is piece or one not in named))


def text_with(reading: FitReading, said: SaidClause, named: Sequence[ClausePiece], piece: ClausePiece) -> str:
    """Return the words of a clause with one of its things in place of all of them."""
    start, stop, text = named[0].token.start, named[-1].token.end, reading.request.text
    before, after = text[said.clause.tokens[0].start : start], text[stop : said.clause.tokens[-1].end]
    before = re.sub(r"\b(file|page|document|address|url)e?s\s+$", r"\1 ", re.sub(r"\bboth\s+$", "", before))
    return reading.written(" ".join(f"{before}{piece.token.text}{after}".split()))


def goes_through(said: SaidClause) -> int:
    """Return where the words for what a clause is done for stand before it, "for each file, …"; -1 where none do."""
    return next((phrase.tokens[0].start for phrase in said.clause.front if phrase.role == "each"), -1)


def as_each(said: SaidClause) -> SaidClause:
    """Return "all *.tmp files in build/" as each of them, for whoever takes one file alone; others as they are."""
    objects = [piece for piece in said.pieces if piece.role == "object"]
    if not any(piece.plain == "all" for piece in objects) or not any(piece.plain == "files" for piece in objects):
        return said
    moved = (
        replace(piece, role="each") if piece in objects and piece.plain != "all" else piece for piece in said.pieces
    )
    return replace(said, pieces=tuple(piece for piece in moved if piece.plain != "all"))


def uncounted(said: SaidClause) -> SaidClause:
    """Return a clause without the words that only say that it is done for each: "hash each of a.txt and b.txt"."""
    return replace(said, pieces=tuple(piece for piece in said.pieces if not _counts(piece)))


def bare_clause(said: SaidClause) -> SaidClause:
    """Return a clause without the words for all that it is done for, and where they are."""
    kept = [piece for piece in uncounted(said).pieces if piece.role != "each" and not _tells_where(piece)]
    return replace(said, pieces=tuple(kept), clause=replace(said.clause, each=()))


def find_step(said: SaidClause, registry: Registry, name: str) -> Draft | None:
    """Return the step that finds "every Python file in src": the words for them and where they are."""
    if _FIND not in registry:
        return None
    among = [piece for piece in said.pieces if (piece.role == "each" and not _counts(piece)) or _tells_where(piece)]
    moved = tuple(replace(piece, role="object", lead="") if piece.role == "each" else piece for piece in among)
    clause = replace(said.clause, needs=(), phrases=())
    fit = only_fit(replace(said, pieces=moved, verbs=frozenset(("find",)), clause=clause), [registry.get(_FIND)], ())
    if fit is None:
        return None
    where = str(fit.arguments.get("path", ""))
    wanted = " ".join(piece.token.text for piece in among if piece.role == "each")
    return call_step(fit, name, f"find {wanted}{f' in {where}' if where else ''}")


def step_for_item(said: SaidClause, items: Mapping[str, Any], registry: Registry) -> Draft | None:
    """Return what is done for one item: the clause without the words for all of them."""
    path = items.get("format") == "path" or "path" in items.get("required", ())
    globs = (str(piece.value) for piece in said.pieces if piece.kind == "glob")
    ending = next((glob[glob.rindex(".") :] for glob in globs if "." in glob), "")
    bare = bare_clause(said)
    # "it" is the item, whatever it was that an earlier clause gave.
    pieces = tuple(piece for piece in bare.pieces if piece.plain not in ("it", "its", "them", "their"))
    bare = replace(bare, pieces=pieces, clause=replace(bare.clause, needs=()))
    for capability in registry:
        named = _with_file(bare, capability, ending) if path else None
        sources = () if named else (FillSource(value=dict(ITEM), schema=items),)
        fit = only_fit(named or bare, [capability], sources, whole=True)
        if fit is not None:
            argument = {name: _item(value, items) for name, value in fit.arguments.items()}
            told = " ".join(piece.token.text for piece in pieces)
            text = f"{said.clause.said} {told} of {{item}}" if told else f"{said.clause.said} {{item}}"
            return Draft(name="each", intent=text, capability=capability.name, argument=argument)
    return None


def _counts(piece: ClausePiece) -> bool:
    return piece.kind == "word" and piece.plain in ("each", "every", "of", "them", "these", "those")


def _tells_where(piece: ClausePiece) -> bool:
    return piece.is_directory and piece.role in ("place", "each", "detail")


def _with_file(said: SaidClause, capability: Capability, ending: str) -> SaidClause | None:
    """Return the clause as if it named a file, where a capability takes one; the name stands for the item.

    It ends as those that are gone through do: some capabilities take only files that end so.
    """
    properties = capability.input_schema.get("properties", {})
    if "path" not in {format_of(name, schema) for name, schema in properties.items()} or not said.clause.tokens:
        return None
    token = said.clause.tokens[-1]._replace(kind="path", text=_MARK + ending, plain="")
    piece = ClausePiece(
        token=token, kind="path", value=_MARK + ending, role="place", lead="of", phrase=len(said.clause.phrases) + 1
    )
    return replace(said, pieces=(*said.pieces, piece))


def _item(value: object, items: Mapping[str, Any]) -> object:
    if not str(value).startswith(_MARK):
        return value
    return {**ITEM, "at": "path"} if "path" in items.get("required", ()) else dict(ITEM)
