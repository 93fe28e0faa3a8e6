"""The cases, as data: what is played, and what was expected before anything was tried.

`see` has what each word that shows something has to show; alternatives are separated by `|`. What holds for all cases
is in `world.py`.
"""

from __future__ import annotations

from market.matrix.case import Case
from market.matrix.cases.around import facilitator, nodes, stores
from market.matrix.cases.between import caps, wires
from market.matrix.cases.forged import raw, sdk
from market.matrix.cases.kills import kills_of_buyer, kills_of_seller, kills_then_reconcile
from market.matrix.cases.strange import strangers

CASES: tuple[Case, ...] = (
    *kills_of_buyer(),
    *kills_then_reconcile(),
    *kills_of_seller(),
    *facilitator(),
    *nodes(),
    *stores(),
    *wires(),
    *caps(),
    *raw(),
    *strangers(),
    *sdk(),
)
# What runs with all other tests: a few of each kind, and the quick ones; `storm.py` runs all of them.
_OFTEN = [
    "buyer-dies-",
    "reconcile-after-PaymentSent",
    "reconcile-paid-killafter",
    "seller-dies-die-after-SaleClaimed",
    "seller-dies-die-after-SaleAnswered",
    "seller-dies-settle-killafter",
    "recover-after-SaleSettling",
    "facilitator-settle=504after",
    "facilitator-settle=twice",
    "facilitator-settle=lie",
    "facilitator-for-good-settle=refuse",
    "facilitator-trusts",
    "node-buyer-lag",
    "node-buyer-down-after-send",
    "relay-lost",
    "relay-killafter",
    "confirmations-buyer-only",
    "store-locked",
    "wire-dropafter",
    "wire-copies6",
    "wire-redirect",
    "wire-quote-redirect",
    "thief-",
    "stolen-",
    "tampered-payTo",
    "tampered-amount",
    "caps-agent",
    "same-call-6x1",
    "same-call-other-body",
    "caps-unknown-counts",
    "skew-3600",
    "raw-version",
    "raw-units=9999",
    "raw-signature=random",
    "raw-payee",
    "raw-header=deep",
    "raw-twice-again-body",
    "raw-twice-again-twisted",
    "raw-copies",
    "raw-settled-by-another",
    "raw-drained",
    "raw-handler-fail",
    "amount-0-",
    "amount-3-",
    "odd-seconds-absurd",
    "odd-url",
    "stranger-giveother",
    "stranger-dearer",
    "stranger-500",
    "stranger-late",
    "stranger-v1",
    "sdk-buys-copies",
    "sdk-sells-504",
]
OFTEN: tuple[Case, ...] = tuple(case for case in CASES if any(case.name.startswith(name) for name in _OFTEN))
