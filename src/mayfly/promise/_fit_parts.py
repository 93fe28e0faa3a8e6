"""Read an intent or a description into steps, and a step into its parts: the object, and what prepositions lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mayfly.language import Token
from mayfly.promise._words import base, is_verb, operations_of, words

_SUM = re.compile(r"[\d.()+\-*/^%×÷]*\d[\d.()+\-*/^%×÷]*")
_FIGURE = re.compile(r"[\d.]*\d[\d.]*")
_FROM = frozenset(("of", "in", "from"))
_ARTICLES = frozenset(("a", "an", "the", "this"))
_TRUTHS = frozenset(("true", "false", "null"))


@dataclass(frozen=True, kw_only=True)
class Part:
    """A phrase of a step: the word that leads to it ("" for the object), its words in order, its names.

    *after* holds for each name the word that stands right before it, such as "file" in "file a.txt".
    """

    lead: str
    raw: tuple[Token, ...] = ()
    tokens: tuple[Token, ...] = ()
    plain: tuple[str, ...] = ()
    names: tuple[Token, ...] = ()
    after: tuple[str, ...] = ()

    @classmethod
    def of(cls, lead: str, tokens: Sequence[Token]) -> Part:
        kept = tuple(token for token in tokens if token.kind != "sign")
        names = [place for place, token in enumerate(kept) if token.kind != "word" or _is_literal(kept[place:])]
        return cls(
            lead=lead,
            raw=tuple(tokens),
            tokens=kept,
            plain=tuple(token.plain for place, token in enumerate(kept) if place not in names),
            names=tuple(kept[place] for place in names),
            after=tuple(kept[place - 1].plain if place else "" for place in names),
        )


def _is_literal(tokens: Sequence[Token]) -> bool:
    """Say whether a word is a value itself, "return one", and does not count what follows it, "one file"."""
    return tokens[0].plain in words("words", "literals") and (len(tokens) == 1 or tokens[1].kind != "word")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that an intent asks for: the verb, the tokens of its object, and these in parts."""

    verb: str
    object: tuple[Token, ...]
    parts: tuple[Part, ...] = ()
    operations: frozenset[str] = field(default=frozenset())
    figures: int = 0

    @property
    def counts(self) -> bool:
        """Say whether it names numbers."""
        return self.figures > 0


def steps_of(intent: Sequence[Token]) -> list[Step]:
    """Part an intent where "and", "then" or a comma leads to another verb."""
    found: list[list[Token]] = [[]]
    for place, token in enumerate(intent):
        following = intent[place + 1].plain if place + 1 < len(intent) else ""
        joint = token.plain in words("words", "steps") or token.plain in (",", ";")
        if joint and (_opens(following) or following in words("words", "steps")):
            found.append([])
        elif token.kind not in ("line", "item", "data"):
            found[-1].append(token)
    return [step for part in found if (step := _step(part)) is not None]


def _opens(word: str) -> bool:
    return (is_verb(word) and word == base(word)) or word in words("words", "complex")


def _step(tokens: Sequence[Token]) -> Step | None:
    start = 0
    while start < len(tokens) and (tokens[start].plain in words("words", "leads") or tokens[start].kind == "sign"):
        start += 1
    if start >= len(tokens):
        return None
    verb = tokens[start].plain or tokens[start].text.lower()
    object_ = tuple(_with_data(tokens[start + 1 :]))
    return Step(
        verb=verb,
        object=object_,
        parts=tuple(_parts(verb, object_)),
        operations=operations_of(verb),
        figures=sum(
            len(_FIGURE.findall(token.text))
            for token in object_
            if token.kind in ("number", "code") and _SUM.fullmatch(token.text)
        ),
    )


def _with_data(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens with JSON that was written out, `{"a": 1}`, as one piece of data."""
    inside = False
    for token in tokens:
        if token.kind == "sign" and token.text in ("{", "["):
            if not inside:
                yield token._replace(kind="data")
            inside = True
        elif not inside or (token.kind not in ("quoted", "number", "sign", "code") and token.plain not in _TRUTHS):
            inside = False
            yield token


def _parts(verb: str, object_: Sequence[Token]) -> list[Part]:
    """Cut an object where prepositions stand; the first part is the object itself, even when it is empty."""
    cut: list[tuple[str, list[Token]]] = [("", [])]
    for token in object_:
        if token.plain in words("words", "prepositions") or token.plain in words("words", "naming"):
            cut.append((token.plain, []))
        elif token.plain not in words("words", "trailing"):
            cut[-1][1].append(token)
    if not cut[0][1] and len(cut) > 1:
        cut[0], cut[1] = _turned(*cut[1])
    found = [Part.of(lead, held) for place, (lead, held) in enumerate(cut) if held or place == 0]
    return _whole(verb, _sought(verb, _flowing(verb, found)))


def _flowing(verb: str, parts: list[Part]) -> list[Part]:
    """Turn "write the result to a file" into "write it": what the step before gave, and not the result of something."""
    said = {word for word in parts[0].plain if word not in words("words", "pointing")}
    handed = bool(said) and said <= words("words", "outcome") and not parts[0].names
    if (
        not handed
        or not operations_of(verb) & words("words", "passing")
        or [part.lead for part in parts[1:2]] == ["of"]
    ):
        return parts
    it = parts[0].tokens[-1]._replace(text="it", plain="it")
    return [Part.of("", (it,)), *parts[1:]]


def _turned(lead: str, tokens: list[Token]) -> tuple[tuple[str, list[Token]], tuple[str, list[Token]]]:
    """Turn "send to an address a text" into "send a text to an address": the second article begins the object."""
    for place in range(1, len(tokens)):
        before = tokens[place - 1].plain
        if (
            tokens[place].plain in _ARTICLES
            and before not in words("words", "pointing")
            and tokens[place - 1].kind != "sign"
        ):
            return ("", tokens[place:]), (lead, tokens[:place])
    return ("", []), (lead, tokens)


def _sought(verb: str, parts: list[Part]) -> list[Part]:
    """Turn "search src for foo" into "search foo in src"."""
    place = next((place for place, part in enumerate(parts) if part.lead == "for"), None)
    if place is None or verb not in words("words", "searching"):
        return parts
    where = [Part.of("in", parts[0].tokens)] if parts[0].tokens else []
    sought = Part.of("", parts[place].tokens)
    return [sought, *where, *(part for at, part in enumerate(parts) if at not in (0, place))]


def _whole(verb: str, parts: list[Part]) -> list[Part]:
    """Leave out what says nothing: "the contents of a.txt" is a.txt, "the number of lines" to count are the lines."""
    while len(parts) > 1 and parts[1].lead in _FROM and not parts[0].names and parts[0].plain:
        said = {word for word in parts[0].plain if word not in words("words", "pointing")}
        counted = parts[1].lead == "of" and "count" in operations_of(verb) and said <= words("words", "counted")
        if not (said and (said <= words("words", "whole") or counted)):
            break
        parts = [Part.of("", parts[1].tokens), *parts[2:]]
    return parts
