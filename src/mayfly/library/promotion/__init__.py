"""Promotion: what ran often, proved itself and was voted for is kept in git; what fails there comes down again."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library.promotion._candidates import Standing
    from mayfly.library.promotion._identity import Identities, Identity
    from mayfly.library.promotion._promotion import Promotion
    from mayfly.library.promotion._shelf import Promoted, PromotedShelf
    from mayfly.library.promotion._votes import (
        Ballot,
        Choice,
        Vote,
        powers_of,
        votes_that_count,
    )

__all__ = [
    "Ballot",
    "Choice",
    "Identities",
    "Identity",
    "Promoted",
    "PromotedShelf",
    "Promotion",
    "Standing",
    "Vote",
    "powers_of",
    "votes_that_count",
]

__getattr__ = lazily(
    __name__,
    {
        "_candidates": "Standing",
        "_identity": "Identities Identity",
        "_promotion": "Promotion",
        "_shelf": "Promoted PromotedShelf",
        "_votes": "Ballot Choice Vote powers_of votes_that_count",
    },
)
