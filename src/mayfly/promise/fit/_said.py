"""A request as capabilities are held against it: clause by clause the verb, and the words and names to be used up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mayfly.core import replace
from mayfly.language import AT_END, PARTICLES, Clause, Lexicon, Request, Token, bases, read
from mayfly.promise.fit._literals import Literals
from mayfly.promise.fit._words import is_idle, meanings, words

PieceKind = Literal[
    "word", "path", "directory", "glob", "url", "quoted", "number", "code", "literal", "data", "sum"
]  # fmt: skip
IsDirectory = Callable[[str], bool]
_FILE = re.compile(r"[^\n:]{1,80}\.\w{1,5}")
_ENDING = re.compile(r"\.\w{1,5}")
# After one of these a plain word may be the name of a directory.
EVERY = frozenset(("each", "every"))
_AIMS = frozenset(("to", "into", "onto", "as"))
# What narrows a request down, unlike "do not …", which forbids another.
_NARROWING = frozenset(("except", "excluding", "without", "but", "besides", "other", "minus", "only"))
_BINDING = frozenset(("if", "unless", "until", "when", "once", "provided", "assuming"))
_PLACES = frozenset(("", "in", "under", "of", "inside", "within", "below", "from", "through", "across"))


@dataclass(frozen=True, kw_only=True)
class ClausePiece:
    """One word or name of a clause: what it is, the value it stands for, and in which phrase it stands."""

    token: Token
    kind: PieceKind
    value: object
    role: str
    lead: str
    phrase: int
    is_directory: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it names a file, also one in quotes: "my notes.txt"."""
        quoted = self.kind == "quoted" and _FILE.fullmatch(self.token.text) is not None
        return self.kind == "path" or (quoted and not self.token.text.endswith("."))

    @property
    def plain(self) -> str:
        """The word in small letters."""
        return self.token.plain or self.token.text.lower()


@dataclass(frozen=True, kw_only=True)
class SaidClause:
    """A clause in pieces, with all that its verb can mean, and its *place* among the clauses of the request."""

    place: int
    clause: Clause
    verbs: frozenset[str]
    pieces: tuple[ClausePiece, ...]
    text: str

    @property
    def objects(self) -> tuple[ClausePiece, ...]:
        """What the verb is done to; where that only says how much ("the number of lines"), what it is a part of."""
        found = tuple(piece for piece in self.pieces if piece.role == "object")
        if all(piece.kind == "word" and _is_measure(piece.plain) for piece in found):
            more = [piece for piece in self.pieces if piece.role != "object" and piece.lead in ("of", "for")]
            found += tuple(piece for piece in more if piece.phrase == more[0].phrase)
        return found

    @property
    def condition(self) -> str:
        """What has to be so before anything of it is done, as it was said; nothing where it is done in any case."""
        told = [f"{phrase.lead} {phrase.text}" for phrase in self.clause.conditions]
        first = next((piece for piece in self.pieces if piece.role == "object"), None)
        if not told and first is not None and first.plain in _BINDING:
            told = [self.text[first.token.start : self.clause.tokens[-1].end]]
        return ", ".join(told)

    @property
    def narrowed(self) -> str:
        """What is left out of what is asked for: "except the slow ones"."""
        parts = [part for part in self.clause.constraint.split("; ") if part != "none"]
        aims = [str(piece.value) for piece in self.pieces if piece.role == "destination" and piece.is_file]
        return "; ".join(part for part in parts if _narrows(part) and not _keeps_out(part, aims))

    @property
    def points_back(self) -> bool:
        """Whether the object is a pronoun, or not said at all."""
        found = [piece for piece in self.pieces if piece.role == "object"]
        return all(piece.kind == "word" and piece.plain in words("words", "forward") for piece in found)

    def as_one(self) -> SaidClause:
        """Return the clause as if what it goes through were one thing: "run every test" is to run the tests."""
        pieces = (replace(piece, role="object") if piece.role == "each" else piece for piece in self.pieces)
        return replace(self, pieces=tuple(pieces))

    def beside(self, piece: ClausePiece) -> list[ClausePiece]:
        """Return the other pieces of the phrase that a piece stands in."""
        return [one for one in self.pieces if one.phrase == piece.phrase and one is not piece]

    def behind(self, piece: ClausePiece) -> list[ClausePiece]:
        """Return the pieces of its phrase that stand behind a piece."""
        return [one for one in self.beside(piece) if one.token.start > piece.token.start]

    def word_before(self, piece: ClausePiece) -> str:
        """Return the word right before a piece, also one that is no piece: an article."""
        return self.text[: piece.token.start].rstrip().lower().rpartition(" ")[2]

    def follows_with(self, piece: ClausePiece, sign: str) -> bool:
        """Say whether a sign is written right behind a piece."""
        return self.text.startswith(sign, piece.token.end)


def _narrows(constraint: str) -> bool:
    """Say whether something forbidden is part of what is asked for: "not bar"; "not b.txt" is another thing."""
    first, _, rest = constraint.lower().partition(" ")
    return first in _NARROWING or (first in ("not", "no") and not _FILE.fullmatch(rest))


def _keeps_out(constraint: str, aims: Iterable[str]) -> bool:
    """Say whether something forbidden is another work, or a place where nothing goes: "without editing the source"."""
    first, second, *rest = (*constraint.lower().split(), "", "")
    if first == "without":
        return second.endswith("ing") and not bases(second).isdisjoint(words("words", "changing"))
    place = rest[0].strip(".,")
    inside = first == "not" and second in ("in", "inside", "into", "under", "to") and place.endswith("/")
    return inside and bool(list(aims)) and not any(aim.startswith(place) for aim in aims)


def _is_measure(word: str) -> bool:
    return is_idle(word) or word in words("words", "occurrences")


def is_torn(request: Request) -> bool:
    """Say whether some of a text belongs to nothing: signs, names or a letter that were torn from a clause."""
    return any(_is_fragment(clause) for clause in request.clauses)


def _is_fragment(clause: Clause) -> bool:
    told = [token for token in clause.tokens if token.kind not in ("line", "item")]
    words_ = [token for token in told if token.kind == "word" and len(token.text) > 1]
    return clause.kind == "statement" and not clause.pasted and bool(told) and not words_


@dataclass(frozen=True, kw_only=True)
class FitReading:
    """A request that was read; the sums and the data in it stand as marks in what was read."""

    text: str
    request: Request
    said: tuple[SaidClause, ...]
    literals: Literals

    def written(self, text: str) -> str:
        """Return a text of the reading as it was written."""
        return self.literals.written(text)


def read_request(text: str, lexicon: Lexicon, is_directory: IsDirectory) -> FitReading:
    """Read a request; *is_directory* says whether a word names a directory of the workspace."""
    literals = Literals()
    request = read(literals.mark(text), lexicon)
    request = replace(request, clauses=_bind_next(request.clauses))
    roles = {token.start: role for token, role in zip(request.tokens, request.roles, strict=True)}
    said = tuple(
        _as_count(
            SaidClause(
                place=place,
                clause=clause,
                verbs=_verbs(clause),
                pieces=tuple(_pieces(clause, roles, literals, is_directory)),
                text=request.text,
            ),
            lexicon,
        )
        for place, clause in enumerate(request.clauses)
        if clause.asks
    )
    return FitReading(text=text, request=request, said=said, literals=literals)


def _as_count(said: SaidClause, lexicon: Lexicon) -> SaidClause:
    """Return a clause that asks how many as one that counts: "tell me how many words are in a.md"."""
    plain = [token.plain for token in said.clause.tokens]
    at = next((place for place, pair in enumerate(pairwise(plain), 2) if pair == ("how", "many")), 0)
    looks = said.clause.kind != "command" or said.clause.verb in lexicon.telling | lexicon.judging | {"find"}
    looks = looks or "count" in said.verbs
    if not at or at >= len(plain) or not looks:
        return _as_writing(_as_tally(said) if looks or said.clause.verb == "read" else said)
    left = plain[-1] in words("words", "left") and {"are", "is"} & set(plain[at:])
    said = replace(said, pieces=said.pieces[:-1]) if left and said.pieces else said
    noun, kept = said.clause.tokens[at], [piece for piece in said.pieces if piece.plain not in words("words", "having")]
    kept = [piece for piece in kept if piece.token.start >= noun.start and piece.plain not in ("in", "of")]
    moved = (
        replace(piece, role="object", lead="", phrase=0)
        if piece.token == noun
        else replace(piece, role="place", lead="of", phrase=1)
        for piece in kept
    )
    return replace(said, verbs=frozenset(("count",)), pieces=tuple(moved))


def _as_tally(said: SaidClause) -> SaidClause:
    """Return "print its word count" as what it means: to count its words."""
    objects = [piece for piece in said.pieces if piece.role == "object"]
    if len(objects) < 2 or objects[-1].plain != "count":
        return said
    return replace(
        said, verbs=frozenset(("count",)), pieces=tuple(piece for piece in said.pieces if piece is not objects[-1])
    )


def _as_writing(said: SaidClause) -> SaidClause:
    """Return "overwrite a.txt with X" and "using X, create a.txt" as what they mean: to write X to a.txt."""
    said = _as_contents(said)
    file = [piece for piece in said.pieces if piece.role == "object" and not is_idle(piece.plain)]
    one = len(file) == 1 and file[0].is_file
    lead = "using" if "make" in said.verbs and one else "with"
    fills = said.clause.said in words("words", "filling") or (said.clause.said == "replace" and one) or lead == "using"
    if not fills or not any(piece.lead == lead for piece in said.pieces):
        return said
    moved = {piece.phrase for piece in said.pieces if piece.lead == lead}
    pieces = (
        replace(piece, role="destination", lead="to")
        if piece.role == "object"
        else replace(piece, role="object", lead="")
        if piece.phrase in moved
        else piece
        for piece in said.pieces
    )
    return replace(said, verbs=frozenset(("write",)), pieces=tuple(pieces))


def _as_contents(said: SaidClause) -> SaidClause:
    """Return "what is in uploads/" as that itself: to a capability it is the directory, or the file, that is meant."""
    plain = [token.plain for token in said.clause.object.tokens] if said.clause.object else []
    if plain not in (["what", "is"], ["what's"]):
        return said
    kept = [piece for piece in said.pieces if piece.plain not in ("what", "is", "what's")]
    first = next((piece.phrase for piece in kept if piece.lead in ("in", "inside")), -2)
    return replace(
        said,
        pieces=tuple(replace(piece, role="object", lead="") if piece.phrase == first else piece for piece in kept),
    )


def _bind_next(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Give a condition behind "and" to the clause it leads to: "read a.txt and if it is empty, delete it"."""
    found = list(clauses)
    for place, clause in enumerate(clauses[:-1]):
        object_ = clause.object
        joined = object_ is not None and object_.tokens[-1].plain in ("and", "then")
        if clause.conditions and joined and clauses[place + 1].kind in ("command", "unknown"):
            kept = tuple(phrase for phrase in clause.phrases if phrase.role != "condition")
            end = clause.conditions[0].tokens[0].start
            tokens = tuple(token for token in clause.tokens if token.start < end)
            text = clause.text.partition(f" {clause.conditions[0].lead} ")[0].removesuffix(" and").removesuffix(" then")
            found[place] = replace(clause, phrases=kept, tokens=tokens, text=text)
            following = found[place + 1]
            found[place + 1] = replace(following, phrases=(*clause.conditions, *following.phrases))
    return tuple(found)


def with_verbs(lexicon: Lexicon, verbs: Iterable[str]) -> Lexicon:
    """Return the lexicon with verbs that no rule has: those of capabilities, so that a request may begin with one."""
    known = Lexicon.of({"verb_action": [(verb, "query") for verb in verbs]})
    more = {first: entries for first, entries in known.entries.items() if first not in lexicon.entries}
    return replace(lexicon, entries={**lexicon.entries, **more})


def _verbs(clause: Clause) -> frozenset[str]:
    said = clause.said or (clause.tokens[0].plain if clause.tokens else "")
    found = meanings("verbs", said.replace(" ... ", " ").replace(" ", "-")) | meanings("verbs", said.partition(" ")[0])
    added = "write" in found and any(phrase.lead == AT_END for phrase in clause.phrases)
    return (found - {"write"}) | {"append"} if added else found


def _pieces(
    clause: Clause, roles: Mapping[int, str], literals: Literals, is_directory: IsDirectory
) -> Iterator[ClausePiece]:
    phrases: dict[int, tuple[str, str, int]] = {
        token.start: (phrase.role, phrase.lead, number)
        for number, phrase in enumerate(clause.phrases)
        for token in phrase.tokens
    }
    verb = True
    aim: tuple[str, str, int] | None = None
    repeated: set[int] = set()
    for token in _all_tokens(clause):
        role = roles.get(token.start, "glue")
        if token.kind in ("sign", "line", "item") or token.plain in ("and", "or"):
            continue
        if role == "verb" and token.start not in phrases and (verb or token.plain in _AIMS):
            verb = False
            # "extract … into" is one verb to the rules; to a capability its second half leads to where it goes.
            aim = ("destination", token.plain, len(clause.phrases)) if token.plain in _AIMS else aim
            continue
        if role == "verb" and token.start not in phrases and token.plain in PARTICLES:
            continue  # "jot it down": the rest of the verb
        # "run the tests" is one verb to the rules; to a capability the tests are what is run.
        role, lead, phrase = aim or phrases.get(token.start, ("object" if role == "verb" else role, "", -1))
        role = _each_or(role, token, phrase, repeated)
        if role in ("glue", "order", "condition", "told") or (role == "destination" and token.plain in ("me", "us")):
            continue
        kind, value, there = _placed(token, lead, literals, is_directory)
        yield ClausePiece(token=token, kind=kind, value=value, role=role, lead=lead, phrase=phrase, is_directory=there)


def _all_tokens(clause: Clause) -> list[Token]:
    """Return the tokens of a clause and of what stands before it: "for each *.log file in var/, …", "in a.txt, …"."""
    return [*(token for phrase in clause.front for token in phrase.tokens), *clause.tokens]


def _placed(token: Token, lead: str, literals: Literals, is_directory: IsDirectory) -> tuple[PieceKind, object, bool]:
    """Return what a token is, the value it stands for, and whether that is a directory."""
    kind, value = _look_at(token, literals)
    there = kind == "directory" or (lead in _PLACES and kind != "quoted" and is_directory(token.text))
    return ("directory" if there and kind != "word" else kind), value, there


def _each_or(role: str, token: Token, phrase: int, repeated: set[int]) -> str:
    """Return the role of a token: where a phrase says for which things one by one, all of it does."""
    if token.plain in EVERY and token.kind == "word":
        repeated |= {phrase} if phrase >= 0 else set()
        return "each"
    return "each" if phrase in repeated else role


def _look_at(token: Token, literals: Literals) -> tuple[PieceKind, object]:
    """Return what a token is, and the value it stands for."""
    text, written = token.text, literals.at(token.text)
    if written is not None:
        return written.kind, written.value
    if token.kind in ("path", "code") and "*" in text:
        return "glob", text
    if token.kind == "path" and _ENDING.fullmatch(text):
        return "glob", f"*{text}"
    if token.kind == "code" and re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+/?", text):
        return "directory", text
    if token.kind == "path":
        return ("directory" if text.endswith("/") else "path"), text
    if token.kind == "quoted":
        return "quoted", text
    if token.kind in ("number", "moment", "clock"):
        return "number", token.value if isinstance(token.value, (int, float)) else text
    if token.kind == "url":
        return "url", text
    if token.kind == "data":
        return "quoted", text
    if token.kind == "word" and token.plain in words("words", "truth"):
        return "literal", {"true": True, "false": False}.get(token.plain)
    return ("word" if token.kind == "word" else "code"), text
