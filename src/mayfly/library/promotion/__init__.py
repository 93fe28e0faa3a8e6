"""Promotion: what ran often, proved itself and was voted for is kept in git; what fails there comes down again."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library.promotion._events import CapabilityDemoted, CapabilityPromoted, FailuresSettled, VoteCast
    from mayfly.library.promotion._identity import Identities, Identity
    from mayfly.library.promotion._shelf import Promoted, PromotedShelf
    from mayfly.library.promotion._votes import Ballot, Choice, Vote, powers_of, votes_that_count

__all__ = [
    "Ballot",
    "CapabilityDemoted",
    "CapabilityPromoted",
    "Choice",
    "FailuresSettled",
    "Identities",
    "Identity",
    "Promoted",
    "PromotedShelf",
    "Vote",
    "VoteCast",
    "powers_of",
    "votes_that_count",
]

__getattr__ = lazily(
    __name__,
    {
        "_events": "CapabilityDemoted CapabilityPromoted FailuresSettled VoteCast",
        "_identity": "Identities Identity",
        "_shelf": "Promoted PromotedShelf",
        "_votes": "Ballot Choice Vote powers_of votes_that_count",
    },
)
