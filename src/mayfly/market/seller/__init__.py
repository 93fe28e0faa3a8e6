"""Sell capabilities: paid once, answered once, whatever fails in between.

`Seller` is the machine (claim, answer, settle, hand out), `shop_app` its HTTP side. An answer is kept before the
payment is settled and handed out only when the chain shows the transfer.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.market.seller._open import make_offer as make_offer
    from mayfly.market.seller._open import open_seller as open_seller
    from mayfly.market.seller._payment import SignedPayment as SignedPayment
    from mayfly.market.seller._payment import parse_payment as parse_payment
    from mayfly.market.seller._seller import Seller as Seller
    from mayfly.market.seller._seller import SellerLimits as SellerLimits
    from mayfly.market.seller._shop import shop_app as shop_app

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
