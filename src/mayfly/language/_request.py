"""What a request says once it was read: clauses, the phrases in them, and for every word what used it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from mayfly.core import Intent
from mayfly.language._tokens import Token

ClauseKind = Literal["command", "question", "refusal", "instruction", "statement", "unknown"]
Role = Literal[
    "verb", "object", "place", "destination", "detail", "purpose", "condition", "each", "constraint", "order", "glue",
    "question", "told", "quoted", "pasted",
]  # fmt: skip
NONE = "none"


class Guess(NamedTuple):
    """A verb that may be meant where none was said, and how likely it is, from 0 to 1."""

    verb: str
    odds: float


@dataclass(frozen=True, kw_only=True)
class RequestPhrase:
    """Some words of a clause that belong together: their role, the word that leads to them, and the words.

    The *lead* is "" for the object, "in", "of" or "from" for a place, "to", "into" or "as" for a destination, "if",
    "unless", "when" or "once" for a condition, "for each" for what is gone through.
    """

    role: Role
    lead: str
    text: str
    tokens: tuple[Token, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The files, addresses and quoted texts that are named in it."""
        return tuple(dict.fromkeys(token.text for token in self.tokens if token.kind in ("path", "url", "quoted")))


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One thing that is asked for, asked, forbidden or told.

    *kind* is "command" where a rule knows the verb and "unknown" where none does; both ask for something to be done.
    A "refusal" forbids, an "instruction" holds from now on, a "statement" asks for nothing. *verb* is the verb that the
    rules know, *said* the one that was said, in its base form ("speed up" for "optimize", "hash" for none).

    *target* is what it is about: the files or addresses it names, else what it quotes, else its words; "it" is what
    an earlier clause was about. *needs* are the places of the earlier clauses whose results it takes ("hash it",
    "write the number to a.txt"), *after* those that only come before it ("then …"). *each* are the things it is done
    for one by one: the files that are listed, or the words for them ("every file"). An *alternative* is done or the
    one before it: "remove or rename the file". What *makes* something asks for the thing that its verb is about: "add
    a test". A condition that stands in front is part of every request it leads to.
    """

    kind: ClauseKind
    text: str
    tokens: tuple[Token, ...]
    verb: str = ""
    said: str = ""
    phrases: tuple[RequestPhrase, ...] = ()
    target: str = ""
    needs: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    each: tuple[str, ...] = ()
    alternative: bool = False
    makes: bool = False
    constraint: str = NONE
    confidence: float = 0.0
    negated: bool = False
    asked: bool = False
    quoted: bool = False
    pasted: bool = False

    @property
    def asks(self) -> bool:
        """Whether something is to be done or answered."""
        return self.kind in ("command", "unknown", "question", "instruction")

    @property
    def intent(self) -> Intent:
        """What the rules read of it; a verb that no rule knows stands as it was said."""
        category = self.kind if self.kind in ("question", "instruction") else "command"
        verb = self.verb or self.said
        return Intent(text=self.text, category=category, verb=verb, target=self.target, constraint=self.constraint)

    @property
    def object(self) -> RequestPhrase | None:
        """What the verb is done to, without its places and further details."""
        return self._first("object")

    @property
    def head(self) -> str:
        """The head noun of the object in small letters, "" where it has none."""
        nouns = [token for token in self.object.tokens if token.kind == "word"] if self.object else []
        return nouns[-1].plain if nouns else ""

    @property
    def destination(self) -> RequestPhrase | None:
        """Where the result goes or what it becomes: "to out.txt", "into a list", "as NAME"."""
        return self._first("destination")

    @property
    def front(self) -> tuple[RequestPhrase, ...]:
        """What stands before it and says where, or for what, it is done: "in a.txt, …", "for each file, …"."""
        start = self.tokens[0].start if self.tokens else 0
        return tuple(phrase for phrase in self.phrases if phrase.role != "condition" and phrase.tokens[0].start < start)

    @property
    def conditions(self) -> tuple[RequestPhrase, ...]:
        """What has to hold first: "if …", "unless …", "when …", "once …"."""
        return tuple(phrase for phrase in self.phrases if phrase.role == "condition")

    def _first(self, role: Role) -> RequestPhrase | None:
        return next((phrase for phrase in self.phrases if phrase.role == role), None)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A text that was read: its tokens, its clauses in order, and what each token was used for.

    *roles* has one entry for each token. *ask* is what to ask back where too little or too much was understood;
    *guesses* are the verbs that may be meant where none was said.
    """

    text: str
    tokens: tuple[Token, ...]
    clauses: tuple[Clause, ...]
    roles: tuple[Role, ...]
    guesses: tuple[Guess, ...] = ()
    ask: str | None = None

    @property
    def commands(self) -> tuple[Clause, ...]:
        """The clauses that ask for something to be done, also with a verb that no rule knows."""
        return tuple(clause for clause in self.clauses if clause.kind in ("command", "unknown"))

    @property
    def routed(self) -> tuple[Clause, ...]:
        """The clauses that the rules can route: commands with a known verb, questions and instructions."""
        return tuple(clause for clause in self.clauses if clause.asks and clause.kind != "unknown" and clause.verb)

    @property
    def refusals(self) -> tuple[str, ...]:
        """What is forbidden, as it was said."""
        return tuple(clause.text for clause in self.clauses if clause.kind == "refusal")
