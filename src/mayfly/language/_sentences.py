"""Part a request into sentences, and put aside what was only pasted or reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mayfly.language._tokens import Token
from mayfly.language._verbs import Lexicon
from mayfly.language._words import LexedWords, Word, is_one_of, is_text, words, words_of

_ABBREVIATIONS = frozenset(("e.g", "i.e", "etc", "vs", "mr", "mrs", "dr", "approx", "cf", "no"))
# A shorter line was ended by its writer, a longer one by the width of a page.
_WRAPPED = 60
# As many words before a colon say what follows it.
_LOOK_BACK = 30
# A shorter quoted text is a word of the material rather than all of it.
_QUOTE = 12
_BEGGING = frozenset(("can", "could", "would", "will", "may"))
_SHOWING = frozenset(("here is", "here are", "this is", "that is", "these are", "below is", "below are", "it is"))


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """Hold the words of one sentence without its final sign; *asked* when that was a question mark.

    What is *pasted* was put there and asks for nothing; what is *numbered* comes after what has a lower number.
    """

    line: LexedWords
    asked: bool = False
    pasted: bool = False
    numbered: bool = False


def sentences(tokens: Sequence[Token], lexicon: Lexicon) -> Iterator[Sentence]:
    """Yield the sentences of a text in order; what was pasted is yielded as such."""
    return (sentence for sentence in _Parting(tokens, lexicon).part() if len(sentence.line))


class _Parting:
    """Walk over the tokens of a text, from the *start* of the sentence under way."""

    def __init__(self, tokens: Sequence[Token], lexicon: Lexicon) -> None:
        self.tokens = tokens
        self.lexicon = lexicon
        self.several = any(token.kind == "line" for token in tokens)
        self.start = 0

    def part(self) -> Iterator[Sentence]:
        line, here, numbered = 0, 0, False
        while here < len(self.tokens):
            token = self.tokens[here]
            ends = token.kind == "sign" and token.plain in ".!?" and not self._is_abbreviation(here - 1)
            broken = token.kind == "line" and self._is_broken(here, token.start - line)
            skipped = self._material_from(here + 1) if ends or token.kind == "line" or token.plain == ":" else 0
            if ends or broken or skipped or token.kind in ("item", "data"):
                held = self._line(self.start, here)
                titled = skipped > 0 and _is_title(held)
                yield Sentence(line=held, asked=ends and token.plain == "?", pasted=titled, numbered=numbered)
                material = self._line(here + (token.kind != "data"), max(here + 1, skipped))
                yield Sentence(line=material, pasted=True)
                numbered = token.kind == "item" and any(letter.isdigit() for letter in token.text)
                self.start = max(here + 1, skipped)
                here = self.start - 1
            line = token.end if token.kind == "line" else line
            here += 1
        yield Sentence(line=self._line(self.start, len(self.tokens)), numbered=numbered)

    def _line(self, start: int, stop: int) -> LexedWords:
        return LexedWords(words_of(self.tokens[start:stop], start), self.lexicon)

    def _is_abbreviation(self, place: int) -> bool:
        return place >= self.start and self.tokens[place].text.lower() in _ABBREVIATIONS

    def _is_broken(self, here: int, length: int) -> bool:
        """Tell whether a line ends here by itself: it is short, or ends with a sign."""
        return length < _WRAPPED or here == self.start or self.tokens[here - 1].kind == "sign"

    def _material_from(self, place: int) -> int:
        """Return where to read on if the token before *place* leads to material, else 0."""
        held = self._line(max(self.start, place - 1 - _LOOK_BACK), place - 1)
        if not len(held):
            return 0
        plain = [word.plain or self.tokens[word.at].text.lower() for word in held]
        sign, below = self.tokens[place - 1].plain, self._is_below(place)
        if sign == ":":
            return self._after_colon(place, held, plain)
        given = sign == "\n" and len(plain) > 1 and plain[-2] in words("given") and is_text(plain[-1])
        pointed = sign == "." and below and not {"below", "following"}.isdisjoint(plain[-3:])
        if given or pointed or (sign == "?" and below and _asks_about(held, plain)):
            return self._after_material(place, plain)
        return 0

    def _after_colon(self, place: int, held: LexedWords, plain: list[str]) -> int:
        """Return where to read on after what a colon leads to, else 0."""
        if _states(plain) and place < len(self.tokens) and self.lexicon.tells(self.tokens[place].plain):
            return 0
        below = self._is_below(place)
        if _introduces(held, plain) or (self._tells(held, below) and (below or self._acts(place))):
            return self._after_quote(place) or self._after_material(place, plain)
        return self._after_speaker(place, held)

    def _is_below(self, place: int) -> bool:
        return place < len(self.tokens) and self.tokens[place].kind in ("line", "item", "data")

    def _tells(self, held: LexedWords, below: bool) -> bool:
        """Say whether a clause begins with a verb of telling or judging; what is judged stands on lines of its own."""
        first = next((word.plain for word in held if word.plain not in words("openers")), "")
        if (words("doing") - {"please"}) & {word.plain for word in held}:
            return False
        return self.lexicon.tells(first, only=len(held) > 1 and not below)

    def _acts(self, place: int) -> bool:
        """Say whether a verb stands in the rest of a line."""
        return any(self.lexicon.is_base(token.plain) for token in self.tokens[place : self._after_line(place)])

    def _after_line(self, place: int) -> int:
        while place < len(self.tokens) and self.tokens[place].kind != "line":
            place += 1
        return place

    def _after_speaker(self, place: int, held: LexedWords) -> int:
        """Return where to read on after the words of a speaker, "Bob: …", or after a mail, else 0."""
        name = held.words[0].plain
        if len(held) > 1 or held.words[0].kind not in ("word", "code"):
            return 0
        if name in words("headers"):
            return self._after_material(place, [name])
        speaks = self.several and name not in words("labels") and not self.lexicon.is_base(name)
        return self._after_line(place) if speaks or name in words("speakers") else 0

    def _after_quote(self, place: int) -> int:
        """Return where to read on when the material is one quoted text that ends its sentence, else 0."""
        held = self.tokens[place : place + 2]
        if not held or held[0].kind != "quoted" or len(held[0].text) < _QUOTE:
            return 0
        if len(held) == 1 or held[0].text.rstrip().endswith((".", "!", "?")):
            return place + 1
        return place + 2 if held[1].plain in ("\n", ".", "!", "?") else 0

    def _after_material(self, place: int, plain: Sequence[str]) -> int:
        """Return where the request goes on after a text that was put here: in its last paragraph, if anywhere.

        A text may have many paragraphs and ask for things itself. What was written by somebody, or what the words
        before the colon already say what to do with, is over only where a question or a word like "then" shows it.
        """
        stop = len(self.tokens)
        while place < stop and self.tokens[place].kind == "line":
            place += 1
        while stop > place and self.tokens[stop - 1].kind == "line":
            stop -= 1
        empty = (here for here in range(stop - 1, place, -1) if self.tokens[here].kind == "line")
        last = next((here + 1 for here in empty if self.tokens[here - 1].kind == "line"), len(self.tokens))
        if last == len(self.tokens):
            return self._last_question(place)
        told = any(self.lexicon.is_base(word) for word in plain if not is_text(word))
        if not told and not any(is_one_of(word, "writings") or word in words("headers") for word in plain):
            return last
        resumed = any(token.plain in words("resumes") for token in self.tokens[last : last + 12])
        return last if resumed or self.tokens[-1].plain == "?" else len(self.tokens)

    def _last_question(self, place: int) -> int:
        """Return where a question begins that ends the text; "can you …?" may be asked by the material itself."""
        start = len(self.tokens) - 1
        while start > place and self.tokens[start - 1].plain not in ("\n", ".", "!", "?"):
            start -= 1
        asks = self.tokens[-1].plain == "?" and _asks(words_of(self.tokens[start : start + 1]))
        return start if asks and start > place else len(self.tokens)


def _asks(line: Sequence[Word]) -> bool:
    return bool(line) and line[0].plain in (words("questions") | words("inverted")) - _BEGGING


def _is_title(held: LexedWords) -> bool:
    """Say whether the words before material only name it: "Email from Bob:", "Commit message:"."""
    if len(held) == 1:
        return not held.lexicon.tells(held.plain(0))
    if any(held.has(place, "determiners", "given") for place in range(len(held))):
        return False
    return is_text(held.plain(0)) or (len(held) == 2 and is_text(held.plain(1)))


def _states(plain: Sequence[str]) -> bool:
    """Say whether the words before a colon tell how something is: "the page is broken", not "the text is below"."""
    over = plain[-1] not in words("given") | words("auxiliaries") | {"follows"}
    return over and not {"is", "are", "looks", "seems"}.isdisjoint(plain[-4:-1])


def _introduces(held: LexedWords, plain: Sequence[str]) -> bool:
    """Say whether what stands before a colon names a text, quotes somebody, or wants one: "summarize this:"."""
    tells = held.lexicon.tells(plain[0])
    past = {"was", "were", "had", "did"} & set(plain) and any(is_one_of(word, "plans") for word in plain)
    if past or plain[0] in ("he", "she", "they"):
        return True
    if words("doing") & set(plain) and not tells:
        return False
    last = plain[-3:]
    head = plain[min(held.has(0, "determiners"), len(plain) - 1)]
    if any(is_text(word) for word in (*last, head)):
        return len(plain) > 1 or not held.is_verb(0) or tells
    if _reports(plain) or " ".join(plain[:2]) in _SHOWING:
        return True
    planned = any(is_one_of(word, "plans") for word in last) and any(map(held.lexicon.tells, plain))
    return planned or (bool(words("given") & set(last)) and any(map(held.lexicon.is_base, plain)))


def _asks_about(held: LexedWords, plain: Sequence[str]) -> bool:
    """Say whether a question is about what stands in the lines below it: "What do you think of this plan?"."""
    if not words("given") & set(plain) or {"do", "perform", "complete"} & set(plain[-3:]):
        return False
    named = any(is_text(word) or is_one_of(word, "plans") for word in plain[-3:])
    return _asks(held.words) or (named and any(map(held.lexicon.tells, plain)))


def _reports(plain: Sequence[str]) -> bool:
    """Say whether the words end in what somebody did before he is quoted: "the log says", "the attacker typed"."""
    if len(plain) < 2 or plain[0] in words("questions") | {"as", "still"} or "be" in plain:
        return False
    said = is_one_of(plain[-1], "reporting") and plain[-2] not in ("to", "please", "you", "and")
    return said or plain[-1].endswith("ed")
