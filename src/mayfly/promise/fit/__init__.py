"""Clauses and capabilities: which does what is said, with which arguments, and which word it would leave over."""

from mayfly.promise.fit._does import described, does_of, known_lexicon
from mayfly.promise.fit._fill import FillSource, format_of
from mayfly.promise.fit._fit import Fit, Misfit, covering, fits, hands_on, only_fit
from mayfly.promise.fit._said import ClausePiece, FitReading, IsDirectory, SaidClause, is_torn, read_request, with_verbs
from mayfly.promise.fit._words import all_verbs, is_idle, is_small, verbs_of

__all__ = [
    "ClausePiece",
    "FillSource",
    "Fit",
    "FitReading",
    "IsDirectory",
    "Misfit",
    "SaidClause",
    "all_verbs",
    "covering",
    "described",
    "does_of",
    "fits",
    "format_of",
    "hands_on",
    "is_idle",
    "is_small",
    "is_torn",
    "known_lexicon",
    "only_fit",
    "read_request",
    "verbs_of",
    "with_verbs",
]
