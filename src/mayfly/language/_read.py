"""Read a request: its tokens once, then clause by clause what is asked for, forbidden, asked or told."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mayfly.core import replace
from mayfly.language._clauses import spans
from mayfly.language._demands import ClauseSpan
from mayfly.language._flow import with_flow
from mayfly.language._frames import skip_openers
from mayfly.language._meant import (
    ENOUGH,
    SURE,
    THOUGHT,
    changed_by,
    doubts,
    guesses,
    parted_by,
    question,
    tells_habit,
    tells_of,
    told_by,
)
from mayfly.language._objects import Page, tail
from mayfly.language._request import NONE, Clause, ClauseKind, Guess, Request, RequestPhrase, Role
from mayfly.language._sentences import Sentence, sentences
from mayfly.language._tokens import Token, tokens
from mayfly.language._verbs import Lexicon
from mayfly.language._words import LexedWords, is_closed, words

MOST_REQUESTS = 50
# Nobody types as much as this: it belongs into a file.
LONGEST = 300_000
# So many tokens are read from the beginning; of a longer text the last paragraphs among as many at its end, too.
_FIRST, _LAST = 12_000, 2_000
# A question or an instruction is plain to see, its verb is only what answers it.
_ANSWERED = 0.8
# Before a verb these only say that it comes after what was said before: "step two: …", "once that is done, …".
_ORDERING = frozenset(("step", "after", "once", "when"))
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{1,9}")
_EXAMPLE = "For example: fix the bug in auth.py."


def read(text: str, lexicon: Lexicon) -> Request:
    """Return what *text* asks for, in the verbs that the lexicon knows; never raises, whatever the text is."""
    if len(text) > LONGEST:
        ask = f"Which part is the request? The text was not read: it has {len(text):,} characters, put it into a file."
        return Request(text=text, tokens=(), clauses=(), roles=(), ask=ask)
    text = unicodedata.normalize("NFC", text)
    found = _as_meant(tokens(text), lexicon, text)
    kept = _readable(found)
    reading = _Reading(page=Page(text, kept), foreign=is_foreign(kept, lexicon))
    for sentence in sentences(kept, lexicon):
        reading.take(sentence)
    return reading.request(lexicon, unread=len(found) - len(kept))


def _as_meant(found: list[Token], lexicon: Lexicon, text: str) -> list[Token]:
    """Return the tokens with a verb written as a name, `/fix auth.go`, as a word, and "in src/app" as a path."""
    arrows = ("->", "=>", "\u2192")
    found = [
        token._replace(kind="word", plain="into") if text.startswith(arrows, token.start) else token for token in found
    ]
    word = found[0].text.removeprefix("/").lower() if found and found[0].kind == "path" else ""
    if lexicon.is_base(word):
        found[0] = found[0]._replace(kind="word", plain=word)
    for place, (lead, token) in enumerate(pairwise(found), 1):
        ends = place + 1 == len(found) or found[place + 1].kind != "word" or is_closed(found[place + 1].plain)
        inside = "/" in token.text and lead.plain in words("places")
        # What something goes to is a file, whatever its name ends in: "write the count to uploads.count".
        goes = _DOTTED.fullmatch(token.text) and lead.plain in words("destinations") | {"in", "of", "from"}
        if token.kind == "code" and ends and (inside or goes):
            found[place] = token._replace(kind="path")
    return found


def _readable(found: list[Token]) -> list[Token]:
    """Return the tokens that are read: of a very long text its beginning and its last paragraphs."""
    last = found[max(_FIRST, len(found) - _LAST) :]
    broken = (place for place in range(1, len(last)) if last[place].kind == last[place - 1].kind == "line")
    return [*found[:_FIRST], *last[next(broken, len(last)) - 1 :]] if last else found


def is_foreign(found: Sequence[Token], lexicon: Lexicon | None = None) -> bool:
    """Say whether a text is not in English: in other letters, or with more of the small words of other languages."""
    said = [token.plain for token in found[:_LAST] if token.kind == "word"]
    letters = "".join(said)
    other = sum(word in words("foreign") for word in said)
    known = lexicon.is_base if lexicon is not None else is_closed
    english = sum((is_closed(word) and word not in words("foreign")) or known(word) for word in said)
    return other > english or 2 * sum(ord(letter) > _LATIN for letter in letters) > len(letters)


# The last letter of the scripts in which English could be written.
_LATIN = 0x24F


@dataclass(kw_only=True)
class _Reading:
    """Collect the clauses of a text, and what they were last about.

    *weak* are the places of clauses in which somebody says what he wants to do himself, *later* of those that come
    after another one; *general* is what is forbidden for all of them.
    """

    page: Page
    foreign: bool
    clauses: list[Clause] = field(default_factory=list)
    seen: list[Sentence] = field(default_factory=list)
    weak: set[int] = field(default_factory=set)
    later: set[int] = field(default_factory=set)
    general: list[str] = field(default_factory=list)
    about: str = ""
    asking: int = 0
    begun: int = 0

    def take(self, sentence: Sentence) -> None:
        """Read one sentence into clauses."""
        line, text = sentence.line, self.page.written(sentence.line.words)
        if sentence.pasted or self.foreign or self.asking > MOST_REQUESTS:
            role: Role = "pasted" if sentence.pasted else "told"
            self._add(line, Clause(kind="statement", text=text, tokens=(), pasted=sentence.pasted), role)
            return
        self.seen.append(sentence)
        if self.clauses and _retracts(line):
            self.clauses = [replace(one, kind="statement") if one.asks else one for one in self.clauses]
            self._add(line, Clause(kind="refusal", text=text, tokens=(), negated=True), "constraint")
            return
        first, front = len(self.clauses), tuple[RequestPhrase, ...]()
        found = spans(sentence)
        for span, following in zip(found, [*found[1:], None], strict=True):
            inside = line.cut(span.start, span.stop)
            leads = following is not None and following.kind in ("command", "unknown") and span.kind == "statement"
            said = inside.cut(skip_openers(inside, 0)[0])
            phrases = self.page.front(said) if leads else ()
            if phrases:
                front, self.about = phrases, self.page.subject(said) or self.about
                self.page.use(inside.words, "glue")
            else:
                self._take_span(sentence, span, front)
        self._weigh(sentence, first)
        self.begun = first
        self._bind(first)

    def _weigh(self, sentence: Sentence, first: int) -> None:
        """Take back what a sentence only seemed to ask for."""
        line = sentence.line
        before = self.seen[-2].line if len(self.seen) > 1 else None
        if line.says("mocks"):
            self.seen.pop()
            self._take_back(first)
        elif (sentence.asked and line.says("wonders")) or tells_of(line) or tells_habit(line):
            self._take_back(first)
        elif before is not None and before.has(0, "agreeing") and line.says("judges"):
            # "Oh great, let us drop the database. Fantastic idea."
            self._take_back(self.begun)

    def _take_back(self, first: int) -> None:
        """Let what was only said in scorn ask for nothing."""
        for place in range(first, len(self.clauses)):
            if self.clauses[place].kind in ("command", "unknown"):
                self.clauses[place] = replace(self.clauses[place], kind="statement", asked=True)

    def _add(self, line: LexedWords, clause: Clause, role: Role) -> None:
        self.page.use([word for word in line if word.kind == "quoted"], "quoted")
        self.page.use([word for word in line if word.kind == "data"], "pasted")
        self.page.use(line.words, role)
        quoted = any(word.kind == "quoted" for word in line)
        self.asking += clause.asks
        clause = replace(clause, kind="statement") if self.asking > MOST_REQUESTS else clause
        self.clauses.append(replace(clause, tokens=self.page.held(line.words), quoted=quoted))

    def _take_span(self, sentence: Sentence, span: ClauseSpan, front: tuple[RequestPhrase, ...]) -> None:
        inside = sentence.line.cut(span.start, span.stop)
        said = inside.words[skip_openers(inside, 0)[0] :] or inside.words
        asked = sentence.asked or span.kind == "question"
        base = Clause(kind=span.kind, text=self.page.written(said), tokens=(), asked=asked)
        if span.kind in ("command", "unknown") and span.head and span.head.verb:
            self._command(sentence, span, base, front)
        elif span.kind == "refusal":
            self._add(inside, replace(base, negated=True), "constraint")
        elif span.kind == "question":
            verb = _question_verb(self.page.held(inside.words), inside.lexicon)
            kind: ClauseKind = "question" if verb else "statement"
            target = self.page.target(inside, self.about)
            self._add(inside, replace(base, kind=kind, verb=verb, target=target, confidence=_ANSWERED), "question")
        elif span.kind == "instruction":
            verb = inside.lexicon.instruction_verb
            self._add(inside, replace(base, verb=verb, target=base.text, confidence=_ANSWERED), "object")
        else:
            self._add(inside, base, "told")
            self.about = self.page.subject(inside) or self.about

    def _command(self, sentence: Sentence, span: ClauseSpan, base: Clause, front: tuple[RequestPhrase, ...]) -> None:
        line, head = sentence.line, span.head
        assert head is not None
        assert head.verb is not None
        place, behind = len(self.clauses), tail(line, span)
        held = {*range(*head.gap), *range(*head.work)}
        self.page.use([line.words[at] for at in range(head.place, head.end) if at not in held], "verb")
        leading = {line.plain(at) for at in range(span.start, head.place)}
        front = self._otherwise(leading) or front
        stores = head.verb.base.partition(" ")[0] in words("storing")
        worked = LexedWords([*line.words[slice(*head.work)], *behind.words], line.lexicon)
        phrases = self.page.phrases(worked, stores=stores)
        if head.means[1]:
            phrases += (self.page.phrase("detail", "using", line.words[slice(*head.means)]),)
        target = self._named_before(front, phrases) or self.page.target(
            self._unconditional(behind, phrases), self.about
        )
        text = f"{head.verb.base} {self.page.written(worked.words)}" if span.earlier else base.text
        made = replace(
            base, text=text, verb=head.verb.verb, said=head.verb.base, target=target, phrases=front + phrases
        )
        alternative = bool(self.clauses) and line.plain(span.start) == "or"
        made = replace(made, confidence=span.confidence, each=_each(made), alternative=alternative)
        made = replace(made, makes=head.verb.makes)
        if (head.verb.plain or head.verb.base in THOUGHT) and (answer := told_by(made, behind)):
            made = replace(made, verb=answer, makes=False)
        elif changed := changed_by(made, line) or parted_by(made, line):
            made = replace(made, verb=changed)
        self._add(line.cut(span.start, span.stop), made, "glue")
        self.weak |= {place} if head.weak else set()
        ordered = (leading | {line.plain(span.stop - 1)}) & words("order") or leading & _ORDERING
        if ordered or sentence.numbered:
            self.later.add(place)
        if span.earlier:
            self.later.add(place + 1)
        self.about = target or self.about
        self._share(target)

    def _named_before(self, front: Sequence[RequestPhrase], phrases: Sequence[RequestPhrase]) -> str:
        """Return what is named in front of a clause that names nothing itself."""
        if any(phrase.names for phrase in phrases):
            return ""
        return ", ".join(name for phrase in front for name in phrase.names)

    def _otherwise(self, leading: set[str]) -> tuple[RequestPhrase, ...]:
        """Return the condition of the clause before, turned round: "otherwise" stands for it."""
        if leading.isdisjoint(("otherwise", "else")) or not self.clauses:
            return ()
        return tuple(replace(phrase, lead="otherwise") for phrase in self.clauses[-1].conditions[:1])

    def _unconditional(self, behind: LexedWords, phrases: Sequence[RequestPhrase]) -> LexedWords:
        """Return what stands behind a verb up to the condition at its end."""
        starts = [phrase.tokens[0].start for phrase in phrases if phrase.role == "condition"]
        before = [word for word in behind if starts and self.page.tokens[word.at].start < starts[0]]
        return behind.cut(0, len(before) - 1) if starts else behind

    def _share(self, target: str) -> None:
        """Give the target of the last of several verbs to those before it: "implement and test X"."""
        for place in range(len(self.clauses) - 2, -1, -1):
            clause = self.clauses[place]
            if clause.kind not in ("command", "unknown") or clause.target or not target:
                return
            self.clauses[place] = replace(clause, target=target)

    def _bind(self, first: int) -> None:
        """Bind the requests of a sentence by what is forbidden in it; where it holds none, all of them."""
        added = range(first, len(self.clauses))
        asking = [place for place in added if self.clauses[place].kind in ("command", "unknown")]
        for place in added:
            if self.clauses[place].kind == "refusal":
                before = [other for other in asking if other < place]
                for other in before[-1:] or asking:
                    self._constrain(other, self.clauses[place].text)
                self.general += [] if asking else [self.clauses[place].text]

    def _constrain(self, place: int, forbidden: str) -> None:
        clause = self.clauses[place]
        kept = forbidden if clause.constraint == NONE else f"{clause.constraint}; {forbidden}"
        self.clauses[place] = replace(clause, constraint=kept)

    def request(self, lexicon: Lexicon, unread: int) -> Request:
        """Return what was gathered, with what to ask back where it is too little."""
        self._weaken()
        for place, clause in enumerate(self.clauses):
            for forbidden in self.general if clause.asks else ():
                self._constrain(place, forbidden)
        understood = any(clause.asks and clause.kind != "unknown" for clause in self.clauses)
        ranked = () if understood or self.foreign else guesses(self.seen, self.page.tokens)
        self._guess(ranked, lexicon)
        return Request(
            text=self.page.text,
            tokens=tuple(self.page.tokens),
            clauses=with_flow(self.clauses, self.later, self.page.tokens, lexicon),
            roles=tuple(role or "glue" for role in self.page.roles),
            guesses=ranked,
            ask=" ".join(ask for ask in (self._ask(ranked), _ask_for_unread(unread)) if ask) or None,
        )

    def _weaken(self) -> None:
        """Let the weaker reading hold: who wants to do something and asks about it asks for no more than an answer."""
        doubted = asked = False
        for place in range(len(self.clauses) - 1, -1, -1):
            clause = self.clauses[place]
            if clause.kind in ("command", "unknown") and (doubted or (asked and place in self.weak)):
                self.clauses[place] = replace(clause, kind="statement", asked=True)
            elif clause.kind == "question":
                asked, doubted = True, doubts(clause)

    def _guess(self, ranked: Sequence[Guess], lexicon: Lexicon) -> None:
        """Take the likeliest verb where it has even odds; one whose work cannot be taken back needs more."""
        told = [place for place, one in enumerate(self.clauses) if one.kind == "statement" and not one.pasted]
        silent = any(one.kind == "refusal" or (one.kind == "unknown" and one.phrases) for one in self.clauses)
        if ranked and told and not silent and ranked[0].odds >= (SURE if ranked[0].verb in lexicon.guarded else ENOUGH):
            verb, odds = ranked[0]
            made = replace(self.clauses[told[0]], kind="command", verb=verb, target=self._subject(), confidence=odds)
            self.clauses[told[0]] = made

    def _subject(self) -> str:
        return self.about or (self.page.target(self.seen[0].line, "") if self.seen else "")

    def _ask(self, ranked: Sequence[Guess]) -> str:
        unknowns = (clause.said for clause in self.clauses if clause.kind == "unknown")
        unknown = next((said for said in unknowns if said not in words("light")), "")
        if self.asking > MOST_REQUESTS:
            return f"What should be done first? Only {MOST_REQUESTS} requests are read at once."
        if any(clause.asks and clause.kind != "unknown" for clause in self.clauses):
            return f"What does {unknown!r} mean? No rule knows that verb." if unknown else ""
        if not self.page.text.strip():
            return f"What should be done? Nothing was written. {_EXAMPLE}"
        if self.foreign:
            return f"What should be done? This request is not in English; only English is read. {_EXAMPLE}"
        if any(clause.kind == "refusal" for clause in self.clauses):
            return "What should be done? Only what not to do was said. For example: explain auth.py."
        return question(self._subject(), ranked, unknown)


def _ask_for_unread(count: int) -> str:
    left = f"{count:,} words were left out: put the request first, and the material into a file."
    return f"Is there a request in the part that was not read? {left}" if count else ""


def _retracts(line: LexedWords) -> bool:
    """Say whether a sentence only takes back what was asked: "Actually, don't.", "Scrap that, do nothing."."""
    said = [word for word in line if word.kind != "sign" and word.plain not in words("hesitations")]
    return LexedWords(said, line.lexicon).says("retracts") > 0


def _each(clause: Clause) -> tuple[str, ...]:
    """Return what a clause is done for one by one: "for each file", "every .py file", "a.txt, b.txt and c.txt"."""
    listed = [phrase.names for phrase in clause.phrases if phrase.role in ("object", "place") and len(phrase.names) > 1]
    if listed and clause.said not in words("joining"):
        return listed[0]
    led = [phrase.text for phrase in clause.phrases if phrase.role == "each"]
    return (*led, *(one.text for one in clause.phrases if one.tokens[0].plain in ("each", "every")))[:1]


def _question_verb(inside: Sequence[Token], lexicon: Lexicon) -> str:
    """Return the verb that answers a question, by the words that ask it; a question never changes anything."""
    known = lexicon.question_verbs
    plain = [token.plain.removesuffix("'s") if token.kind == "word" else "" for token in inside[:16]]
    if not any(token.kind in ("word", "code", "path", "quoted") for token in inside):
        return ""
    found = (" ".join(plain[place : place + length]) for place in range(len(plain)) for length in (4, 3, 2, 1))
    return next((known[phrase] for phrase in found if phrase in known), known.get("?", ""))
