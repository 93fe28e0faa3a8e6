"""Hold a clause against a capability: by what it does, and by what its parameters take; no word may be left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mayfly.core import Capability, mismatch
from mayfly.language import bases, singular
from mayfly.promise._data import references
from mayfly.promise.fit._does import FEWEST, Described, says_all, words_by_place
from mayfly.promise.fit._fill import Filler, FillSource, is_sought
from mayfly.promise.fit._said import ClausePiece, FitReading, SaidClause
from mayfly.promise.fit._words import is_idle, is_small, meanings, names, words


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A capability that does what a clause says, with its arguments.

    *write* is the file that the clause wants the result in, *said* how many words of the clause name what is done:
    of two that fit, the one that was named is meant. *open* are parameters for which nothing is there yet.
    """

    capability: Capability
    arguments: Mapping[str, object]
    write: str = ""
    said: int = 0
    open: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Misfit:
    """Why a capability that does something like it does not do what a clause says."""

    capability: str
    left: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        if self.left:
            return f"{self.capability} leaves {' '.join(map(repr, self.left))} over"
        return f"{self.capability}: {self.reason}"


def fits(
    said: SaidClause, capabilities: Sequence[Capability], sources: Sequence[FillSource]
) -> tuple[list[Fit], list[Misfit]]:
    """Return the capabilities that do what a clause says, the ones that say it in more words before others only."""
    found: list[Fit] = []
    others: list[Misfit] = []
    if said.narrowed:
        return [], [Misfit(capability="whatever does it", left=(said.narrowed,))]
    for capability in capabilities:
        tried = [_Trial(said, capability, sources).run(thing) for verb, thing in capability.does if verb in said.verbs]
        fitting = [one for one in tried if isinstance(one, Fit)]
        if fitting:
            found.append(max(fitting, key=lambda one: (-len(one.open), one.said)))
        else:
            others += [one for one in tried if isinstance(one, Misfit)]
    # Who lacks nothing, then who was named, and who takes what flows in without a further step.
    best = max(((-len(one.open), one.said, not one.write) for one in found), default=None)
    kept = [one for one in found if (-len(one.open), one.said, not one.write) == best]
    return kept, sorted(others, key=lambda one: len(one.left) or 99)


def only_fit(
    said: SaidClause, capabilities: Sequence[Capability], sources: Sequence[FillSource], *, whole: bool = False
) -> Fit | None:
    """Return the one capability that does what a clause says, with *whole* one that needs no further step for it."""
    found, _ = fits(said, capabilities, sources)
    if len(found) != 1 or (whole and (found[0].write or found[0].open)):
        return None
    return found[0]


def covering(reading: FitReading, known: Described) -> list[Capability]:
    """Return those that do all that a request says, of capabilities of which only their descriptions are known."""
    asked = reading.said
    if not asked or any(clause.kind in ("question", "instruction") for clause in reading.request.clauses):
        return []
    first, *others = asked
    if first.clause.conditions or first.clause.each:
        return []
    likely = [known.tools[place] for place in known.places(first.verbs)]
    fitting = [one for one in likely if fits(first, [one], ())[0] and all(_only_picks(other, one) for other in others)]
    said = words_by_place(reading)
    spoken = [one for one in known.tools if says_all(said, one.summary)] if len(said) >= FEWEST else []
    return spoken + [one for one in fitting if one not in spoken]


def hands_on(said: SaidClause) -> bool:
    """Say whether a clause only wants to see what came before it: "… and show it", "… and return their names"."""
    told = [piece for piece in said.pieces if not is_idle(piece.plain)]
    spoken = words("words", "results") | {"what", "what's", "is", "was", "are"}
    results = all(piece.kind == "word" and piece.plain in spoken for piece in told)
    back = bool(said.clause.needs or said.clause.after) or said.points_back
    shows = said.clause.said.replace(" ", "-") in words("words", "handing") and said.verbs != {"count"}
    return shows and results and back


def _only_picks(said: SaidClause, capability: Capability) -> bool:
    """Say whether a further clause only hands on the result, or picks one part of it: "… and extract name"."""
    telling = [piece for piece in said.pieces if piece.kind != "word" or not is_idle(piece.plain)]
    if hands_on(said):
        return True
    parses = any("parse" in meanings("verbs", verb) for verb, _ in capability.does)
    named = [piece for piece in telling if piece.plain not in words("words", "naming")] or telling
    return parses and "extract" in said.verbs and len(named) == 1 and not said.clause.each


class _Trial(Filler):
    """One attempt: which pieces are used up by what, and the noun by which the capability is named."""

    _named = ""

    def run(self, thing: str) -> Fit | Misfit:
        name = self._capability.name
        named = self._take_thing(thing)
        if named is None:
            return Misfit(capability=name, reason=f"{thing} is not what it is about")
        arguments = self.fill()
        lacking = self._lacking(arguments)
        if lacking and not (self.may_stay_open(lacking) and not self._sources and (named or self._said.points_back)):
            return Misfit(capability=name, reason=f"{lacking[0]} is not said")
        if self._sources and not self._used_source:
            return Misfit(capability=name, reason="it does not take what came before")
        wrong = self._wrong(arguments)
        if wrong:
            return Misfit(capability=name, reason=wrong)
        write, left = self._left_over()
        if left:
            return Misfit(capability=name, left=tuple(dict.fromkeys(piece.token.text for piece in left)))
        return Fit(capability=self._capability, arguments=arguments, write=write, said=named, open=tuple(lacking))

    def _take_thing(self, thing: str) -> int | None:
        """Use up the words for what the capability is about, and return how many; None where it is something else."""
        *modifiers, head = thing.split()
        taken: list[ClausePiece] = []
        for word in modifiers:
            piece = next(
                (one for one in self._said.pieces if one.kind in ("word", "code") and word in bases(one.plain)), None
            )
            if piece is None:
                return None
            taken.append(piece)
        named_as = [piece for piece in self._said.pieces if piece.lead == "as" and piece.kind == "word"]
        for piece in (*reversed(self._said.objects), *named_as):
            if piece.kind in ("word", "code") and head in meanings("nouns", piece.plain) and piece not in taken:
                if self._is_vague(piece, head):
                    return None
                self._use(*taken, piece)
                self._named = head
                return len(taken) + 1
        if any(head in kinds_of(self._said, piece) for piece in self._said.objects):
            self._use(*taken)
            return len(taken)
        if self._flows_as(head):
            self._use(*taken)
            return len(taken)
        return None

    def _is_vague(self, piece: ClausePiece, head: str) -> bool:
        """Say whether a noun means any or several of what the capability takes one of: "fetch pages", "run a test"."""
        behind = self._said.behind(piece)
        beside = [one for one in self._said.beside(piece) if one.kind != "word" or one in behind]
        indefinite = self._said.word_before(piece) in ("a", "an", "another")
        if indefinite and not beside and not any(one.is_directory for one in self._said.pieces):
            return self._known and head != "file"
        wanted = {"file": "path", "directory": "directory", "page": "uri", "url": "uri", "resource": "uri"}.get(head)
        plural = piece.plain.endswith("s") and singular(piece.plain) != piece.plain
        lists = self._capability.output_schema.get("type") == "array" and head == "file"
        return wanted in self._formats and plural and not lists

    def _flows_as(self, head: str) -> bool:
        """Say whether the clause speaks of what came before it, and that is of the kind."""
        spoken = self._said.points_back or all(self._is_result(piece) for piece in self._said.objects)
        return spoken and any(head in source.kinds for source in self._sources)

    def _is_result(self, piece: ClausePiece) -> bool:
        if piece.kind != "word":
            return False
        called = is_idle(piece.plain) or any(source.is_called(piece.plain) for source in self._sources)
        return called or self._is_that(piece)

    def _is_that(self, piece: ClausePiece) -> bool:
        """Say whether a noun is what the reader took for an earlier result: "that figure", but not "its figure"."""
        held = self._said.clause.object.tokens if self._said.clause.object and self._sources else ()
        noun = next((token for token in reversed(held) if token.kind == "word"), None)
        owned = bool(held) and held[0].plain in ("its", "their")
        return bool(self._said.clause.needs) and noun == piece.token and not owned

    def _lacking(self, arguments: Mapping[str, object]) -> list[str]:
        missing = [name for name in self._required if name not in arguments]
        either = [list(one.get("required", ())) for one in self._capability.input_schema.get("anyOf", ())]
        if either and not any(all(name in arguments for name in names) for names in either):
            missing += either[-1]
        return missing

    def _wrong(self, arguments: Mapping[str, object]) -> str:
        """Return why the schema refuses an argument that is known already."""
        for name, value in arguments.items():
            if name in self._properties and not any(True for _ in references(value)):
                wrong = mismatch(value, self._properties[name], name=name)
                if wrong:
                    return wrong
        return ""

    def _left_over(self) -> tuple[str, list[ClausePiece]]:
        """Return the file that the result is to be put into, and the pieces that nothing uses."""
        left = [piece for piece in self._said.pieces if id(piece) not in self._used and not self._is_idle(piece)]
        aims = [piece for piece in left if piece.role == "destination" and piece.kind == "path"]
        if len(aims) == 1 and self._capability.effect == "none" and self._known:
            left = [piece for piece in left if piece is not aims[0] and piece.phrase != aims[0].phrase]
            return str(aims[0].value), left
        return "", left

    def _is_idle(self, piece: ClausePiece) -> bool:
        if piece.kind not in ("word", "code"):
            return False
        word = piece.plain
        if word in words("words", "several") and not self._known:
            return False
        if piece.role == "destination" and not any(one.kind == "path" for one in self._said.beside(piece)):
            return False
        if is_idle(word) or (self._used_source and piece.role == "object" and self._is_result(piece)):
            return True
        if self._named in meanings("nouns", word):
            return True  # the same said twice: "the SHA-256 hash"
        return self._only_names(piece)

    def _only_names(self, piece: ClausePiece) -> bool:
        """Say whether a word only names what is used anyway: a file beside it, a part of a path, an occurrence."""
        word = piece.plain
        # What flows in may be called by what it was: "fetch … and count the words on the page".
        flows = self._used_source and piece.role == "place"
        if word in words("words", "naming") and (
            flows or any(id(one) in self._used for one in self._said.beside(piece))
        ):
            return True
        if word in words("words", "occurrences") and "phrase" in self._formats:
            return True
        paths = [
            str(one.value) for one in self._said.pieces if id(one) in self._used and one.kind in ("path", "directory")
        ]
        return any(word in path.lower().split("/") for path in paths)

    def _use(self, *pieces: ClausePiece) -> None:
        self._used |= {id(piece) for piece in pieces}


def kinds_of(said: SaidClause, piece: ClausePiece) -> frozenset[str]:
    """Return what a name is by its own writing; a plain word may be a directory's name, or a text to look for."""
    if piece.kind == "path":
        ending = str(piece.value).rpartition(".")[2].lower()
        return words("kinds", "path") | {held for held in names("endings") if ending in words("endings", held)}
    if piece.kind == "quoted" and piece.is_file:
        return words("kinds", "quoted") | {"file"}
    if piece.kind != "word":
        return words("kinds", piece.kind)
    if piece.is_directory:
        return words("kinds", "directory")
    sought = {"text"} if is_sought(said, piece) else set()
    return frozenset(sought | ({"key", "field"} if "extract" in said.verbs and not is_small(piece.plain) else set()))
