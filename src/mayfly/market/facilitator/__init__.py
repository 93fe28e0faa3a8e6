"""Facilitators: who looks at a signed payment and sends it to the chain for a seller.

A configured one is asked over HTTP, and whatever it says, slowly or not at all, is one of three results. A small one of
our own, for development and tests, settles with a key of its own through a node. Neither is believed about money: the
seller asks the chain.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.market.facilitator._client import Facilitator as Facilitator
    from mayfly.market.facilitator._client import FacilitatorClient as FacilitatorClient
    from mayfly.market.facilitator._client import Settlement as Settlement
    from mayfly.market.facilitator._client import Verification as Verification
    from mayfly.market.facilitator._own import SelfFacilitator as SelfFacilitator

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
