"""Records: programs for questions about logs, tables and objects, written without a model."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.synthesis.records._cells import is_continued
    from mayfly.synthesis.records._objects import records_in
    from mayfly.synthesis.records._propose import (
        Proposal,
        Unable,
        account_of,
        propose,
        propose_join,
        propose_joined_reading,
        propose_reading,
    )
    from mayfly.synthesis.records._suite import loose_suite_of, suite_of

__all__ = [
    "Proposal",
    "Unable",
    "account_of",
    "is_continued",
    "loose_suite_of",
    "propose",
    "propose_join",
    "propose_joined_reading",
    "propose_reading",
    "records_in",
    "suite_of",
]

__getattr__ = lazily(
    __name__,
    {
        "_cells": "is_continued",
        "_objects": "records_in",
        "_propose": "Proposal Unable account_of propose propose_join propose_joined_reading propose_reading",
        "_suite": "loose_suite_of suite_of",
    },
)
