"""Promotion: what ran often, proved itself and was voted for is kept in git; what fails there comes down again."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.library.promotion._candidates import Standing as Standing
    from mayfly.library.promotion._identity import Identities as Identities
    from mayfly.library.promotion._identity import VoterIdentity as VoterIdentity
    from mayfly.library.promotion._promotion import Promotion as Promotion
    from mayfly.library.promotion._shelf import Promoted as Promoted
    from mayfly.library.promotion._shelf import PromotedShelf as PromotedShelf
    from mayfly.library.promotion._votes import Ballot as Ballot
    from mayfly.library.promotion._votes import Choice as Choice
    from mayfly.library.promotion._votes import Vote as Vote
    from mayfly.library.promotion._votes import powers_of as powers_of
    from mayfly.library.promotion._votes import votes_that_count as votes_that_count

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
