"""The plain words of a request: without contractions, each with the place of its token, and asked by its class."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, cast

from mayfly.language._inflect import bases
from mayfly.language._lexicon import load_words, word_set
from mayfly.language._tokens import Token, TokenKind
from mayfly.language._verbs import Lexicon

_ENDINGS = {"n't": "not", "'d": "would", "'ll": "will", "'ve": "have", "'re": "are", "'m": "am"}
# "it's" is "it is"; "user's" is nothing of the kind.
_WITH_IS = frozenset(("it", "that", "there", "here", "what", "who", "how", "where", "he", "she", "this", "when", "why"))
_CLOSED = (
    *("prepositions", "auxiliaries", "determiners", "pronouns", "relatives", "conjunctions", "subjects", "questions"),
    *("subordinate", "openers"),
)


class Word(NamedTuple):
    """One word without contractions ("don't" is "not", "I'd" is "i" and "would"), and the place of its token."""

    plain: str
    kind: TokenKind
    at: int


class LexedWords:
    """Some words of a text, and the lexicon by which they are read."""

    def __init__(self, words: Sequence[Word], lexicon: Lexicon) -> None:
        self.words = words
        self.lexicon = lexicon
        self._size = len(words)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def cut(self, start: int, stop: int | None = None) -> LexedWords:
        """Return some of the words."""
        return LexedWords(self.words[start:stop], self.lexicon)

    def plain(self, place: int) -> str:
        """Return the word at a place, "" where there is none or something else than a word."""
        if 0 <= place < self._size:
            word = self.words[place]
            return word.plain if word.kind == "word" else ""
        return ""

    def sign(self, place: int) -> str:
        """Return the sign at a place, "" where there is none."""
        if 0 <= place < self._size:
            word = self.words[place]
            return word.plain if word.kind == "sign" else ""
        return ""

    def has(self, place: int, *classes: str) -> bool:
        """Say whether a word of one of some classes stands here."""
        # A loop, not a generator, which takes longer than the looks themselves: this is asked all the time.
        if word := self.plain(place):
            for name in classes:
                if word in words(name):
                    return True
        return False

    def ends(self, place: int) -> bool:
        """Say whether the line, or a part of it that a sign closes, ends here."""
        return place >= len(self) or self.words[place].kind == "sign"

    def phrase(self, place: int, name: str) -> int:
        """Return how many words of a listed phrase stand here, 0 for none."""
        for phrase in phrases(name).get(self.plain(place), ()):
            if all(self.plain(place + number) == word for number, word in enumerate(phrase)):
                return len(phrase)
        return 0

    def says(self, name: str, place: int = 0, *, far: int | None = None) -> int:
        """Return how many words a pattern of the file on requests takes here; it looks at *far* words, or at all."""
        stop = None if far is None else place + far
        found = pattern(name).match(shape_of(self.words[place:stop]))
        return found[0].count(" ") if found else 0

    def is_verb(self, place: int) -> bool:
        """Say whether the word here is a verb of the rules in its base form."""
        return self.lexicon.is_base(self.plain(place))

    def is_noun(self, place: int) -> bool:
        """Say whether the word here is a noun for what a verb does or makes, whatever else it is."""
        return self.plain(place) in self.lexicon.nouns or self.plain(place) in self.lexicon.products


def shape_of(said: Iterable[Word | Token]) -> str:
    """Return words as patterns know them, a blank behind each; a sign or a name stands in brackets: `<,>`, `<path>`."""
    return "".join(
        f"{one.plain} " if one.kind == "word" else f"<{one.plain if one.kind == 'sign' else one.kind}> " for one in said
    )


def word_pattern(text: str, listed: Callable[[str], Iterable[str]]) -> re.Pattern[str]:
    """Return a pattern over words with a blank behind each, in which `{name}` is any word or phrase of a list."""
    return re.compile(re.sub(r"\{([\w.]+)\}", lambda name: f"(?:{'|'.join(map(re.escape, listed(name[1])))})", text))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return one pattern of the file on requests."""
    table = load_words("requests")

    def listed(name: str) -> Iterable[str]:
        if name == "closed":
            return [word for kind in _CLOSED for word in words(kind)]
        found = cast("dict[str, str]", table["lists"]).get(name) or table[name]
        return found.split() if isinstance(found, str) else cast("list[str]", found)

    return word_pattern(cast("dict[str, str]", table["patterns"])[name], listed)


def words(name: str) -> frozenset[str]:
    """Return one class of words from the file on requests."""
    return word_set(name, "requests")


@cache
def phrases(name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return one class of phrases by their first word, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(text.split()) for text in cast("list[str]", load_words("requests")[name])), key=len):
        found.setdefault(phrase[0], []).insert(0, phrase)
    return {first: tuple(listed) for first, listed in found.items()}


def is_closed(word: str) -> bool:
    """Say whether a word belongs to a closed class of English and so is no verb that anybody could ask for."""
    return any(word in words(name) for name in _CLOSED)


def is_one_of(word: str, name: str) -> bool:
    """Say whether a word is a form of one of a class: "logs" of the texts, "wrote" of what is reported by."""
    return not bases(word).isdisjoint(words(name))


def is_text(word: str) -> bool:
    """Say whether a word names something that was written or printed: "logs", "mail", "outputs"."""
    return is_one_of(word, "texts") or is_one_of(word, "writings")


def words_of(tokens: Sequence[Token], start: int = 0) -> list[Word]:
    """Return the words of some tokens, the first of which is the *start*-th of its text; line breaks are none."""
    found: list[Word] = []
    for at, token in enumerate(tokens, start):
        if token.kind == "line":
            continue
        # A handle and an option are known by their first sign: "@bob", "-rf".
        marked = token.kind == "code" and token.text.startswith(("@", "-"))
        called = token.text[0] if marked else token.plain
        for plain in _expand(called) if token.kind == "word" else (called,):
            if plain == "not" and found and found[-1].plain in ("do", "does", "did"):
                found[-1] = Word("not", "word", found[-1].at)
            else:
                found.append(Word(plain, token.kind, at))
    return found


def _expand(plain: str) -> tuple[str, ...]:
    short = cast("dict[str, str]", load_words("requests")["short"])
    if plain in short:
        return tuple(short[plain].split())
    if "'" in plain:
        for ending, word in _ENDINGS.items():
            if plain.endswith(ending) and len(plain) > len(ending):
                return plain.removesuffix(ending), word
        if plain.endswith("'s") and plain[:-2] in _WITH_IS:
            return plain[:-2], "is"
    return (plain,)
