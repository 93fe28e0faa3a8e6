"""Read a request: its tokens once, then clause by clause what is asked for."""

from __future__ import annotations

from mayfly.language._request import Clause, Phrase, Request, Role
from mayfly.language._tokens import Token, tokens
from mayfly.language._verbs import Lexicon

_LEADS: dict[str, Role] = {
    **dict.fromkeys(("in", "on", "at", "of", "from", "under", "inside", "within"), "place"),
    **dict.fromkeys(("to", "into", "as"), "destination"),
    **dict.fromkeys(("if", "unless", "when", "once"), "condition"),
}

_JOINTS = frozenset((".", "?", "!", ";", ",", "and", "then"))


def read(text: str, lexicon: Lexicon) -> Request:
    """Return what *text* asks for, in the verbs that the lexicon knows; never raises, whatever the text is."""
    read_tokens = tuple(tokens(text))
    roles: list[Role] = ["glue"] * len(read_tokens)
    clauses: list[Clause] = []
    start = 0
    for place, token in enumerate((*read_tokens, None)):
        joint = (
            token is None or token.kind in ("line", "item") or token.plain in (".", "?", "!", ";", "and", "then", ",")
        )
        following = read_tokens[place + 1].plain if place + 1 < len(read_tokens) else ""
        ends = joint and (token is None or token.plain not in ("and", "then", ",") or lexicon.is_base(following))
        if ends and place > start:
            clauses.append(_clause(read_tokens, start, place, lexicon, roles, clauses))
            start = place + 1
        elif ends:
            start = place + 1
    ask = None if any(clause.asks for clause in clauses) else "What should be done?"
    return Request(text=text, tokens=read_tokens, clauses=tuple(clauses), roles=tuple(roles), ask=ask)


def _clause(
    all_: tuple[Token, ...], start: int, stop: int, lexicon: Lexicon, roles: list[Role], before: list[Clause]
) -> Clause:
    held = all_[start:stop]
    text = " ".join(token.text for token in held)
    first = held[0].plain
    entry = next((one for one in lexicon.entries.get(first, ()) if one.form == "base" and not one.rest), None)
    if entry is None:
        roles[start:stop] = ["told"] * (stop - start)
        return Clause(kind="statement", text=text, tokens=held)
    roles[start] = "verb"
    phrases = _phrases(all_, start + 1, stop, roles)
    names = [name for phrase in phrases for name in phrase.names]
    object_ = next((phrase for phrase in phrases if phrase.role == "object"), None)
    pointed = object_ is not None and object_.text in ("it", "them", "this", "that") and bool(before)
    return Clause(
        kind="command",
        text=text,
        tokens=held,
        verb=entry.verb,
        said=entry.base,
        phrases=phrases,
        target=", ".join(names) or (before[-1].target if pointed else object_.text if object_ else ""),
        needs=(len(before) - 1,) if pointed else (),
        confidence=0.9,
    )


def _phrases(all_: tuple[Token, ...], start: int, stop: int, roles: list[Role]) -> tuple[Phrase, ...]:
    found: list[Phrase] = []
    role: Role = "object"
    lead, held = "", list[int]()
    for place in (*range(start, stop), None):
        plain = all_[place].plain if place is not None else ""
        if place is None or plain in _LEADS:
            if held:
                inside = tuple(all_[at] for at in held)
                found.append(Phrase(role=role, lead=lead, text=" ".join(t.text for t in inside), tokens=inside))
            role, lead, held = _LEADS.get(plain, "object"), plain, []
        elif plain not in ("the", "a", "an") or held:
            held.append(place)
            roles[place] = role
    return tuple(found)
