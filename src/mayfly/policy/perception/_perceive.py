"""Turn a request into intents: facts that the rules route, with a question back where it says too little."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mayfly.core import Intent
from mayfly.mangle import Name, Row, Symbol, Value
from mayfly.policy.perception._clauses import Clause, clauses
from mayfly.policy.perception._guess import ENOUGH, SURE, Guess, guesses, question
from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._passive import forbids, passive
from mayfly.policy.perception._reach import PIECES, readable, unread
from mayfly.policy.perception._sentences import Sentence, sentences
from mayfly.policy.perception._targets import subject_of, target_of, written
from mayfly.policy.perception._timed import in_time
from mayfly.policy.perception._tokens import Token, tokens
from mayfly.policy.perception._verbs import plain_at
from mayfly.policy.perception._words import phrases, words

MOST_INTENTS = 50
USER_INTENT = Symbol("user_intent", 5)
INTENT_GUESS = Symbol("intent_guess", 3)
_NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Perception:
    """One thing that was asked, and how sure that reading is.

    One that comes *later* is to be done after those before it; *clause* says under which condition, "if it is empty".
    """

    id: str
    intent: Intent
    confidence: float
    later: bool = False
    clause: str = ""


@dataclass(frozen=True, kw_only=True)
class Aside:
    """A clause in which no verb is known, and the number of the request before which it stands.

    One that *asks* begins like a command, with a verb that no rule knows.
    """

    text: str
    place: int
    asks: bool


@dataclass(frozen=True, kw_only=True)
class Perceived:
    """Everything that was understood of a text; *ask* is what to ask back where that is too little.

    *asides* are the clauses that only tell something, or whose verb is not known; *refusals* are all that was said
    where a text only forbids.
    """

    intents: tuple[Perception, ...]
    guesses: tuple[Guess, ...] = ()
    ask: str | None = None
    asides: tuple[Aside, ...] = ()
    refusals: tuple[str, ...] = ()

    def facts(self) -> list[tuple[Symbol, Row]]:
        """Return the facts that the rules read."""
        stated = [(USER_INTENT, _row(found)) for found in self.intents]
        guessed: list[tuple[Symbol, Row]] = [
            (INTENT_GUESS, ("i1", _name(guess.verb), round(guess.odds * 100))) for guess in self.guesses
        ]
        return stated + guessed


def perceive(text: str, lexicon: Lexicon) -> Perceived:
    """Return what *text* asks for, in the verbs that the lexicon knows; never raises, whatever the text is."""
    length, text = len(text), readable(text)
    reached = len(text)
    text = unicodedata.normalize("NFC", text)
    pieces = tokens(text)
    if len(pieces) > PIECES:
        reached, pieces = min(reached, pieces[PIECES].start), pieces[:PIECES]
    perceived = _perceive(text, pieces, lexicon)
    if reached >= length:
        return perceived
    asks = (perceived.ask, unread(length, reached))
    return replace(perceived, ask=" ".join(ask for ask in asks if ask))


def _perceive(text: str, pieces: list[Token], lexicon: Lexicon) -> Perceived:
    found = list(in_time(sentences(_slash_command(pieces, lexicon), lexicon), lexicon))
    gathered = _Gathering(text=text, lexicon=lexicon)
    for sentence in found:
        gathered.take(sentence)
        if gathered.more:
            break
    if not gathered.intents:
        return _guessed(text, found, gathered, lexicon)
    return gathered.perceived()


def _slash_command(read: list[Token], lexicon: Lexicon) -> list[Token]:
    """Return the tokens with a verb written as a name, `/fix auth.go`, as the word it means."""
    word = read[0].text.removeprefix("/").lower() if read and read[0].kind == "path" else ""
    if not lexicon.is_base(word):
        return read
    return [read[0]._replace(kind="word", plain=word), *read[1:]]


def _row(found: Perception) -> Row:
    intent = found.intent
    constraint: Value = _name(_NONE) if intent.constraint == _NONE else intent.constraint
    return (found.id, _name(intent.category), _name(intent.verb), intent.target, constraint)


def _name(text: str) -> Name:
    return Name("/" + text)


@dataclass(kw_only=True)
class _Gathering:
    """Collect the intents of a text, what they were last about, and what was forbidden."""

    text: str
    lexicon: Lexicon
    intents: list[tuple[Intent, float]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    later: set[int] = field(default_factory=set)
    about: str = ""
    unknown: str = ""
    more: bool = False

    def take(self, sentence: Sentence) -> None:
        """Read one sentence into intents and constraints."""
        if self.intents and _retracts(sentence):
            self.refusals.append(written(self.text, sentence.tokens))
            self.intents.clear()
            self.asides.clear()
            return
        first = len(self.intents)
        self.later |= {first} if sentence.later else set()
        refused: list[str] = []
        for clause in clauses(sentence, self.lexicon):
            if clause.kind == "refusal":
                refused.append(self._words(sentence, clause))
                if len(self.intents) > first:
                    self._constrain(len(self.intents) - 1, refused.pop())
            elif len(self.intents) >= MOST_INTENTS:
                self.more = True
                break
            else:
                self._take_clause(sentence, clause)
        if len(self.intents) > first:
            for number in range(first, len(self.intents)):
                for forbidden in refused:
                    self._constrain(number, forbidden)
        else:
            self.refusals += refused

    def _take_clause(self, sentence: Sentence, clause: Clause) -> None:
        inside = sentence.tokens[clause.start : clause.stop]
        if clause.kind == "command" and clause.verb:
            gap = sentence.tokens[slice(*clause.verb.gap)]
            self._command(clause, (*gap, *sentence.tokens[clause.verb.end : clause.stop]), inside)
            self._recast(sentence, clause, inside)
        elif clause.kind == "question":
            self._question(inside)
        elif clause.kind == "instruction" and self.lexicon.instruction_verb:
            told = Intent(
                text=written(self.text, inside),
                category="instruction",
                verb=self.lexicon.instruction_verb,
                target=written(self.text, inside),
            )
            self.intents.append((told, 0.8))
        elif clause.kind == "statement":
            self._statement(inside)
        elif clause.kind == "unknown":
            self._unknown(inside)

    def _command(self, clause: Clause, object_: Sequence[Token], inside: Sequence[Token]) -> None:
        verb = clause.verb.verb if clause.verb else ""
        target = target_of(self.text, object_, self.about)
        intent = Intent(text=written(self.text, inside), verb=verb, target=target)
        self.about = target or self.about
        self.intents.append((intent, clause.confidence))
        self._share(target)

    def _recast(self, sentence: Sentence, clause: Clause, inside: Sequence[Token]) -> None:
        """Let a request that stands in another form begin as a command."""
        if sentence.recast and clause.start == 0:
            intent, confidence = self.intents[-1]
            said = sentence.recast + intent.text[len(inside[0].text) :]
            self.intents[-1] = (replace(intent, text=said), confidence)

    def _share(self, target: str) -> None:
        """Give the target of the last of several verbs to those before it: "implement and test X"."""
        for number in range(len(self.intents) - 2, -1, -1):
            intent, confidence = self.intents[number]
            if intent.target or not target or number + 1 in self.later:
                return
            self.intents[number] = (replace(intent, target=target), confidence)

    def _question(self, inside: Sequence[Token]) -> None:
        if not any(token.kind in ("word", "code", "path", "quoted") for token in inside):
            return
        verb = question_verb(inside, self.lexicon)
        if verb:
            target = target_of(self.text, inside, self.about)
            asked = Intent(text=written(self.text, inside), category="question", verb=verb, target=target)
            self.intents.append((asked, 0.8))

    def _statement(self, inside: Sequence[Token]) -> None:
        if forbids(inside, self.lexicon):
            self.refusals.append(written(self.text, inside))
            return
        demanded = passive(inside, self.lexicon)
        if demanded:
            verb, subject, rest = demanded
            target = target_of(self.text, subject or rest, self.about)
            self.intents.append((Intent(text=written(self.text, inside), verb=verb, target=target), 0.75))
        else:
            self._aside(inside, asks=False)
        self.about = subject_of(self.text, inside) or self.about

    def _unknown(self, inside: Sequence[Token]) -> None:
        self._aside(inside, asks=True)
        words_ = [token for token in inside if token.plain not in words("openers")]
        self.about = target_of(self.text, words_[1:], self.about) or self.about
        if plain_at(words_, 0) not in words("light"):
            self.unknown = self.unknown or plain_at(words_, 0)

    def _aside(self, inside: Sequence[Token], *, asks: bool) -> None:
        text = written(self.text, inside)
        if text and len(self.asides) < MOST_INTENTS:
            self.asides.append(Aside(text=text, place=len(self.intents), asks=asks))

    def _words(self, sentence: Sentence, clause: Clause) -> str:
        return written(self.text, sentence.tokens[clause.start : clause.stop])

    def _constrain(self, number: int, forbidden: str) -> None:
        intent, confidence = self.intents[number]
        kept = forbidden if intent.constraint == _NONE else f"{intent.constraint}; {forbidden}"
        self.intents[number] = (replace(intent, constraint=kept), confidence)

    def perceived(self) -> Perceived:
        """Return what was gathered; what was forbidden in a sentence of its own binds every intent."""
        for forbidden in self.refusals:
            for number in range(len(self.intents)):
                self._constrain(number, forbidden)
        made = tuple(
            Perception(id=f"i{number}", intent=intent, confidence=confidence, later=number - 1 in self.later)
            for number, (intent, confidence) in enumerate(self.intents, 1)
        )
        return Perceived(intents=made, ask=self._ask(), asides=tuple(self.asides))

    def _ask(self) -> str | None:
        if self.more:
            return f"What should be done first? Only {MOST_INTENTS} requests are read at once."
        return f"What does {self.unknown!r} mean? No rule knows that verb." if self.unknown else None


def _retracts(sentence: Sentence) -> bool:
    """Say whether a sentence only takes back what was asked: "Actually, don't."."""
    said = [
        token.plain for token in sentence.tokens if token.kind != "sign" and token.plain not in words("hesitations")
    ]
    return bool(said) and len(said) == len([word for word in said if word]) and tuple(said) in phrases("retractions")


def question_verb(inside: Sequence[Token], lexicon: Lexicon) -> str | None:
    """Return the verb that answers a question, by the word that asks it; a question never changes anything."""
    known = lexicon.question_verbs
    for place in range(min(len(inside), 12)):
        for length in (4, 3, 2, 1):
            phrase = " ".join(plain_at(inside, place + number).removesuffix("'s") for number in range(length))
            if phrase in known:
                return known[phrase]
        if plain_at(inside, place) not in words("openers") and inside[place].kind != "sign" and place > 6:
            break
    return known.get("?")


def _guessed(text: str, found: Sequence[Sentence], gathered: _Gathering, lexicon: Lexicon) -> Perceived:
    """Return the best guess where it has even odds, else only a question back."""
    ranked = guesses(found, lexicon)
    inside = found[0].tokens if found else ()
    subject = gathered.about or (target_of(text, inside, "") if inside else "")
    best = ranked[0] if ranked else None
    enough = SURE if best and best.verb in lexicon.guarded else ENOUGH
    if best and best.odds >= enough and not gathered.refusals and not gathered.unknown:
        intent = Intent(text=written(text, inside), verb=best.verb, target=subject)
        return Perceived(intents=(Perception(id="i1", intent=intent, confidence=best.odds),), guesses=ranked)
    asked = question(text, subject, bool(gathered.refusals), ranked, gathered.unknown)
    refused = () if gathered.asides else tuple(gathered.refusals)
    return Perceived(intents=(), guesses=ranked, ask=asked, refusals=refused)
