"""Read one sentence: which of its clauses command, which forbid, which ask, and which only tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mayfly.core import replace
from mayfly.language._demands import JOINTS, ClauseSpan, demands_of
from mayfly.language._frames import frames_at, head_at, head_behind, skip_openers, unknown_at
from mayfly.language._heads import ClauseHead, ends_phrase, is_finite, is_object_start, phrase_end, verb_at
from mayfly.language._request import ClauseKind
from mayfly.language._sentences import Sentence
from mayfly.language._verbs import PARTICLES
from mayfly.language._words import LexedWords, is_closed, is_one_of, words

# So far a list of what is forbidden is looked through for its "or", and an object for its commas.
_FAR = 40
# No pattern looks at more words than these.
_NEAR = 4
# "chore: bump the version", "next step: test it": so few words before a colon are a label.
_LABEL = 2
# Behind more commas and the like than this nothing is looked for again, or a line of them would take for ever.
_OPENING = 8
# How sure a reading is: a verb where a command begins, one behind polite words.
_PLAIN, _POLITE = 0.95, 0.9
_ASKING = ("command", "unknown")
# A refusal begins with these even where it follows an object, unless "not" belongs to a verb: "what is not tested".
_CUTTING = frozenset(("not", "never", "without", "rather", "instead", "except", "excluding", "apart", "nothing"))


def spans(sentence: Sentence) -> list[ClauseSpan]:
    """Return the clauses of a sentence in order; every word is in exactly one of them."""
    return list(_Reader(line=sentence.line, asked=sentence.asked).read())


@dataclass(kw_only=True)
class _Reader:
    """Walk through a sentence and remember what the clause under way is, and what its object holds.

    An object is *bound* where a verb stands in it that others may be joined to, and *related* where a clause does.
    """

    line: LexedWords
    asked: bool
    mode: ClauseKind = "statement"
    started: int = 0
    head: ClauseHead | None = None
    bound: bool = False
    related: bool = False
    earlier: bool = False
    tried: int = 0

    def read(self) -> Iterator[ClauseSpan]:
        """Yield the clauses: open the first one, then look for the next wherever one can begin."""
        line = self.line
        first = skip_openers(line, 0)[0]
        here = len(line)
        if line.phrase(first, "instructions"):
            self.mode = "instruction"
        elif not line.phrase(first, "reported"):
            here = self._open(first)
        while here < len(line):
            if self.mode in _ASKING and line.sign(here) == "," and line.says("doubting", here, far=_NEAR):
                # A question about what was just asked for: "drop it, what could possibly go wrong".
                yield from self._close(here)
                self.started, self.head, self.mode = here, None, "question"
                here = len(line)
            elif self._leads(here):
                yield from self._close(here)
                self.started, self.head, self.mode = here, None, "statement"
                here = skip_openers(line, here)[0] + 1
            elif found := self._next(here):
                yield from self._close(here)
                here = self._enter(found, here)
            else:
                here = max(here + 1, self.tried)
        polite = self.head is not None and self.head.framed and not self.head.weak
        if self.asked and (self.mode == "statement" or (self.mode == "unknown" and not polite)):
            self.mode = "question"
        yield from self._close(len(line))

    def _close(self, stop: int) -> list[ClauseSpan]:
        span = ClauseSpan(kind=self.mode, start=self.started, stop=stop, head=self.head, earlier=self.earlier)
        if self.mode == "command" and self.head and self.head.verb:
            return [replace(span, confidence=_PLAIN if self.head.verb.plain and not self.head.framed else _POLITE)]
        return demands_of(self.line, span) if self.mode == "statement" else [span]

    def _open(self, first: int) -> int:
        """Begin the first clause and return where to read on; in doubt between a question and a command it asks."""
        line = self.line
        if before := self._before(first):
            here = self._enter(before, 0)
            self.earlier = True
            return here
        head = head_at(line, 0)
        wondering = line.phrase(first, "wondering") > 0
        begged = any(word.plain == "please" for word in line) or (head and head.framed and not head.weak)
        if head and head.kind == "refusal":
            if not wondering and (not self.asked or (head.framed and head.verb)):
                return self._enter(head, 0)
        elif head and (begged or not self.asked) and (head.framed or not (wondering or _is_noun(line, head))):
            return self._enter(head, 0)
        self.mode = "question" if wondering or line.says("asks", first, far=_NEAR) else "statement"
        unknown = unknown_at(line, first) if self.mode == "statement" else None
        return self._enter(unknown, 0) if unknown else first + 1

    def _before(self, first: int) -> ClauseHead | None:
        """Return the head of what is to be done before the rest: "after fixing X, deploy Y"; what is told is none."""
        for frame, match in frames_at(self.line, first, "earlier"):
            head = head_behind(self.line, frame, match)
            if head and head.verb and not match.negated and self._goes_on(head.end):
                return replace(head, framed=True)
        return None

    def _goes_on(self, start: int) -> bool:
        """Say whether another request begins after a comma; where something is told there, none does."""
        for place in range(start, min(start + _FAR, len(self.line) - 1)):
            if self.line.sign(place) == ",":
                if head := head_at(self.line, place) or unknown_at(self.line, place):
                    return head.kind != "refusal"
                if self.line.has(place + 1, "determiners", "subjects"):
                    return False
        return False

    def _enter(self, head: ClauseHead, here: int) -> int:
        """Begin the clause of *head* and return where to read on."""
        self.started, self.head, self.mode = here, head, head.kind
        self.related = self.earlier = False
        self.bound = head.kind != "refusal" and _names_verbs(self.line, head.end)
        return max(head.end, here + 1)

    def _leads(self, here: int) -> bool:
        """Say whether what leads to a request is joined to another: "… and if it is empty, delete it"."""
        place = skip_openers(self.line, here)[0]
        joint = self.line.plain(here) in JOINTS or self.line.sign(here) == ";"
        joint = joint or (self.line.sign(here) == "," and self.line.plain(here + 1) in ("and", "then"))
        if self.line.sign(here) == "," and (self.line.plain(here + 1), self.line.plain(here + 2)) == ("after", "which"):
            return self.mode in _ASKING
        return joint and self.mode in _ASKING and self.line.has(place, "conditions") and self._goes_on(place + 1)

    def _next(self, here: int) -> ClauseHead | None:
        """Return the head of the clause that begins at *here*, if one does."""
        line = self.line
        # "… and, if so, copy it": there "so" is the condition.
        joint = bool(line.sign(here)) or (line.plain(here) in JOINTS and line.plain(here - 1) != "if")
        joint = joint or self._is_led_to(here)
        if not joint and not self._begs(here) and not self._refuses(here):
            self._note_binding(here)
            return None
        if line.plain(here) == "but" and line.plain(here - 1) in ("everything", "anything", "nothing", "all"):
            return ClauseHead(kind="refusal", place=here, end=here + 1)
        head = head_at(line, here)
        if not head or skip_openers(line, here)[0] > here + _OPENING:
            self.tried = skip_openers(line, here)[0]
        if head is None and joint:
            head = self._unknown(here)
        if head is None and line.sign(here) == "," and self.mode == "statement" and self._only_leads():
            return unknown_at(line, here)
        if head and head.kind == "refusal":
            told = self.mode == "statement" and head.verb is not None
            return head if told or (self.mode in _ASKING and line.plain(here) != "or") else None
        return head if head and self._accepts(here, head) else None

    def _unknown(self, here: int) -> ClauseHead | None:
        """Return a verb that no rule knows where a request can go on with one."""
        line, found = self.line, unknown_at(self.line, here)
        if found is None:
            return None
        # "… how many there are and keep that number in a.txt": no relative clause goes on like this.
        stores = line.plain(found.place) in words("storing") and line.has(found.end, "pointing")
        stores = stores or found.place == found.end
        if self.mode == "statement":
            return found if stores and line.sign(here) == ";" else None
        return found if self.mode in _ASKING and (stores or not (self.bound or self.related)) else None

    def _is_led_to(self, here: int) -> bool:
        """Say whether a verb follows the file that a sentence begins with: "from a.csv drop the …"."""
        first = skip_openers(self.line, self.started)[0]
        led = self.mode == "statement" and self.line.has(first, "prepositions")
        if not led or self.line.words[here - 1].kind not in ("path", "url"):
            return False
        head = verb_at(self.line, here)
        return head is not None and is_object_start(self.line, head.end)

    def _only_leads(self) -> bool:
        """Say whether the clause under way only says under which condition, or for what, something is done."""
        return self.line.says("leads", skip_openers(self.line, self.started)[0], far=_NEAR) > 0

    def _begs(self, here: int) -> bool:
        """Say whether a polite word begins a request without a joint; "how would you …" goes on with a question."""
        word = self.line.plain(here)
        if self.mode in ("question", "command"):
            return word == "please" and self.mode == "question"
        return word in ("please", "can", "could", "would")

    def _refuses(self, here: int) -> bool:
        """Say whether a refusal begins without a joint, behind an object: "fix it without touching the API"."""
        denied = self.line.plain(here) in ("not", "never")
        belongs = denied and (self.line.has(here - 1, "auxiliaries") or self.line.plain(here - 1) == "or")
        return self.mode in _ASKING and self.line.plain(here) in _CUTTING and not belongs

    def _note_binding(self, here: int) -> None:
        """Remember a clause in the object: "what could break", "scripts that delete rows and drop tables"."""
        word, leads = self.line.plain(here), verb_at(self.line, here + 1) is not None
        self.related = self.related or word in words("relatives")
        modal = word in words("modals") and (word != "to" or leads)
        self.bound = self.bound or (self.mode == "command" and (modal or (word in words("asking") and leads)))

    def _accepts(self, here: int, head: ClauseHead) -> bool:
        """Say whether a verb after a joint is a new request, by what the clause before it is."""
        line, before = self.line, self.line.plain(here - 1)
        strong = head.framed or head.marked or line.sign(here) == ";"
        if self.asked and head.weak:
            return False
        if self.mode in _ASKING:
            return strong or not (self.bound or self._is_paired(here, head))
        if self.mode == "refusal":
            goes_on = line.sign(here) == ":" and before != "yet"
            return not goes_on and (strong or self._leaves_refusal(here))
        if self.mode == "question":
            return head.framed and not head.weak
        reported = is_one_of(before, "reporting") and before not in words("reporting")
        return not reported and self._ends_statement(here, head)

    def _is_paired(self, here: int, head: ClauseHead) -> bool:
        """Say whether a verb is joined to a word of the object: "the search and filter functions"."""
        line, joint = self.line, self.line.plain(here)
        object_ = self.head.end if self.head else 0
        named = line.is_verb(here - 1) and line.plain(here - 2).endswith("s") and here > object_ + 1
        if named and not is_object_start(line, head.end):
            # "targets build, test and clean" names all of them.
            self.bound = True
            return True
        if here == object_ or not joint:
            return False
        if is_object_start(line, head.end):
            return self.related and line.is_verb(here - 1)
        if joint == "or" or self.related:
            return True
        stop = phrase_end(line, head.end)
        listed = any(line.sign(place) == "," for place in range(max(object_, here - _FAR), here))
        noun = line.is_noun(head.place) and line.ends(stop) and (listed or stop == head.end) and line.plain(here - 1)
        return head.verb is not None and head.verb.plain and (line.is_verb(here - 1) or bool(noun))

    def _leaves_refusal(self, here: int) -> bool:
        """Say whether a verb after "do not …" stands outside of it: not in a list of what is forbidden."""
        line = self.line
        word = line.plain(skip_openers(line, self.started)[0])
        gerund = any(line.plain(place).endswith("ing") for place in range(self.started, self.started + 4))
        if word in ("leave", "keep", "without") or (gerund and word in _CUTTING | {"avoid", "refrain", "stop"}):
            return True
        if not line.sign(here):
            return line.plain(here) == "but"
        joined = (place for place in range(here, here + _FAR) if line.plain(place) in ("or", "nor", "and"))
        return not any(verb_at(line, place + 1) for place in joined)

    def _ends_statement(self, here: int, head: ClauseHead) -> bool:
        """Say whether what was told is over: "it is red, fix it" and "so fix it", but not "they fix, test and ship"."""
        line, sign = self.line, self.line.sign(here)
        if head.framed or (sign == ":" and here <= _LABEL):
            return True
        # "They fix, test and ship", but not "it is empty, delete it": behind "is" it says how something is.
        told = line.has(here - 2, "determiners") or line.plain(here - 2) in ("is", "are", "was", "were", "be")
        listed = bool(sign) and line.is_verb(here - 1) and not told
        if (
            listed
            or (self.asked and not head.marked)
            or (line.plain(here) in ("and", "or", "also", "plus") and not head.marked)
        ):
            return False
        if line.plain(head.end) in ("or", "and") or line.sign(head.end) == ",":
            return False
        wants = line.has(head.end, "questions") or line.plain(head.end) in ("whether", "if")
        return head.marked or wants or is_object_start(line, head.end) or not line.is_noun(head.place)


def _is_noun(line: LexedWords, head: ClauseHead) -> bool:
    """Say whether a word that may be a verb is the subject of what follows: "Test coverage is too low"."""
    here = head.end
    if head.verb is None or not head.verb.plain:
        return False
    if is_finite(line, here) or (line.sign(here) == ":" and line.has(here + 1, "subjects")):
        return True
    while here < head.end + 4 and not ends_phrase(line, here) and not is_object_start(line, here):
        here += 1
        if line.has(here, "auxiliaries") or (is_finite(line, here) and here + 1 < len(line)):
            # "check users can log in" asks for something, "test results are wrong" does not.
            judging = head.verb.verb in line.lexicon.judging | {"test"}
            return not (judging and line.has(here, "modals"))
    return False


def _names_verbs(line: LexedWords, place: int) -> bool:
    """Say whether the object that begins here is named after verbs: "the create, update and delete endpoints"."""
    seen = 0
    while line.has(place, "determiners"):
        place += 1
    while line.is_verb(place) or (seen and verb_at(line, place)):
        seen += 1
        place += 2 if line.plain(place + 1) in PARTICLES else 1
        while line.sign(place) in (",", "/") or line.plain(place) in ("and", "or"):
            place += 1
    return seen > 1 and bool(line.plain(place)) and not is_closed(line.plain(place))
