"""Read one sentence: which of its clauses command, which forbid, which ask, and which only tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._openings import Opening, is_imperative, opening_at, refuses, skip_openers
from mayfly.policy.perception._sentences import Sentence
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import (
    Verb,
    is_noun_here,
    is_object_start,
    names_verbs,
    phrase_at,
    plain_at,
    verb_at,
)
from mayfly.policy.perception._words import words

_FAR = 40
# "chore: bump the version", "next step: test it": so few words before a colon are a label.
_LABEL = 2
_BEGGING = frozenset(("please", "pls", "plz", "kindly"))
_JOINTS = frozenset(("and", "then", "but", "so", "or", "also", "afterwards", "plus"))
_POLITE = _BEGGING | {"can", "could", "would"}
_REPORTING = frozenset(("says", "said", "prints", "states", "reads", "wrote", "told", "replied", "saying"))
ClauseKind = Literal["command", "unknown", "refusal", "question", "instruction", "statement"]


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One clause: its tokens from *start* to *stop*, and for a command its verb and how sure that is."""

    kind: ClauseKind
    start: int
    stop: int
    verb: Verb | None = None
    confidence: float = 0.0


def clauses(sentence: Sentence, lexicon: Lexicon) -> Iterator[Clause]:
    """Yield the clauses of a sentence in order."""
    return _Reader(sentence=sentence, lexicon=lexicon).read()


@dataclass(kw_only=True)
class _Reader:
    """Walk through a sentence and remember what the clause under way is, and what its object holds."""

    sentence: Sentence
    lexicon: Lexicon
    tokens: tuple[Token, ...] = field(init=False)
    mode: ClauseKind = "statement"
    started: int = 0
    verb: Verb | None = None
    confidence: float = 0.0
    bound: bool = False
    related: bool = False
    tried: int = 0

    def __post_init__(self) -> None:
        self.tokens = self.sentence.tokens

    def read(self) -> Iterator[Clause]:
        """Yield the clauses: open the first one, then look for the next wherever one can begin."""
        first = skip_openers(self.tokens, 0)[0]
        if phrase_at(self.tokens, first, "reported"):
            return
        if phrase_at(self.tokens, first, "instructions"):
            yield Clause(kind="instruction", start=first, stop=len(self.tokens))
            return
        here = self._open_first(first)
        while here < len(self.tokens):
            found = self._next(here)
            if found is None:
                here = max(here + 1, self.tried)
                continue
            opening, stop = found
            yield self._close(stop)
            here = self._enter(opening)
        if self.sentence.asked and self.mode in ("statement", "unknown"):
            self.mode = "question"
        yield self._close(len(self.tokens))

    def _close(self, stop: int) -> Clause:
        return Clause(kind=self.mode, start=self.started, stop=stop, verb=self.verb, confidence=self.confidence)

    def _open_first(self, first: int) -> int:
        opening = opening_at(self.tokens, 0, self.lexicon)
        wondering = phrase_at(self.tokens, first, "wondering") > 0
        begged = opening.framed or any(token.plain in _BEGGING for token in self.tokens)
        if opening.verb and (opening.framed or not wondering) and (begged or not self.sentence.asked):
            if opening.framed or not is_noun_here(self.tokens, opening.verb, self.lexicon):
                return self._enter(opening)
        elif opening.refusal is not None and not wondering and (opening.framed or not self._asks_of(first)):
            return self._enter(opening)
        self.mode = "question" if wondering or self._asks(first) else "statement"
        if self.mode == "statement" and is_imperative(self.tokens, first):
            self.mode = "unknown"
        self.started = 0
        return first + 1

    def _asks_of(self, first: int) -> bool:
        """Say whether a sentence with a refusal is a question all the same: not "would you mind not …?"."""
        return self.sentence.asked and plain_at(self.tokens, first + 2) != "mind"

    def _asks(self, first: int) -> bool:
        word, following = plain_at(self.tokens, first).removesuffix("'s"), plain_at(self.tokens, first + 1)
        if word == "when":
            return following in words("inverted")
        if word in words("questions"):
            return True
        if word not in words("inverted") or word == "any":
            return False
        return following in words("subjects") or (
            word not in ("do", "have") and is_object_start(self.tokens, first + 1)
        )

    def _enter(self, opening: Opening) -> int:
        """Begin the clause that *opening* leads to and return where to read on."""
        self.bound = self.related = False
        self.started = opening.start
        if opening.verb:
            self.mode, self.verb = "command", opening.verb
            self.confidence = 0.95 if opening.verb.plain and not opening.framed else 0.9
            self.bound = opening.verb.plain and names_verbs(self.tokens, opening.verb.end, self.lexicon)
            return opening.verb.end
        self.mode, self.verb, self.confidence = "refusal", None, 0.0
        return opening.refusal or opening.start + 1

    def _next(self, here: int) -> tuple[Opening, int] | None:
        """Return the clause that begins at *here*, if one does, and where the one before it stops."""
        token = self.tokens[here]
        if self.mode != "refusal" and phrase_at(self.tokens, here, "cuts") and refuses(self.tokens, here + 1):
            opening = opening_at(self.tokens, here, self.lexicon)
            if opening.refusal is not None and self.mode in ("command", "unknown"):
                return opening, here
        joint = token.kind == "sign" or token.plain in _JOINTS
        if not joint and not self._begs(here):
            self._note_binding(here)
            return None
        opening = opening_at(self.tokens, here, self.lexicon)
        if opening.refusal is not None:
            return (opening, here) if self.mode in ("command", "unknown") and token.plain != "or" else None
        if opening.verb is None:
            self.tried = opening.start
            return None
        return (opening, here) if self._accepts(here, opening) else None

    def _begs(self, here: int) -> bool:
        """Say whether a polite word begins a request without a joint; "how would you …" goes on with a question."""
        word = self.tokens[here].plain
        if self.mode == "question" and word not in _BEGGING:
            return False
        return self.mode != "command" and word in _POLITE

    def _note_binding(self, here: int) -> None:
        """Remember a modal or "to" with a known verb in the object: what is joined to it is no request of its own."""
        self.related = self.related or plain_at(self.tokens, here) in words("relatives")
        if self.mode == "command" and plain_at(self.tokens, here) in words("modals"):
            verb = verb_at(self.tokens, here + 1, self.lexicon)
            if verb or plain_at(self.tokens, here) != "to":
                self.bound = True

    def _accepts(self, here: int, opening: Opening) -> bool:
        """Say whether a verb after a joint is a new request, by what the clause before it is."""
        verb = opening.verb
        if verb is None:
            return False
        before = plain_at(self.tokens, here - 1)
        strong = opening.framed or opening.marked or self.tokens[here].plain == ";"
        if self.mode in ("command", "unknown"):
            return strong or not (self.bound or self._paired_noun(here, verb) or self._paired_verb(here, verb))
        if self.mode == "refusal":
            goes_on = self.tokens[here].plain == ":" and before != "yet"
            return not goes_on and (strong or self._leaves_refusal(here))
        if before in _REPORTING:
            return False
        if self.mode == "question":
            return opening.framed
        return self._ends_statement(here, opening)

    def _leaves_refusal(self, here: int) -> bool:
        """Say whether a verb after "do not …" stands outside of it: not in a list of what is forbidden."""
        first = plain_at(self.tokens, skip_openers(self.tokens, self.started)[0])
        gerund = any(token.plain.endswith("ing") for token in self.tokens[self.started : self.started + 4])
        if first in ("leave", "keep", "without", "avoid", "instead", "rather", "except", "refrain", "stop") and (
            gerund or first in ("leave", "keep")
        ):
            return True
        if self.tokens[here].kind != "sign":
            return self.tokens[here].plain == "but"
        rest = range(here, min(here + _FAR, len(self.tokens)))
        joined = (place for place in rest if plain_at(self.tokens, place) in ("or", "nor", "and"))
        return not any(verb_at(self.tokens, place + 1, self.lexicon) for place in joined)

    def _ends_statement(self, here: int, opening: Opening) -> bool:
        verb, token = opening.verb, self.tokens[here]
        if verb and token.plain == ":" and here <= _LABEL:
            return True
        if verb is None or (token.plain in ("and", "or", "also", "plus") and not opening.framed and not opening.marked):
            return False
        before, following = plain_at(self.tokens, here - 1), verb.end
        named = plain_at(self.tokens, here - 2) in words("determiners")
        if not opening.framed and self.lexicon.is_base(before) and token.kind == "sign" and not named:
            return False
        if opening.framed:
            return True
        if plain_at(self.tokens, following) in ("or", "and") or (
            following < len(self.tokens) and self.tokens[following].plain == ","
        ):
            return False
        if verb.plain and plain_at(self.tokens, verb.start) in words("noun_or_verb"):
            return is_object_start(self.tokens, following) or opening.marked or self._wants_to_know(following)
        return True

    def _wants_to_know(self, following: int) -> bool:
        return plain_at(self.tokens, following) in words("questions") | {"whether", "if"}

    def _paired_verb(self, here: int, verb: Verb) -> bool:
        """Say whether a verb is joined to one of the object: "the bug that lets users delete and edit posts"."""
        if here == (self.verb.end if self.verb else 0) or self.tokens[here].kind == "sign":
            return False
        if any(plain_at(self.tokens, here - back) == "between" for back in (2, 3, 4)):
            return True
        if self.tokens[here].plain == "or" and not is_object_start(self.tokens, verb.end):
            return True
        if not self.related:
            return False
        return self.lexicon.is_base(plain_at(self.tokens, here - 1)) or not is_object_start(self.tokens, verb.end)

    def _paired_noun(self, here: int, verb: Verb) -> bool:
        """Say whether a verb after "and" is a noun of the object: "the search and filter functions"."""
        if not verb.plain or plain_at(self.tokens, verb.start) not in words("noun_or_verb"):
            return False
        if self.tokens[here].plain not in ("and", "or", ",") or is_object_start(self.tokens, verb.end):
            return False
        left = plain_at(self.tokens, here - 1)
        if here == (self.verb.end if self.verb else 0) or not left or left in words("pronouns"):
            return False
        singular = not left.endswith("s") or left.endswith("ss")
        following = plain_at(self.tokens, verb.end)
        if following in words("compound_heads") or not following:
            return singular
        return singular and left in words("noun_or_verb")
