"""Between the rules and the reader: the rules' facts become a lexicon, and what was read becomes facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mayfly.core import Intent
from mayfly.language import LEXICON_FACTS, Lexicon, Request
from mayfly.mangle import Name, Row, Symbol, Value

_COLUMNS = {"verb_hint": 3, "instruction_verb": 1, "guarded_verb": 1, "telling_verb": 1, "judging_verb": 1}
# The predicates by which the rules say what words mean.
LEXICON = tuple(Symbol(name, _COLUMNS.get(name, 2)) for name in LEXICON_FACTS)
USER_INTENT = Symbol("user_intent", 5)
INTENT_MAKES = Symbol("intent_makes", 1)
INTENT_GUESS = Symbol("intent_guess", 3)
_NONE = "none"


def lexicon_of(facts: Iterable[tuple[Symbol, Row]]) -> Lexicon:
    """Build the lexicon from the facts of the rules; facts of other predicates and odd values are passed over."""
    rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for symbol, row in facts:
        texts = tuple(_text(value) for value in row)
        if symbol in LEXICON and all(texts):
            rows[symbol.name].append(texts)
    return Lexicon.of(rows)


def _text(value: Value) -> str:
    """Return a value as plain text, a name without its slash, "" for what is neither text nor number."""
    if isinstance(value, Name):
        return value.text.removeprefix("/")
    if isinstance(value, str):
        return " ".join(value.lower().split())
    return str(value) if isinstance(value, int) else ""


def facts_of(request: Request) -> list[tuple[Symbol, Row]]:
    """Return what a request asks for as the facts that the rules route."""
    facts: list[tuple[Symbol, Row]] = []
    for number, clause in enumerate(request.routed, 1):
        facts.append(_intent_fact(number, clause.intent))
        facts += [(INTENT_MAKES, (f"i{number}",))] if clause.makes else []
    facts += [(INTENT_GUESS, ("i1", Name(f"/{guess.verb}"), round(guess.odds * 100))) for guess in request.guesses]
    return facts


def facts_of_intents(intents: Iterable[Intent]) -> list[tuple[Symbol, Row]]:
    """Return intents that somebody else read as the facts that the rules route."""
    return [_intent_fact(number, intent) for number, intent in enumerate(intents, 1)]


def _intent_fact(number: int, intent: Intent) -> tuple[Symbol, Row]:
    constraint: Value = Name("/none") if intent.constraint == _NONE else intent.constraint
    row: Row = (f"i{number}", Name(f"/{intent.category}"), Name(f"/{intent.verb}"), intent.target, constraint)
    return USER_INTENT, row
