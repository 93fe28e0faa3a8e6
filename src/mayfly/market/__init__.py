"""Buy and sell capabilities over x402: exactly once, within budgets, with every unit in the ledger.

The key is in the broker process alone. Importing this package loads nothing heavy; each name is loaded on first use.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.market._asgi import App as ShopApp
    from mayfly.market._asgi import Reply as ShopReply
    from mayfly.market._broker_client import BrokerClient, BrokerProcess, close_broker, open_broker
    from mayfly.market._buyer import Buyer
    from mayfly.market._chain_reader import ChainReader, Evidence, fund_test
    from mayfly.market._decide import PurchaseFacts, check_settings, decider
    from mayfly.market._discover import Discovered, PricedResource, as_capability, discover, shop_urls
    from mayfly.market._events import (
        PaymentDelivered,
        PaymentDisputed,
        PaymentReleased,
        PaymentReserved,
        PaymentSent,
        PaymentSettled,
        PaymentUnknown,
        SaleAnswered,
        SaleClaimed,
        SaleFailed,
        SaleLapsed,
        SaleSettled,
        SaleSettling,
    )
    from mayfly.market._job_purchase import purchase
    from mayfly.market._open_payments import OpenPayments, Reconciled, reconcile
    from mayfly.market._purchase import BuyOptions, PaidRequest, Purchase, SellerAnswer
    from mayfly.market._requirements import Offer
    from mayfly.market._shops import NotBought, Shops
    from mayfly.market._terms import (
        PAYMENT_REQUIRED,
        REQUIRED_HEADER,
        RESPONSE_HEADERS,
        Terms,
        price_units,
        read_address,
        read_terms,
        read_units,
    )
    from mayfly.market._wallet import (
        AUTHORIZATION,
        KeySigner,
        Wallet,
        depth_kept,
        keep_in_keyring,
        password_from,
        password_in_keyring,
    )

__all__ = [
    "AUTHORIZATION",
    "PAYMENT_REQUIRED",
    "REQUIRED_HEADER",
    "RESPONSE_HEADERS",
    "BrokerClient",
    "BrokerProcess",
    "BuyOptions",
    "Buyer",
    "ChainReader",
    "Discovered",
    "Evidence",
    "KeySigner",
    "NotBought",
    "Offer",
    "OpenPayments",
    "PaidRequest",
    "PaymentDelivered",
    "PaymentDisputed",
    "PaymentReleased",
    "PaymentReserved",
    "PaymentSent",
    "PaymentSettled",
    "PaymentUnknown",
    "PricedResource",
    "Purchase",
    "PurchaseFacts",
    "Reconciled",
    "SaleAnswered",
    "SaleClaimed",
    "SaleFailed",
    "SaleLapsed",
    "SaleSettled",
    "SaleSettling",
    "SellerAnswer",
    "ShopApp",
    "ShopReply",
    "Shops",
    "Terms",
    "Wallet",
    "as_capability",
    "check_settings",
    "close_broker",
    "decider",
    "depth_kept",
    "discover",
    "fund_test",
    "keep_in_keyring",
    "open_broker",
    "password_from",
    "password_in_keyring",
    "price_units",
    "purchase",
    "read_address",
    "read_terms",
    "read_units",
    "reconcile",
    "shop_urls",
]

__getattr__ = lazily(
    __name__,
    {
        "_asgi": "App=ShopApp Reply=ShopReply",
        "_broker_client": "BrokerClient BrokerProcess close_broker open_broker",
        "_buyer": "Buyer",
        "_chain_reader": "ChainReader Evidence fund_test",
        "_decide": "PurchaseFacts check_settings decider",
        "_discover": "Discovered PricedResource as_capability discover shop_urls",
        "_events": (
            "PaymentDelivered PaymentDisputed PaymentReleased PaymentReserved PaymentSent "
            "PaymentSettled PaymentUnknown SaleAnswered SaleClaimed SaleFailed SaleLapsed SaleSettled "
            "SaleSettling"
        ),
        "_job_purchase": "purchase",
        "_open_payments": "OpenPayments Reconciled reconcile",
        "_purchase": "BuyOptions PaidRequest Purchase SellerAnswer",
        "_requirements": "Offer",
        "_shops": "NotBought Shops",
        "_terms": (
            "PAYMENT_REQUIRED REQUIRED_HEADER RESPONSE_HEADERS Terms price_units read_address read_terms read_units"
        ),
        "_wallet": "AUTHORIZATION KeySigner Wallet depth_kept keep_in_keyring password_from password_in_keyring",
    },
)
