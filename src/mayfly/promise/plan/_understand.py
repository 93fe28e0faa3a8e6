"""What a text asks for, also where perception knows a verb of it not: rules may plan verbs of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.core import Intent
from mayfly.language import Lexicon, Token, tokens
from mayfly.promise._words import base, is_verb
from mayfly.promise.plan._lists import words
from mayfly.promise.plan._perceived import Perceived, Perception, perceive
from mayfly.promise.plan._rules import said_verb

_LONGEST = 400
_UNSURE = 0.3
_JOINED = re.compile(r"(?P<asked>.+?)[,;]?\s+(?:and|then)\s+(?P<when>(?:if|unless|when|once)\s.+)", re.I)
_SUM = re.compile(r"(?<=\d)!+(?=\s|$)|(?: ?[-+*/^%×÷()] ?)+[\d.]+[\d.()+*/^%×÷ -]*!*")


def understand(text: str, lexicon: Lexicon) -> Perceived:
    """Return at least one intent for any text; what no verb was found in has its first word for one."""
    perceived = _whole(text, perceive(text, lexicon))
    found = list(_requests(perceived, lexicon))
    if not found:
        found = [_unsure(piece) for piece in _pieces(_flat(text), "", lexicon)]
    if len(found) > 1 and _chooses(text, found):
        # Of two ways only one is to be taken, so that they cannot be two requests.
        found = [replace(found[0], intent=replace(found[0].intent, text=_flat(text)))]
    numbered = (replace(one, id=f"i{number}") for number, one in enumerate(_with_conditions(found), 1))
    return replace(perceived, intents=tuple(numbered))


def _requests(perceived: Perceived, lexicon: Lexicon) -> Iterator[Perception]:
    """Yield what was perceived with what stands between: verbs that no rule knows, and conditions."""
    for place in range(len(perceived.intents) + 1):
        asides = [aside for aside in perceived.asides if aside.place == place and perceived.intents]
        clause = next((aside.text for aside in asides if _is_condition(aside.text)), "")
        about = perceived.intents[place - 1].intent.target if place else ""
        for aside in asides:
            if not _is_condition(aside.text) and (aside.asks or _commands(aside.text)):
                yield from map(_unsure, _pieces(aside.text, about, lexicon))
        if place == len(perceived.intents):
            return
        one = perceived.intents[place]
        pieces = _pieces(one.intent.text, one.intent.target, lexicon, whole=one.intent)
        yield (
            replace(one, intent=pieces[0], clause=clause, confidence=_UNSURE) if pieces else replace(one, clause=clause)
        )
        yield from map(_unsure, pieces[1:])


def _unsure(intent: Intent) -> Perception:
    return Perception(id="", intent=intent, confidence=_UNSURE)


def _is_condition(text: str) -> bool:
    return text.partition(" ")[0].lower() in words("conditions")


def _commands(text: str) -> bool:
    """Say whether a clause that perception takes for a statement begins with the base of a verb: "hash both files"."""
    read = [token for token in tokens(text) if token.kind != "sign" and token.plain not in words("polite")]
    first, second = (read[0].plain, read[1].plain) if len(read) > 1 else ("", "")
    return is_verb(first) and first == base(first) and second not in words("finite")


def _chooses(text: str, found: Sequence[Perception]) -> bool:
    """Say whether one thing is to be done or another: "if …, otherwise …", "read a.txt or fetch b"."""
    flat = _flat(text)
    other = any(f" or {one.intent.text}" in flat for one in found[1:])
    return other or any(token.plain in words("otherwise") for token in tokens(flat))


def _with_conditions(found: Sequence[Perception]) -> list[Perception]:
    """Give the condition at the end of one request to the next where a joint leads to it: "… and if it is, stop it"."""
    moved = list(found)
    for place in range(len(moved) - 1):
        one, following = moved[place], moved[place + 1]
        joined = _JOINED.fullmatch(one.intent.text)
        if joined and not following.clause:
            moved[place] = replace(one, intent=replace(one.intent, text=joined["asked"]))
            moved[place + 1] = replace(following, clause=joined["when"])
    return moved


def _whole(text: str, perceived: Perceived) -> Perceived:
    """Give back to each intent the arithmetic that was cut off behind it: "calculate 2 + 2"."""
    flat, cursor = " ".join(text.split()), 0
    found: list[Perception] = []
    for one in perceived.intents:
        start = flat.find(one.intent.text, cursor)
        cursor = max(cursor, start + len(one.intent.text))
        lost = _SUM.match(flat, cursor) if start >= 0 else None
        if lost:
            cursor, more = lost.end(), lost[0].rstrip()
            one = replace(one, intent=replace(one.intent, text=one.intent.text + more, target=one.intent.target + more))
        found.append(one)
    return replace(perceived, intents=tuple(found))


def _flat(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]


def _pieces(text: str, about: str, lexicon: Lexicon, *, whole: Intent | None = None) -> list[Intent]:
    """Cut a text before each verb that perception does not know: "read a.txt and hash it"; nothing where none is."""
    makes = whole is not None and (whole.category != "command" or whole.verb in words("makers"))
    cuts = [] if makes else list(_cuts(tokens(text), lexicon))
    if not cuts and whole is not None:
        return []
    found: list[Intent] = []
    for start, stop in zip([0, *(cut[1] for cut in cuts)], [*(cut[0] for cut in cuts), len(text)], strict=True):
        piece = text[start:stop].strip(" ,;")
        if piece:
            intent = _intent(piece, about, lexicon)
            constraint = whole.constraint if whole is not None else intent.constraint
            found.append(replace(intent, constraint=constraint))
            about = found[-1].target or about
    return found or [_intent(text, about, lexicon)]


def _cuts(pieces: Sequence[Token], lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """Yield where one request ends and where the next one begins."""
    start = 0
    for place, token in enumerate(pieces):
        joint = token.plain in words("cuts")
        if not joint:
            start = place + 1
        elif place + 1 < len(pieces) and start > 0 and _begins(pieces[place : place + 2], lexicon):
            yield pieces[start].start, pieces[place + 1].start


def _begins(pair: Sequence[Token], lexicon: Lexicon) -> bool:
    """Say whether a request begins after a joint: with a verb that perception does not know, or after "then"."""
    joint, (kind, _, word, *_) = pair
    if kind != "word" or lexicon.is_base(word):
        return False
    sure = joint.plain in words("sure") and word not in words("empty")
    return sure or (is_verb(word) and word == base(word))


def _intent(piece: str, about: str, lexicon: Lexicon) -> Intent:
    """Return one intent for a piece; its first word is the verb where perception knows none."""
    perceived = perceive(piece, lexicon)
    if len(perceived.intents) == 1:
        known = perceived.intents[0].intent
        return known if known.target else replace(known, target=about)
    category = "question" if piece.endswith("?") else "command"
    verb = said_verb(Intent(text=piece, category=category)) or "unknown"
    target = piece.partition(" ")[2]
    if target.strip(" .!?").lower() in words("same"):
        target = about or target
    return Intent(text=piece, category=category, verb=verb, target=target or piece)
