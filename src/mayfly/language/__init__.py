"""The one reader of English: tokens, word forms, requests with their clauses, and questions about data."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.language._inflect import bases, is_form_of, is_made_of, plural, singular, verb_forms
    from mayfly.language._objects import AT_END
    from mayfly.language._read import is_foreign, read
    from mayfly.language._request import Clause, ClauseKind, Guess, Phrase, Request, Role
    from mayfly.language._tokens import NAMES, Token, TokenKind, tokens
    from mayfly.language._verbs import LEXICON_FACTS, PARTICLES, Lexicon
    from mayfly.language._words import is_closed, shape_of, word_pattern

__all__ = [
    "AT_END",
    "LEXICON_FACTS",
    "NAMES",
    "PARTICLES",
    "Clause",
    "ClauseKind",
    "Guess",
    "Lexicon",
    "Phrase",
    "Request",
    "Role",
    "Token",
    "TokenKind",
    "bases",
    "is_closed",
    "is_foreign",
    "is_form_of",
    "is_made_of",
    "plural",
    "read",
    "shape_of",
    "singular",
    "tokens",
    "verb_forms",
    "word_pattern",
]

__getattr__ = lazily(
    __name__,
    {
        "_inflect": "bases is_form_of is_made_of plural singular verb_forms",
        "_objects": "AT_END",
        "_read": "is_foreign read",
        "_request": "Clause ClauseKind Guess Phrase Request Role",
        "_tokens": "NAMES Token TokenKind tokens",
        "_verbs": "LEXICON_FACTS PARTICLES Lexicon",
        "_words": "is_closed shape_of word_pattern",
    },
)
