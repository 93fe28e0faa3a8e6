"""Spell a question out: cut what was written without spaces, put together what was written apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mayfly.language._tokens import Token
from mayfly.language._tokens import tokens as read_tokens

_COMPARED = re.compile(r"([\w.@-]+)(>=|<=|!=|==|=|<|>)(.+)")
# "count(" is left of "count(*)", "count(distinct" of "count(distinct city)".
_OPENED = re.compile(r"([A-Za-z]+)\((\w*)")
_NAMED_CLOCKS = {"midnight": "00:00", "noon": "12:00", "midday": "12:00"}
_CALLED = re.compile(r"(\w+)\(([^()]*)\)")


def spell_out(tokens: Sequence[Token]) -> list[Token]:
    """Return the words of a question, without the sign that ends it."""
    kept = [part for token in tokens if token.kind not in ("line", "item") for part in _cut(token)]
    kept = _join_clocks(kept)
    while kept and kept[-1].kind == "sign" and kept[-1].plain in ".?!":
        kept.pop()
    return kept


def _join_clocks(tokens: list[Token]) -> list[Token]:
    """Put "9 am" together, which is a time of day as "9am" is."""
    found: list[Token] = []
    for token in tokens:
        half = token.text.lower().replace(".", "")
        last = found[-1] if found else None
        if half in ("am", "pm") and last is not None and last.kind == "number" and last.text.isdigit():
            clock = read_tokens(f"{last.text}{half}")[0]
            if clock.kind == "clock":
                found[-1] = clock._replace(start=last.start, end=token.end)
                continue
        if named := _NAMED_CLOCKS.get(token.text.lower()):
            token = read_tokens(named)[0]._replace(start=token.start, end=token.end)
        found.append(token)
        words = tuple(one.text.lower() for one in found[-4:])
        if words[1:3] == ("in", "the") and words[3:] in (("morning",), ("afternoon",), ("evening",)):
            half = "am" if words[3] == "morning" else "pm"  # "8 in the morning"
            clock = read_tokens(f"{words[0]}{half}")[0] if words[0].isdigit() else token
            if clock.kind == "clock":
                found[-4:] = [clock._replace(start=found[-4].start, end=token.end)]
    return found


def _cut(token: Token) -> list[Token]:
    """Cut what was written without spaces: "status=500", "min/max/avg"; what looks like a pasted line is words here."""
    if token.kind == "data":
        plain = [one for one in read_tokens(token.text.lower()) if one.kind not in ("line", "item")]
        return [_moved(one._replace(text=token.text[one.start : one.end]), token.start) for one in plain]
    if token.kind == "code":
        if found := _COMPARED.fullmatch(token.text):
            at = token.start
            return [_moved(one, at + found.start(part)) for part in (1, 2, 3) for one in read_tokens(found[part])]
        if called := _CALLED.fullmatch(token.text):
            return _cut_call(token, called)
        if opened := _OPENED.fullmatch(token.text):
            return _cut_opened(token, opened)
    words = token.text.split("/")
    if token.kind in ("code", "path") and len(words) > 1 and all(word.isalpha() and len(word) > 1 for word in words):
        return _cut_list(token, words)
    return [token]


def _cut_call(token: Token, called: re.Match[str]) -> list[Token]:
    """Cut "avg(price)", "count(distinct city)", "count(*)"."""
    inside = [] if called[2].strip() == "*" else read_tokens(called[2])
    at = token.start + called.start(2)
    return [_word(called[1], token.start), *(_moved(one, at) for one in inside)]


def _cut_opened(token: Token, opened: re.Match[str]) -> list[Token]:
    """Cut "count(distinct", which is what is left of a call with spaces in it."""
    inside = [_word(opened[2], token.start + opened.start(2))._replace(end=token.end)] if opened[2] else []
    return [_word(opened[1], token.start), *inside]


def _cut_list(token: Token, words: Sequence[str]) -> list[Token]:
    """Cut "min/max/avg", with a comma for each stroke."""
    found: list[Token] = []
    at = token.start
    for word in words:
        found += [Token("sign", ",", ",", at, at)] if found else []
        found.append(_word(word, at))
        at += len(word) + 1
    return found


def _word(text: str, start: int) -> Token:
    return Token("word", text, text.lower(), start, start + len(text))


def _moved(token: Token, by: int) -> Token:
    return token._replace(start=token.start + by, end=token.end + by)
