"""The one reader of English: tokens, word forms, requests with their clauses, and questions about data."""

from mayfly.language._inflect import bases, is_form_of, plural, singular, verb_forms
from mayfly.language._tokens import NAMES, Token, TokenKind, tokens

__all__ = ["NAMES", "Token", "TokenKind", "bases", "is_form_of", "plural", "singular", "tokens", "verb_forms"]
