"""Addresses in the ledger: recorded and shown with their checksums, found however anybody spells them.

Events of before have them in small letters; their rows are found, counted and verified with the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mayfly.core import InputError, LimitError, with_checksums
from mayfly.market import PaymentReserved
from mayfly.store import Cap, Ledger, PaymentList, SaleList, money_sums

from .money import ASSET, NETWORK, NONCE, PAYEE, PAYER, claimed, payment_at, reserved, sale_at, sale_step

SPELLINGS: tuple[Callable[[str], str], ...] = (str.lower, with_checksums, lambda one: "0x" + one[2:].upper())
SHOWN = tuple(map(with_checksums, (ASSET, PAYEE, PAYER)))


def of_before(payload: Any) -> Any:
    """Return an event as it was recorded when addresses were in small letters."""
    for name in ("asset", "payee", "payer"):
        object.__setattr__(payload, name, getattr(payload, name).lower())
    return payload


def shown(row: Any) -> tuple[str, str, str]:
    return row.asset, row.payee, row.payer


def test_an_event_and_its_row_show_checksums(ledger: Ledger) -> None:
    payment, sale = payment_at(ledger, "reserved"), sale_at(ledger, "claimed")
    assert (shown(payment), shown(sale)) == (SHOWN, SHOWN)
    for kind in ("payment.reserved", "sale.claimed"):
        found: Any = ledger.last(kind=kind)
        assert tuple(found.payload[name] for name in ("asset", "payee", "payer")) == SHOWN


@pytest.mark.parametrize("spelled", SPELLINGS)
@pytest.mark.parametrize("old", [True, False])
def test_a_sale_is_found_and_claimed_once_however_its_addresses_are_spelled(
    ledger: Ledger, spelled: Callable[[str], str], old: bool
) -> None:
    sales, event = SaleList(ledger), claimed(ledger)
    assert sales.claim_sale(of_before(event) if old else event, "s-1").fresh
    found = sales.sale_of(NETWORK, spelled(ASSET), spelled(PAYER), NONCE)
    assert found is not None
    assert (found.id, shown(found)) == ("s-1", SHOWN)
    again = of_before(claimed(ledger)) if not old else claimed(ledger)
    assert sales.claim_sale(again, "s-2")[1] is False
    assert [row.id for row in sales.each()] == ["s-1"]


def test_a_sale_of_before_goes_on(ledger: Ledger) -> None:
    sales = SaleList(ledger)
    sales.claim_sale(of_before(claimed(ledger)), "s-1")
    for turn, state in enumerate(("claimed", "answered", "settling", "settled"), 1):
        row = sales.move("s-1", sale_step(ledger, state, turn))
    assert (row.state, shown(row)) == ("settled", SHOWN)
    assert ledger.verify().broken == ""


@pytest.mark.parametrize("spelled", SPELLINGS)
def test_a_cap_counts_what_was_spent_under_any_spelling(ledger: Ledger, spelled: Callable[[str], str]) -> None:
    payments = PaymentList(ledger)
    cap = Cap(name="all", units=25_000, network=NETWORK, asset=spelled(ASSET))
    payments.reserve(of_before(reserved("a")), "p-1", [cap])
    payments.reserve(reserved("b"), "p-2", [cap])
    with pytest.raises(LimitError):
        payments.reserve(reserved("c"), "p-3", [cap])
    with pytest.raises(InputError, match="about another asset"):
        payments.reserve(reserved("c", asset=PAYEE), "p-3", [cap])
    assert ledger.verify().broken == ""


def test_what_is_in_one_asset_is_added_up_as_one(ledger: Ledger) -> None:
    payments = PaymentList(ledger)
    payments.reserve(of_before(reserved("a")), "p-1")
    payments.reserve(reserved("b"), "p-2")
    (found,) = money_sums(ledger)
    assert (found.asset, found.rows, found.units) == (SHOWN[0], 2, 20_000)


def test_a_call_of_before_has_its_payment(ledger: Ledger) -> None:
    payments = PaymentList(ledger)
    first = payments.reserve(of_before(reserved("a")), "p-1")
    assert payments.reserve(reserved("a"), "p-2") == first == payments.payment_of_call("a") == payments.newest()[0]
    assert shown(first) == SHOWN


def test_other_names_of_assets_stay_as_they_are() -> None:
    assert PaymentReserved(**{**vars(reserved()), "asset": "Coin"}).asset == "Coin"
