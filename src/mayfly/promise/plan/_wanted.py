"""What of a request is to be planned, and what of it no plan would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mayfly.language import Clause, RequestPhrase, Token
from mayfly.promise.fit import FitReading, SaidClause, is_small
from mayfly.promise.plan._draft import Draft

_ORDERING = frozenset(("before", "after", "once", "if", "unless", "until"))
# Words that only stand for what was got before.
_RESULT = frozenset(("answer", "result", "results", "outcome"))
_NAMES = ("path", "url", "quoted", "code", "number")


def left_out(reading: FitReading) -> str:
    """Return what stands beside a request and may be part of it: "before you overwrite a.txt, …", "every file: …"."""
    told = [clause for clause in reading.request.clauses if clause.kind == "statement" and not clause.pasted]
    asked = [said for said in reading.said if said.clause.kind != "question"]
    used = {word.strip(",.'\"") for said in asked for word in f"{said.clause.target} {said.condition}".split()}
    names = {piece.token.text for said in asked for piece in said.pieces}
    for clause in told if asked else ():
        # "Square 37, add 4 to it and save that": in the same sentence a number belongs to the request, too.
        kinds = _NAMES if _goes_on(reading, clause) else ("path", "url")
        named = [token.text for token in clause.tokens if token.kind in kinds]
        if clause.tokens[0].plain in _ORDERING or any(name not in names and name not in used for name in named):
            return reading.written(clause.text)
    return next((reading.written(phrase.text) for said in asked for phrase in said.clause.phrases if _acts(phrase)), "")


def _goes_on(reading: FitReading, clause: Clause) -> bool:
    """Say whether a request follows in the sentence that a clause begins."""
    after = [token for token in reading.request.tokens if token.start > clause.tokens[-1].start]
    end = next((token.start for token in after if token.plain in (".", "!", "?") or token.kind == "line"), None)
    asked = [said.clause.tokens[0].start for said in reading.said if said.clause.tokens]
    return any(clause.tokens[-1].start < start and (end is None or start < end) for start in asked)


def _acts(phrase: RequestPhrase) -> bool:
    """Say whether a phrase tells of something that has to be done before: "after you have appended x to a.log"."""
    return phrase.lead in ("after", "once", "before") and phrase.tokens[0].plain.startswith("you")


def unused(reading: FitReading, asked: Sequence[SaidClause], drafts: Sequence[Draft]) -> str:
    """Return the first word of what is asked that no step says or works on, "" where all of them are used.

    A step that speaks of an answer, and is given none, does nothing with the word: "let rate.txt hold the answer".
    """
    for draft in drafts[1:]:
        if not draft.needs and (spoken := _RESULT & set(draft.intent.lower().split())):
            return min(spoken)
    told = " ".join(_told(drafts)).lower()
    request = reading.request
    # What only leads to a verb, or says when it is done, asks for nothing by itself.
    idle = {
        token.start
        for token, role in zip(request.tokens, request.roles, strict=True)
        if role in ("glue", "verb", "order")
    }
    held = (token for said in asked for token in said.clause.tokens)
    words = (token for token in held if token.kind in _NAMES or (_says_something(token) and token.start not in idle))
    return next((written for token in words if (written := reading.written(token.text)).lower() not in told), "")


def unnamed(reading: FitReading, said: SaidClause, drafts: Sequence[Draft]) -> bool:
    """Say whether a file, an address, a number or a quoted text of a clause stands in no step."""
    told = " ".join(_told(drafts)).lower()
    names = (reading.written(token.text) for token in said.clause.tokens if token.kind in _NAMES)
    return any(name.lower() not in told for name in names)


def _told(drafts: Sequence[Draft]) -> Iterator[str]:
    """Yield what the steps of a plan say, and what they work on."""
    for draft in drafts:
        yield f"{draft.intent} {draft.argument}"
        yield from _told((*draft.steps, *([draft.template] if draft.template else ())))


def _says_something(token: Token) -> bool:
    return token.kind == "word" and len(token.plain) > 2 and not is_small(token.plain)


def chooses(asked: Sequence[SaidClause]) -> bool:
    """Say whether one of two ways is to be taken."""
    otherwise = any(phrase.lead == "otherwise" for said in asked for phrase in said.clause.conditions)
    return otherwise or any(said.clause.alternative for said in asked)
