"""The verbs that a request is read with: those of the rules in force, and those of the capabilities that there are."""

from __future__ import annotations

from collections.abc import Iterable

from mayfly.core import Capability
from mayfly.language import Lexicon
from mayfly.mangle import Name, Program, Symbol
from mayfly.promise.fit import verbs_of, with_verbs

_FACTS = (
    *(Symbol(name, 2) for name in ("verb_persona", "verb_action", "verb_form", "verb_noun", "verb_product")),
    *(Symbol(name, 1) for name in ("instruction_verb", "guarded_verb", "telling_verb", "judging_verb")),
    *(Symbol("verb_hint", 3), Symbol("question_verb", 2)),
)


def lexicon_of(program: Program, capabilities: Iterable[Capability]) -> Lexicon:
    """Return the verbs of the rules, and every way to say what the capabilities do."""
    known = [symbol for symbol in _FACTS if symbol in program.checked.declared]
    model = program.evaluate((), goals=known, record=False)
    facts = {symbol.name: [tuple(map(_text, row)) for row in model.rows(symbol)] for symbol in known}
    return with_verbs(Lexicon.of(facts), verbs_of(capabilities))


def _text(value: object) -> str:
    return value.text[1:] if isinstance(value, Name) else str(value)
