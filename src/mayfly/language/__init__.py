"""The one reader of English: tokens, word forms, requests with their clauses, and questions about data."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.language._inflect import bases as bases
    from mayfly.language._inflect import is_form_of as is_form_of
    from mayfly.language._inflect import is_made_of as is_made_of
    from mayfly.language._inflect import plural as plural
    from mayfly.language._inflect import singular as singular
    from mayfly.language._inflect import verb_forms as verb_forms
    from mayfly.language._objects import AT_END as AT_END
    from mayfly.language._read import is_foreign as is_foreign
    from mayfly.language._read import read as read
    from mayfly.language._request import Clause as Clause
    from mayfly.language._request import ClauseKind as ClauseKind
    from mayfly.language._request import Guess as Guess
    from mayfly.language._request import Request as Request
    from mayfly.language._request import RequestPhrase as RequestPhrase
    from mayfly.language._request import Role as Role
    from mayfly.language._tokens import NAMES as NAMES
    from mayfly.language._tokens import Token as Token
    from mayfly.language._tokens import TokenKind as TokenKind
    from mayfly.language._tokens import tokens as tokens
    from mayfly.language._verbs import LEXICON_FACTS as LEXICON_FACTS
    from mayfly.language._verbs import PARTICLES as PARTICLES
    from mayfly.language._verbs import Lexicon as Lexicon
    from mayfly.language._words import is_closed as is_closed
    from mayfly.language._words import shape_of as shape_of
    from mayfly.language._words import word_pattern as word_pattern

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
