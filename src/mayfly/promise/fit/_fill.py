"""Fill the parameters of a capability from a clause: each by its format with what of the clause has that form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mayfly.core import Capability, mismatch
from mayfly.language import bases
from mayfly.promise._data import result_of
from mayfly.promise.fit._said import ClausePiece, SaidClause
from mayfly.promise.fit._words import is_small, names, words

_MISSING = object()
Schema = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class FillSource:
    """What came before a clause and can fill a parameter: the result of the step *name*, or the value that was given.

    *schema* describes it where that is known, *said* are the words by which it was asked for.
    """

    value: object
    schema: Schema
    name: str = ""
    said: frozenset[str] = frozenset()
    given: bool = False

    @classmethod
    def of_step(cls, name: str, schema: Schema, said: frozenset[str] = frozenset()) -> FillSource:
        """Return the result of a step, which is known by a reference to it."""
        return cls(name=name, value=result_of(name), schema=schema, said=said)

    @property
    def kinds(self) -> frozenset[str]:
        """What it may be taken for."""
        kind = self.schema.get("type")
        known = kind if isinstance(kind, str) else "any"
        return words("kinds", {"number": "integer"}.get(known, known))

    def is_called(self, word: str) -> bool:
        """Say whether a word can mean it: a word for any result, or one of those by which it was asked for."""
        return word in words("words", "results") or not bases(word).isdisjoint(self.said)


def format_of(name: str, schema: Schema) -> str:
    """Return what may fill a parameter: the format in its schema, else what its name or its type says."""
    told = schema.get("x-fill") or schema.get("format")
    if told:
        return str(told)
    if schema.get("type") == "array" and isinstance(schema.get("items"), Mapping):
        inner = format_of(re.sub(r"s$", "", name), schema["items"])
        return f"{inner}s" if inner in ("path", "uri") else "flow"
    for known in names("parameters"):
        if name in words("parameters", known) and known != "destination":
            return "flow" if known == "text" else known
    kind = schema.get("type")
    if "enum" in schema:
        return "choice"
    if kind in ("integer", "number"):
        return "number"
    return "none" if kind == "boolean" or "const" in schema else "flow"


def role_of(name: str, schema: Schema) -> str:
    """Return in which phrase a parameter is named: as the destination, or anywhere else."""
    if "x-role" in schema:
        return str(schema["x-role"])
    return "destination" if name in words("parameters", "destination") else ""


class Filler:
    """Fill parameters one by one; whatever fills one is used up."""

    def __init__(self, said: SaidClause, capability: Capability, sources: Sequence[FillSource]) -> None:
        self._said = said
        self._capability = capability
        self._properties: Mapping[str, Schema] = capability.input_schema.get("properties", {})
        # Where it is known what a capability takes; one known to take nothing does not use up a name either.
        self._known = "properties" in capability.input_schema
        self._required = capability.input_schema.get("required", ())
        self._sources = sources
        self._left_sources = list(sources)
        self._used: set[int] = set()
        self._used_source = False

    @cached_property
    def _formats(self) -> set[str]:
        return {format_of(name, schema) for name, schema in self._properties.items()}

    def fill(self) -> dict[str, object]:
        """Return the arguments that the clause tells; names before what flows in, so that this fills what is left."""
        found: dict[str, object] = {}
        if not self._known:
            self._take_all()
        late = [name for name, schema in self._properties.items() if format_of(name, schema) in ("flow", "said")]
        for name in [*(name for name in self._properties if name not in late), *late]:
            if name == "text" and "path" in found and "path" in self._properties and name not in self._required:
                continue  # a text is one way to say what was said by a path already
            schema = self._properties[name]
            fill = _FILLERS.get(format_of(name, schema))
            value = fill(self, name, schema) if fill else _MISSING
            if value is not _MISSING:
                found[name] = value
        return {name: found[name] for name in self._properties if name in found}

    def _take_all(self) -> None:
        """Use up every name, one of a kind where it goes and one elsewhere: nobody knows what the capability takes."""
        seen: set[tuple[str, bool]] = set()
        for piece in self._said.pieces:
            key = ("number" if piece.kind == "sum" else piece.kind, piece.role == "destination")
            named = piece.kind not in ("word", "code") or (
                "search" in self._said.verbs and is_sought(self._said, piece)
            )
            named = named or (piece.role != "object" and piece.token.text.istitle())
            sums = piece.kind == "number" and "calculate" in self._said.verbs
            if ((named and key not in seen) or sums) and not self._counts(piece):
                seen.add(key)
                self._take(piece)

    def _counts(self, piece: ClausePiece) -> bool:
        """Say whether a number says how many there are of something: "send 5 emails"."""
        later = self._said.behind(piece)
        return piece.kind == "number" and bool(later) and later[0].kind == "word" and later[0].plain.endswith("s")

    def may_stay_open(self, missing: Sequence[str]) -> bool:
        """Say whether what is missing is only what the clause calls "this text" or "it", and may be given later."""
        flowing = all(format_of(name, self._properties[name]) in ("flow", "said") for name in missing)
        return flowing and not any(piece.kind in ("path", "url", "directory") for piece in self._said.pieces)

    def _free(self, *kinds: str, role: str | None = None) -> list[ClausePiece]:
        return [
            piece
            for piece in self._said.pieces
            if piece.kind in kinds
            and id(piece) not in self._used
            and (role is None or (piece.role == "destination") == (role == "destination"))
            and piece.role != "each"
        ]

    def _take(self, piece: ClausePiece) -> object:
        self._used.add(id(piece))
        return piece.value

    def _take_only(self, found: Sequence[ClausePiece]) -> object:
        """Use up what was found where it is one: of several nobody can tell which is meant."""
        return self._take(found[0]) if len(found) == 1 else _MISSING

    def _path(self, name: str, schema: Schema) -> object:
        role = role_of(name, schema)
        free = self._free("path", role=role) or (self._free("directory", role=role) if role else [])
        if not free and role:
            free = [piece for piece in self._free("path", role="") if piece.role != "object" and piece.lead == "in"]
        if not free:
            free = [piece for piece in self._free("quoted", role=role) if piece.is_file or self._is_called_file(piece)]
        return self._take_only(free) if not any(mismatch(piece.value, schema) for piece in free) else _MISSING

    def _is_called_file(self, piece: ClausePiece) -> bool:
        return any(one.plain == "file" and one.kind == "word" for one in self._said.beside(piece))

    def _paths(self, name: str, schema: Schema) -> object:
        free = self._free("path", "directory", role="")
        return [self._take(piece) for piece in free] if free else _MISSING

    def _directory(self, name: str, schema: Schema) -> object:
        free = self._free("directory", role=role_of(name, schema))
        free = free or [piece for piece in self._free("word", role="") if piece.is_directory]
        # "in src/mayfly": where something lies is a directory if its name has no ending, even one not there yet.
        free = free or [
            piece
            for piece in self._free("path", role=role_of(name, schema))
            if piece.role == "place" and "." not in str(piece.value).rpartition("/")[2]
        ]
        if not free:
            free = [piece for piece in self._free("word", "code", "quoted", "path") if self._is_called_folder(piece)]
        return self._take_only(free)

    def _is_called_folder(self, piece: ClausePiece) -> bool:
        """Say whether a word is the name of a folder, by the word before it: "the directory tests"."""
        pieces = list(self._said.pieces)
        place = pieces.index(piece)
        named = words("nouns", "directory")
        earlier = [one for one in pieces[:place] if one.plain not in ("called", "named")]
        before = earlier[-1] if earlier else piece
        return before.plain in named and piece.plain not in named and before.phrase == piece.phrase

    def _place(self, name: str, schema: Schema) -> object:
        free = self._free("path", role="")
        if len(free) == 1 and free[0].lead != "for":
            return self._take(free[0])
        return self._directory(name, schema)

    def _glob(self, name: str, schema: Schema) -> object:
        free = self._free("glob")
        if len(free) == 1:
            return self._take(free[0])
        for piece in self._free("word"):
            if piece.plain in names("files") and self._is_before_files(piece):
                self._take(piece)
                return f"*.{next(iter(words('files', piece.plain)))}"
        named = self._free("path", role="")
        if "phrase" in self._formats or len(named) != 1 or "/" in str(named[0].value):
            return _MISSING
        return self._take(named[0])

    def _is_before_files(self, piece: ClausePiece) -> bool:
        following = self._said.behind(piece)
        return bool(following) and following[0].plain in ("file", "files")

    def _uri(self, name: str, schema: Schema) -> object:
        free = [piece for piece in self._free("url") if "://" in str(piece.value)]
        return self._take_only(free)

    def _phrase(self, name: str, schema: Schema) -> object:
        """Return what to look for: what is quoted, a name of a program's, or the one word that is said for it."""
        for kind in ("quoted", "code"):
            free = self._free(kind)
            if len(free) == 1:
                return re.sub(r"\(\)$|(?<=[A-Z])s$", "", str(self._take(free[0])))
        sought = [piece for piece in self._free("word") if is_sought(self._said, piece)]
        loud = [piece for piece in sought if piece.token.text.isupper()] or sought
        return self._take_only(loud)

    def _said_or_flow(self, name: str, schema: Schema) -> object:
        """Return what came before or is quoted, and otherwise the one word that stands out: "numeral MCMXC"."""
        value = self._flow(name, schema)
        loud = [piece for piece in self._free("word", "code", role="") if piece.token.text.isupper()]
        fitting = [piece for piece in loud if not is_small(piece.plain) and not mismatch(piece.value, schema)]
        return self._take_only(fitting) if value is _MISSING else value

    def _expression(self, name: str, schema: Schema) -> object:
        sums = self._free("sum")
        if len(sums) == 1:
            return self._take(sums[0])
        numbers = self._free("number")
        if any(self._said.follows_with(piece, "!") for piece in numbers) or not numbers:
            return _MISSING
        said = {self._said.clause.said, *(piece.plain for piece in self._said.pieces if piece.kind == "word")}
        sign = next((sign for sign, said_so in _SIGNS.items() if said & said_so), "")
        if not sign:
            return str(self._take(numbers[0])) if len(numbers) == 1 else _MISSING
        if len(numbers) < 2 or (sign in "-/" and len(numbers) > 2):
            return _MISSING
        for piece in self._said.pieces:
            if piece.kind == "word" and piece.plain in _SIGNS[sign]:
                self._take(piece)
        values = [str(self._take(piece)) for piece in numbers]
        turned = values[::-1] if sign == "-" and any(piece.lead == "from" for piece in numbers) else values
        return sign.join(f"({value})" for value in turned)

    def _constant(self, name: str, schema: Schema) -> object:
        free = self._free("number", "quoted", "literal", "data", "path")
        return self._take_only(free)

    def _key(self, name: str, schema: Schema) -> object:
        if "extract" not in self._said.verbs and not any(piece.plain in _KEYS for piece in self._said.pieces):
            return _MISSING
        free = self._free("quoted", "code") or [
            piece for piece in self._free("word") if piece.plain not in _KEYS and piece.role == "object"
        ]
        return self._take_only(free)

    def _choice(self, name: str, schema: Schema) -> object:
        """Return the one of the words that may be chosen; the name of the file that it goes to tells a format too."""
        known = [str(one) for one in schema["enum"]]
        told = format_of(name, schema)
        role = "destination" if told == "target-format" else None if told == "choice" else ""
        for piece in self._free("word", "code", "quoted", role=role):
            if piece.plain in known:
                self._take(piece)
                return piece.plain
        if told == "target-format":
            for piece in self._free("path", role="destination"):
                ending = str(piece.value).rpartition(".")[2].lower()
                if ending in known:
                    return ending
        return _MISSING

    def _number(self, name: str, schema: Schema) -> object:
        return self._take_only([piece for piece in self._free("number") if not mismatch(piece.value, schema)])

    def _written(self, piece: ClausePiece, schema: Schema) -> object:
        """Return the value of a piece; data that was written out is a text where a text is wanted."""
        if piece.kind == "data" and schema.get("type") == "string":
            return json.dumps(piece.value, ensure_ascii=False)
        return piece.value

    def _flow(self, name: str, schema: Schema) -> object:
        """Return what came before, or what is quoted; both are the thing itself and not a name for it."""
        quoted = [
            piece for piece in self._free("quoted", "data", "number", "sum", "literal", role="") if piece.lead != "in"
        ]
        fitting = [piece for piece in quoted if not mismatch(self._written(piece, schema), schema)]
        if len(fitting) == 1 and not self._said.clause.needs:
            self._take(fitting[0])
            return self._written(fitting[0], schema)
        for source in self._left_sources:
            if _accepts(schema, source):
                self._left_sources.remove(source)
                self._used_source = True
                return _main_part(source, schema)
        return _MISSING


def _main_part(source: FillSource, schema: Schema) -> object:
    """Return the source, or the field of a record that is meant by it where a text is wanted."""
    main = source.schema.get("x-main")
    wants = schema.get("type")
    if not main or wants in ("object", "array"):
        return source.value
    if isinstance(source.value, dict) and set(source.value) == {"result of"}:
        return {**source.value, "at": main}
    return source.value[main] if isinstance(source.value, Mapping) else source.value


def _accepts(schema: Schema, source: FillSource) -> bool:
    """Say whether a parameter may take what a source gives, as far as their schemas tell."""
    if source.given:
        return not mismatch(source.value, schema)
    wanted, given = _types(schema), _types(source.schema)
    if not wanted or not given or wanted & given:
        return True
    return "x-main" in source.schema and "string" in wanted


def _types(schema: Schema) -> set[str]:
    kind = schema.get("type")
    found = {kind} if isinstance(kind, str) else set(kind or ())
    return found | ({"integer"} if "number" in found else set())


def is_sought(said: SaidClause, piece: ClausePiece) -> bool:
    """Say whether a plain word is a text to look for: one in capitals, or what a search is said to be for."""
    if piece.kind != "word" or is_small(piece.plain):
        return False
    if piece.token.text.isupper() and len(piece.token.text) > 1:
        return True
    searches = "search" in said.verbs and said.word_before(piece) not in ("a", "an", "any", "some")
    return searches and (piece.lead == "for" or (piece.role == "object" and not piece.is_directory))


_SIGNS = {
    "+": frozenset(("add", "sum", "total", "plus")),
    "-": frozenset(("subtract", "difference", "minus")),
    "*": frozenset(("multiply", "product", "times")),
    "/": frozenset(("divide", "quotient")),
}
_KEYS = frozenset(("key", "field", "value", "property", "the", "its"))
_FILLERS: dict[str, Callable[[Filler, str, Schema], object]] = {
    "path": Filler._path,
    "paths": Filler._paths,
    "directory": Filler._directory,
    "place": Filler._place,
    "glob": Filler._glob,
    "uri": Filler._uri,
    "phrase": Filler._phrase,
    "expression": Filler._expression,
    "constant": Filler._constant,
    "key": Filler._key,
    "choice": Filler._choice,
    "source-format": Filler._choice,
    "target-format": Filler._choice,
    "number": Filler._number,
    "said": Filler._said_or_flow,
    "flow": Filler._flow,
}
