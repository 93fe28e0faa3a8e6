"""The one reader of English: tokens, word forms, requests with their clauses, and questions about data."""

from mayfly.language._does import does
from mayfly.language._inflect import bases, is_form_of, plural, singular, verb_forms
from mayfly.language._read import read
from mayfly.language._request import Clause, ClauseKind, Guess, Phrase, Request, Role
from mayfly.language._tokens import NAMES, Token, TokenKind, tokens
from mayfly.language._verbs import LEXICON_FACTS, Lexicon

__all__ = [
    "LEXICON_FACTS",
    "NAMES",
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
    "does",
    "is_form_of",
    "plural",
    "read",
    "singular",
    "tokens",
    "verb_forms",
]
