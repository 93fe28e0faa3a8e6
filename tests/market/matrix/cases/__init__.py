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
# What runs with all other tests, by how names begin: a few of each kind; `storm.py` runs all of them.
_OFTEN = (
    *("buyer-dies-after-", "buyer-dies-before-PaymentSent", "buyer-dies-paid-", "reconcile-after-PaymentSent"),
    *("reconcile-paid-killafter", "seller-dies-die-after-SaleClaimed", "seller-dies-die-after-SaleAnswered"),
    *("seller-dies-settle-killafter", "facilitator-settle=504after", "facilitator-settle=twice"),
    *("facilitator-for-good-settle=", "node-buyer-lag-past", "node-buyer-down-after-send", "relay-lost"),
    *("confirmations-buyer-only", "store-locked-after-sign", "store-locked-while", "wire-dropafter", "wire-copies6"),
    *("wire-redirect", "thief-", "stolen-", "tampered-payTo", "tampered-amount=5", "same-call-6x1"),
    *("same-call-other-body", "skew-3600", "raw-version", "raw-units=9999", "raw-signature=random", "raw-header=deep"),
    *("raw-twice-again-body", "raw-twice-again-twisted", "raw-copies", "raw-settled-by-another", "raw-drained"),
    *("raw-handler-fail", "amount-0-", "amount-3-", "odd-seconds-absurd", "odd-url", "stranger-giveother"),
    *("stranger-dearer", "stranger-500", "stranger-late", "stranger-v1", "sdk-buys-copies", "sdk-sells-504"),
)
OFTEN: tuple[Case, ...] = tuple(case for case in CASES if case.name.startswith(_OFTEN))
