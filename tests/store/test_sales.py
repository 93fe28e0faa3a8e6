"""Sales: one claim for each authorization, every step that is legal and none else, by our hand and by anybody's SQL."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from mayfly.core import ConflictError, InputError
from mayfly.market import SaleAnswered, SaleClaimed, SaleLapsed, SaleSettled
from mayfly.store import Ledger, SaleList

from .conftest import Plain
from .money import ASSET, NETWORK, NONCE, PAYER, SALE_WAYS, TRANSACTION, claimed, sale_at, sale_step

STATES = tuple(SALE_WAYS)
LEGAL = {
    ("claimed", "claimed"),
    ("claimed", "answered"),
    ("claimed", "failed"),
    ("answered", "settling"),
    ("answered", "lapsed"),
    ("settling", "settling"),
    ("settling", "settled"),
    ("settling", "lapsed"),
}
BESIDE = {
    "claimed": "lease = 60",
    "answered": "answer = 'a'",
    "settling": "lease = 60",
    "settled": f"transaction_hash = '{TRANSACTION}', block = 7, gas = '1'",
    "failed": "reason = 'x'",
    "lapsed": "reason = 'x'",
}


@pytest.fixture
def sales(ledger: Ledger) -> SaleList:
    return SaleList(ledger)


@pytest.mark.parametrize("now", STATES)
def test_every_step_is_legal_or_refused_by_the_database_and_by_the_ledger(
    ledger: Ledger, plain: Plain, sales: SaleList, now: str
) -> None:
    for state in STATES:
        row = sale_at(ledger, now)
        payload = sale_step(ledger, state, row.turn, nonce=row.nonce)
        update = f"UPDATE mayfly_sales SET state = '{state}', turn = turn + 1, {BESIDE[state]} WHERE id = "
        if (now, state) in LEGAL:
            moved = sales.move(row.id, payload)
            assert (moved.state, moved.turn) == (state, row.turn + 1)
            plain.run(f"{update}'{sale_at(ledger, now).id}'")
        else:
            with pytest.raises(ConflictError, match=f"is {now} and cannot become {state}"):
                sales.move(row.id, payload)
            with pytest.raises(Exception, match="this state does not follow"):
                plain.run(f"{update}'{row.id}'")
            assert sales.get(row.id) == row


@pytest.mark.parametrize(
    "column",
    [
        "id",
        "network",
        "asset",
        "payer",
        "nonce",
        "request",
        "tool",
        "version",
        "units",
        "decimals",
        "payee",
        "valid_before",
        "payload",
        "strategy",
        "at",
    ],
)
def test_terms_never_change(ledger: Ledger, plain: Plain, column: str) -> None:
    sale_at(ledger, "claimed")
    value = "77" if column in ("version", "units", "decimals", "valid_before") else "'other'"
    with pytest.raises(Exception, match="the terms never change"):
        plain.run(f"UPDATE mayfly_sales SET state = 'failed', turn = turn + 1, {column} = {value}")


@pytest.mark.parametrize(
    ("now", "statement", "told"),
    [
        ("claimed", "state = 'answered', turn = turn + 1", "the answer is written once"),
        ("claimed", "state = 'failed', turn = turn + 1, answer = 'x'", "the answer is written once"),
        ("answered", "state = 'settling', turn = turn + 1, answer = 'other'", "the answer is written once"),
        ("settling", "state = 'settled', turn = turn + 1", "only what the chain shows"),
        ("settling", "state = 'lapsed', turn = turn + 1, transaction_hash = 'x'", "only what the chain shows"),
        ("claimed", "state = 'failed', turn = turn + 1, gas = '1'", "only what the chain shows"),
        ("claimed", "lease = 5", "does not follow"),
        ("settled", "gas = '5'", "does not follow"),
    ],
)
def test_a_step_needs_its_evidence(ledger: Ledger, plain: Plain, now: str, statement: str, told: str) -> None:
    sale_at(ledger, now)
    with pytest.raises(Exception, match=told):
        plain.run(f"UPDATE mayfly_sales SET {statement}")


def insert(id: str, nonce: str, state: str = "claimed", verb: str = "INSERT") -> str:
    return f"""{verb} INTO mayfly_sales (id, network, asset, payer, nonce, request, tool, version, units, decimals,
    payee, valid_before, payload, state, turn, lease, answer, transaction_hash, block, gas, reason, strategy, at,
    changed) VALUES ('{id}', 'n', 'a', 'p', '{nonce}', 'r', 't', 1, 1, 6, 'q', 9, 'h', '{state}', 1, 5, '', '', 0, '',
    '', '', '', '')"""


def test_rows_are_born_claimed_and_never_deleted_or_replaced(plain: Plain) -> None:
    for state in STATES[1:]:
        with pytest.raises(Exception, match="begins claimed"):
            plain.run(insert("s", "x", state))
    plain.run(insert("s-1", "x"))
    for id, nonce in (("s-1", "y"), ("s-2", "x")):
        with pytest.raises(Exception, match=r"(?i)there already|unique"):
            plain.run(insert(id, nonce))
        if plain.dialect == "sqlite":
            with pytest.raises(Exception, match="there already"):
                plain.run(insert(id, nonce, verb="REPLACE"))
    for statement in ["DELETE FROM mayfly_sales"] + ["TRUNCATE mayfly_sales"] * (plain.dialect == "postgresql"):
        with pytest.raises(Exception, match="refused"):
            plain.run(statement)
    assert plain.run("SELECT id, nonce FROM mayfly_sales") == [("s-1", "x")]


def test_of_twenty_claims_at_once_one_is_made(ledger: Ledger, sales: SaleList) -> None:
    made: list[bool] = []
    begin = threading.Barrier(20)
    numbers = iter(range(20))
    payload = claimed(ledger)

    def claim() -> None:
        number = next(numbers)
        begin.wait()
        made.append(sales.claim_sale(payload, f"s-{number}").fresh)

    threads = [threading.Thread(target=claim) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False] * 19 + [True]
    assert ledger.count(kind="sale.claimed") == len([*sales.each()]) == 1


def test_a_claim_is_found_by_its_authorization(ledger: Ledger, sales: SaleList) -> None:
    row, fresh = sales.claim_sale(claimed(ledger), "s-1")
    assert fresh
    assert sales.sale_of(NETWORK, ASSET, PAYER, NONCE) == row
    assert sales.sale_of(NETWORK, ASSET, PAYER, NONCE.upper().replace("X", "x")) == row
    assert sales.sale_of("eip155:1", ASSET, PAYER, NONCE) is None
    again, fresh = sales.claim_sale(claimed(ledger, request="00" * 32), "s-2")
    assert (again, fresh) == (row, False)


def test_who_took_a_claim_over_fences_off_who_had_it(ledger: Ledger, sales: SaleList) -> None:
    row, _ = sales.claim_sale(claimed(ledger), "s-1")
    taken = sales.move("s-1", claimed(ledger, before=row.turn, lease=99))
    assert (taken.state, taken.turn, taken.lease, taken.at) == ("claimed", 2, 99, row.at)
    with pytest.raises(ConflictError, match="moved by somebody else"):
        sales.move("s-1", SaleAnswered(before=row.turn, answer_blob=ledger.put_blob(b"late")))
    with pytest.raises(ConflictError, match="claimed with another request"):
        sales.move("s-1", claimed(ledger, before=taken.turn, request="00" * 32))


@pytest.mark.parametrize(
    ("now", "payload", "told"),
    [
        ("settling", SaleSettled(before=3, transaction=TRANSACTION, block=7, gas="1e4"), "gas"),
        ("settling", SaleSettled(before=3, transaction=TRANSACTION, block=7, gas="٣"), "gas"),
        ("settling", SaleSettled(before=3, transaction="0x1", block=7), "64 hexadecimal digits"),
        ("settling", SaleSettled(before=3, transaction=TRANSACTION, block=0), "block"),
        ("settling", SaleLapsed(before=3, reason="x", block=-1), "block"),
        ("claimed", SaleAnswered(before=1, answer_blob="ab" * 32), "there is no blob"),
        ("claimed", SaleAnswered(before=1, answer_blob=""), "answer_blob"),
    ],
)
def test_a_step_without_its_evidence_is_refused_in_words(
    ledger: Ledger, sales: SaleList, now: str, payload: Any, told: str
) -> None:
    row = sale_at(ledger, now)
    with pytest.raises(InputError, match=told):
        sales.move(row.id, payload)
    assert sales.get(row.id) == row


def test_an_event_of_something_else_is_refused(ledger: Ledger, sales: SaleList) -> None:
    with pytest.raises(InputError, match="does not claim"):
        sales.claim_sale(SaleAnswered(before=0, answer_blob=""), "s-1")
    with pytest.raises(InputError, match="nonce"):
        sales.claim_sale(SaleClaimed(**{**vars(claimed(ledger)), "nonce": "0x12"}), "s-1")
    assert [*sales.each()] == []
