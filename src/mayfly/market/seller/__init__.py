"""Sell capabilities: paid once, answered once, whatever fails in between.

`Seller` is the machine (claim, answer, settle, hand out), `shop_app` its HTTP side. An answer is kept before the
payment is settled and handed out only when the chain shows the transfer.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.market.seller._open import make_offer, open_seller
    from mayfly.market.seller._payment import SignedPayment, parse_payment
    from mayfly.market.seller._seller import Seller, SellerLimits
    from mayfly.market.seller._shop import shop_app

__all__ = [
    "Seller",
    "SellerLimits",
    "SignedPayment",
    "make_offer",
    "open_seller",
    "parse_payment",
    "shop_app",
]

__getattr__ = lazily(
    __name__,
    {
        "_open": "make_offer open_seller",
        "_payment": "SignedPayment parse_payment",
        "_seller": "Seller SellerLimits",
        "_shop": "shop_app",
    },
)
