"""Buy and sell capabilities over x402: exactly once, within budgets, with every unit in the ledger.

The key is in the broker process alone. Importing this package loads nothing heavy; each name is loaded on first use.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.market._asgi import ShopApp as ShopApp
    from mayfly.market._asgi import ShopReply as ShopReply
    from mayfly.market._broker_client import BrokerClient as BrokerClient
    from mayfly.market._broker_client import BrokerProcess as BrokerProcess
    from mayfly.market._broker_client import close_broker as close_broker
    from mayfly.market._broker_client import open_broker as open_broker
    from mayfly.market._broker_client import purchase as purchase
    from mayfly.market._buyer import Buyer as Buyer
    from mayfly.market._chain_reader import ChainEvidence as ChainEvidence
    from mayfly.market._chain_reader import ChainReader as ChainReader
    from mayfly.market._chain_reader import fund_test as fund_test
    from mayfly.market._decide import PurchaseFacts as PurchaseFacts
    from mayfly.market._decide import check_settings as check_settings
    from mayfly.market._decide import decider as decider
    from mayfly.market._discover import Discovered as Discovered
    from mayfly.market._discover import NotBought as NotBought
    from mayfly.market._discover import PricedResource as PricedResource
    from mayfly.market._discover import Shops as Shops
    from mayfly.market._discover import as_capability as as_capability
    from mayfly.market._discover import discover as discover
    from mayfly.market._discover import shop_urls as shop_urls
    from mayfly.market._events import PaymentDelivered as PaymentDelivered
    from mayfly.market._events import PaymentDisputed as PaymentDisputed
    from mayfly.market._events import PaymentReleased as PaymentReleased
    from mayfly.market._events import PaymentReserved as PaymentReserved
    from mayfly.market._events import PaymentSent as PaymentSent
    from mayfly.market._events import PaymentSettled as PaymentSettled
    from mayfly.market._events import PaymentUnknown as PaymentUnknown
    from mayfly.market._events import SaleAnswered as SaleAnswered
    from mayfly.market._events import SaleClaimed as SaleClaimed
    from mayfly.market._events import SaleFailed as SaleFailed
    from mayfly.market._events import SaleLapsed as SaleLapsed
    from mayfly.market._events import SaleSettled as SaleSettled
    from mayfly.market._events import SaleSettling as SaleSettling
    from mayfly.market._open_payments import OpenPayments as OpenPayments
    from mayfly.market._open_payments import Reconciled as Reconciled
    from mayfly.market._open_payments import reconcile as reconcile
    from mayfly.market._purchase import BuyOptions as BuyOptions
    from mayfly.market._purchase import PaidRequest as PaidRequest
    from mayfly.market._purchase import Purchase as Purchase
    from mayfly.market._purchase import SellerAnswer as SellerAnswer
    from mayfly.market._requirements import PaymentOffer as PaymentOffer
    from mayfly.market._terms import PAYMENT_REQUIRED as PAYMENT_REQUIRED
    from mayfly.market._terms import REQUIRED_HEADER as REQUIRED_HEADER
    from mayfly.market._terms import RESPONSE_HEADERS as RESPONSE_HEADERS
    from mayfly.market._terms import PaymentTerms as PaymentTerms
    from mayfly.market._terms import price_units as price_units
    from mayfly.market._terms import read_address as read_address
    from mayfly.market._terms import read_terms as read_terms
    from mayfly.market._terms import read_units as read_units
    from mayfly.market._wallet import AUTHORIZATION as AUTHORIZATION
    from mayfly.market._wallet import KeySigner as KeySigner
    from mayfly.market._wallet import Wallet as Wallet
    from mayfly.market._wallet import depth_kept as depth_kept
    from mayfly.market._wallet import keep_in_keyring as keep_in_keyring
    from mayfly.market._wallet import password_from as password_from
    from mayfly.market._wallet import password_in_keyring as password_in_keyring

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
