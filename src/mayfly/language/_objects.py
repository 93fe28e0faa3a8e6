"""Take apart what stands behind a verb: object, places, destination, conditions; and say what a clause is about."""

from __future__ import annotations

from collections.abc import Sequence

from mayfly.language._demands import ClauseSpan
from mayfly.language._heads import is_finite
from mayfly.language._request import RequestPhrase, Role
from mayfly.language._tokens import Token
from mayfly.language._words import LexedWords, Word, phrases, words

_LONGEST = 400
# No pattern looks at more words than these.
_FAR = 5
# What is put there is added, and what the file holds stays.
AT_END = "at the end of"
_EDGES = " \t\r\n,;:.!?-—–…"
_LEADING = frozenset(("please", "me", "us", "out", "also", "just", "only"))
# Behind an object these say under which condition it is done; "when" may also say which one is meant.
_BINDING = frozenset(("if", "unless", "until", "once", "provided", "assuming"))
_REASONS = frozenset(("before", "after", "because", "since", "although", "though", "so"))
_LEADS: tuple[tuple[str, Role], ...] = (
    ("places", "place"),
    ("destinations", "destination"),
    ("prepositions", "detail"),
)


class Page:
    """Hold a text with its tokens, and write down which token was used for what."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.roles: list[Role | None] = [None] * len(tokens)

    def written(self, held: Sequence[Word]) -> str:
        """Return the text from the first to the last word, on one line."""
        if not held:
            return ""
        start, end = self.tokens[held[0].at].start, self.tokens[held[-1].at].end
        line = " ".join(self.text[start:end][: 2 * _LONGEST].split())[:_LONGEST]
        return line.rstrip(_EDGES).lstrip(_EDGES.replace(".", ""))

    def held(self, held: Sequence[Word]) -> tuple[Token, ...]:
        """Return the tokens of some words."""
        return tuple(self.tokens[at] for at in dict.fromkeys(word.at for word in held))

    def use(self, held: Sequence[Word], role: Role) -> None:
        """Give a role to the tokens of some words; each keeps the first one it was given, and signs have none."""
        for word in held:
            if self.roles[word.at] is None and word.kind != "sign":
                self.roles[word.at] = role

    def phrase(self, role: Role, lead: str, held: Sequence[Word]) -> RequestPhrase:
        """Make a phrase of some words, without the article before a thing, and write down their role."""
        start, stop = 0, len(held)
        skipped = words("articles") if role != "condition" else frozenset()
        while start < stop and (held[start].kind == "sign" or held[start].plain in skipped):
            start += 1
        while stop > start and held[stop - 1].kind == "sign":
            stop -= 1
        self.use(held[:start], "glue")
        self.use(held[start:stop], role)
        return RequestPhrase(
            role=role, lead=lead, text=self.written(held[start:stop]), tokens=self.held(held[start:stop])
        )

    def phrases(self, line: LexedWords, *, stores: bool = False) -> tuple[RequestPhrase, ...]:
        """Cut what stands behind a verb where a preposition or a condition leads to something further.

        What a verb that *stores* puts into a file may be a clause of its own: "save what is left as a.csv".
        """
        found: list[RequestPhrase] = []
        line = self._without_thanks(line)
        if stores and (cut := _file_at_end(line)):
            return (*self.phrases(line.cut(0, cut)), *self.phrases(line.cut(cut)))
        start, here, role, lead = 0, 0, _OBJECT, ""
        while here < len(line) and (not line.has(here, "asking") or _points_at(line, here)):
            led = _lead_at(line, here, start)
            if led is None:
                here += 1
                continue
            found.append(self.phrase(role, lead, line.words[start:here]))
            role, lead, length = led
            self.use(line.words[here : here + length], "glue")
            start = here = here + length
            if role in ("condition", "purpose") or lead in _REASONS:
                break
        found.append(self.phrase(role, lead, line.words[start:]))
        return tuple(phrase for phrase in found if phrase.tokens)

    def front(self, line: LexedWords) -> tuple[RequestPhrase, ...]:
        """Return what stands before the main clause: "if it is empty, …", "in a.py, …", "for each file, …"."""
        if not line.has(0, "conditions"):
            return self.phrases(line) if line.has(0, "prepositions") else ()
        self.use(line.words[:1], "glue")
        said = self.phrase("condition", line.plain(0), line.words[1:])
        return (said,) if said.tokens else ()

    def target(self, line: LexedWords, before: str) -> str:
        """Return what some words are about; a pronoun, or nothing at all, means what was spoken of *before*."""
        line, start = self._without_thanks(line), 0
        while line.has(start, "prepositions") and line.plain(start) != "as":
            start += 1
        while line.has(start, "articles"):
            start += 1
        line = line.cut(start)
        for kinds in (("path", "url"), ("quoted",)):
            named = dict.fromkeys(token.text for token in self.held(line.words) if token.kind in kinds)
            if named:
                return ", ".join(named)[:_LONGEST]
        if not len(line) or (before and points_back(line)):
            return before
        return self.written(line.words)

    def subject(self, line: LexedWords) -> str:
        """Return what a statement speaks of: a path in it, else the words before its verb, else its first thing."""
        if any(word.kind in ("path", "url") for word in line):
            return self.target(line, "")
        if line.has(0, "subordinate", "relatives"):
            return ""
        start = 0
        if line.has(0, "subjects"):
            things = (place for place in range(1, len(line)) if line.has(place, "determiners"))
            start = next(things, len(line))
        stop = start
        while not line.ends(stop) and not is_finite(line, stop):
            stop += 1
        return self.target(line.cut(start, stop), "") if start > 0 or stop < len(line) else ""

    def _without_thanks(self, line: LexedWords) -> LexedWords:
        """Return some words without "me", "please" and the like before them, and without thanks behind them."""
        start, stop = 0, len(line)
        while start < stop and (line.sign(start) or line.plain(start) in _LEADING):
            start += 1
        while stop > start and (fewer := _before_thanks(line, start, stop)) < stop:
            stop = fewer
        self.use([*line.words[:start], *line.words[stop:]], "glue")
        return line.cut(start, stop)


_OBJECT: Role = "object"


def tail(line: LexedWords, span: ClauseSpan) -> LexedWords:
    """Return what stands behind the verb of a clause, with what stands before it in a passive or inside of it."""
    if span.head is None:
        return line.cut(0, 0)
    start, stop = span.thing if span.thing[1] else span.head.gap
    # In "put it into a.txt" the verb ends with what leads to the file.
    leads = span.head.gap[1] > 0 and line.has(span.head.end - 1, "destinations")
    after = span.head.end - 1 if leads else span.head.end
    return LexedWords([*line.words[start:stop], *line.words[after : span.stop]], line.lexicon)


def _file_at_end(line: LexedWords) -> int:
    """Return where "as a.csv" begins behind a clause that is what goes into the file; 0 where there is none."""
    last = len(line) - 1
    lead = next((at for at in range(last - 1, max(last - 5, 0), -1) if line.has(at, "prepositions")), 0)
    named = last > 0 and line.words[last].kind in ("path", "quoted")
    related = any(line.has(place, "asking") and not _points_at(line, place) for place in range(lead))
    goes = line.has(lead, "destinations") or line.plain(lead) in ("in", "of")
    if not (lead and named and related and goes):
        return 0
    starts = (at for at in range(max(lead - 3, 1), lead) if line.says("at_end", at, far=_FAR))
    return next(starts, lead if line.plain(lead) != "of" else 0)


def points_back(line: LexedWords) -> bool:
    """Say whether a line begins with a pronoun that is not the determiner of a noun: "it with tests"."""
    return line.says("points_back", far=_FAR) > 0


def _points_at(line: LexedWords, here: int) -> bool:
    """Say whether "that" only points at one thing: "save that figure to a.txt", not "check that users can log in"."""
    return here == 0 and line.says("points_at", far=_FAR) > 0


def _lead_at(line: LexedWords, here: int, start: int) -> tuple[Role, str, int] | None:
    """Return the role that begins here, what leads to it, and in how many words."""
    word, following = line.plain(here), line.plain(here + 1)
    if here + 1 >= len(line) or not word:
        return None
    if length := line.says("at_end", here, far=_FAR):
        return "destination", AT_END, length
    if line.has(here, "prepositions") and following in ("each", "every"):
        return "each", f"{word} {following}", 2
    if word in words("conditions") or word in _REASONS:
        near = word in words("conditions") and (line.sign(here - 1) or here == start + 1)
        bound: Role = "condition" if word in _BINDING or near else "detail"
        return (bound, word, 1) if here else None
    if word == "to" and here and (line.is_verb(here + 1) or following in ("be", "use", "make")):
        return "purpose", word, 1
    return next(((role, word, 1) for name, role in _LEADS if word in words(name)), None)


def _before_thanks(line: LexedWords, start: int, stop: int) -> int:
    if line.sign(stop - 1):
        return stop - 1
    for length in range(min(4, stop - start), 0, -1):
        ending = tuple(line.plain(place) for place in range(stop - length, stop))
        if ending in phrases("trailing").get(ending[0], ()):
            return stop - length
    return stop
