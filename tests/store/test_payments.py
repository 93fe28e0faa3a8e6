"""Payments: every step that is legal and none else, by our own hand and by anybody's SQL; caps that hold exactly."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from mayfly.core import ConflictError, InputError, LimitError, Settings
from mayfly.market import PaymentDelivered, PaymentReleased, PaymentSettled, PaymentUnknown
from mayfly.store import Cap, Ledger, PaymentList

from .conftest import Plain
from .money import ASSET, NETWORK, NONCE, TRANSACTION, WAYS, payment_at, reserved, step
from .worker import finish_together, start

STATES = tuple(WAYS)
LEGAL = {
    ("reserved", "sent"),
    ("reserved", "released"),
    ("sent", "unknown"),
    ("sent", "settled"),
    ("sent", "released"),
    ("sent", "disputed"),
    ("unknown", "unknown"),
    ("unknown", "settled"),
    ("unknown", "released"),
    ("unknown", "disputed"),
    ("settled", "delivered"),
    ("settled", "disputed"),
    ("disputed", "delivered"),
}
# What an honest step writes beside the state, so that nothing but the step itself can be what is refused.
BESIDE = {
    "reserved": "",
    "sent": f", nonce = '{NONCE}', payload = 'p', valid_after = 1, valid_before = 2",
    "unknown": "",
    "settled": f", transaction_hash = '{TRANSACTION}', block = 7",
    "disputed": f", transaction_hash = '{TRANSACTION}', block = 7",
    "delivered": ", answer = 'a'",
    "released": ", block = 9",
}


@pytest.fixture
def payments(ledger: Ledger) -> PaymentList:
    return PaymentList(ledger)


def by_hand(state: str, now: str) -> str:
    """Return the SQL that takes the only payment to *state*, with what belongs to it."""
    beside = BESIDE[state]
    if (now, state) in (("reserved", "released"), ("settled", "disputed")):
        beside = ""
    return f"UPDATE mayfly_payments SET state = '{state}', turn = turn + 1{beside}"


@pytest.mark.parametrize("now", STATES)
def test_every_step_is_legal_or_refused_by_the_database_and_by_the_ledger(
    ledger: Ledger, plain: Plain, payments: PaymentList, now: str
) -> None:
    for state in STATES:
        row = payment_at(ledger, now)
        if (now, state) in LEGAL:
            moved = payments.move(row.id, step(ledger, state, row.turn))
            assert (moved.state, moved.turn) == (state, row.turn + 1)
            row = payment_at(ledger, now)
            plain.run(f"{by_hand(state, now)} WHERE id = '{row.id}'")
        else:
            with pytest.raises(ConflictError, match=f"is {now} and cannot become {state}"):
                payments.move(row.id, step(ledger, state, row.turn))
            with pytest.raises(Exception, match="this state does not follow"):
                plain.run(f"{by_hand(state, now)} WHERE id = '{row.id}'")
            assert payments.get(row.id) == row


@pytest.mark.parametrize("now", ["reserved", "sent", "settled"])
@pytest.mark.parametrize(
    "column",
    [
        "id",
        "call",
        "url",
        "host",
        "method",
        "request",
        "network",
        "asset",
        "payee",
        "payer",
        "units",
        "decimals",
        "agent",
        "run",
        "tool",
        "strategy",
        "at",
    ],
)
def test_terms_never_change(ledger: Ledger, plain: Plain, column: str, now: str) -> None:
    payment_at(ledger, now)
    value = "1" if column in ("units", "decimals") else "'other'"
    state = {"reserved": "released", "sent": "unknown", "settled": "delivered"}[now]
    with pytest.raises(Exception, match="the terms never change"):
        plain.run(f"{by_hand(state, now)}, {column} = {value}")


@pytest.mark.parametrize(
    ("now", "statement", "told"),
    [
        ("reserved", "state = 'sent', turn = turn + 1", "signed is written once"),
        ("reserved", f"state = 'released', turn = turn + 1, nonce = '{NONCE}'", "signed is written once"),
        ("sent", f"state = 'unknown', turn = turn + 1, nonce = '0x{'00' * 32}'", "signed is written once"),
        ("sent", "state = 'unknown', turn = turn + 1, payload = 'q'", "signed is written once"),
        ("unknown", "state = 'unknown', turn = turn + 1, valid_before = 9999", "signed is written once"),
        ("sent", "state = 'settled', turn = turn + 1", "only what the chain shows"),
        ("sent", "state = 'disputed', turn = turn + 1", "only what the chain shows"),
        ("sent", "state = 'released', turn = turn + 1", "only what the chain shows"),
        ("unknown", "state = 'released', turn = turn + 1", "only what the chain shows"),
        ("settled", "state = 'disputed', turn = turn + 1, transaction_hash = 'x'", "only what the chain shows"),
        ("settled", "state = 'delivered', turn = turn + 1", "needed to deliver"),
        ("sent", "state = 'unknown'", "does not follow"),
        ("sent", "state = 'unknown', turn = turn + 2", "does not follow"),
        ("delivered", "reason = 'x'", "does not follow"),
    ],
)
def test_a_step_needs_its_evidence(ledger: Ledger, plain: Plain, now: str, statement: str, told: str) -> None:
    payment_at(ledger, now)
    with pytest.raises(Exception, match=told):
        plain.run(f"UPDATE mayfly_payments SET {statement}")


@pytest.mark.parametrize("now", STATES)
def test_no_row_is_ever_deleted(ledger: Ledger, plain: Plain, now: str) -> None:
    payment_at(ledger, now)
    statements = ["DELETE FROM mayfly_payments"]
    if plain.dialect == "postgresql":
        statements.append("TRUNCATE mayfly_payments")
    for statement in statements:
        with pytest.raises(Exception, match="refused"):
            plain.run(statement)
    assert plain.run("SELECT count(*) FROM mayfly_payments") == [(1,)]


def insert(id: str, call: str, state: str = "reserved", *, verb: str = "INSERT", units: object = 1) -> str:
    return f"""{verb} INTO mayfly_payments (id, call, url, host, method, request, network, asset, payee, payer, units,
    decimals, valid_after, valid_before, nonce, payload, state, turn, transaction_hash, block, answer, reason, agent,
    run, tool, strategy, at, changed) VALUES ('{id}', '{call}', '', '', 'GET', 'r', 'n', 'a', 'p', 'q', {units}, 6, 0,
    0, '', '', '{state}', 1, '', 0, '', '', '', '', '', '', '', '')"""


@pytest.mark.parametrize("state", [state for state in STATES if state != "reserved"])
def test_a_row_is_born_reserved(plain: Plain, state: str) -> None:
    with pytest.raises(Exception, match="begins reserved"):
        plain.run(insert("p", "c", state))


@pytest.mark.parametrize("units", ["0", "-1", "'x'", "NULL", "1.5"])
def test_the_database_refuses_what_is_no_amount(plain: Plain, units: str) -> None:
    if plain.dialect == "postgresql" and units == "1.5":
        units = "1.4e30"  # a server rounds what fits
    with pytest.raises(Exception, match=r"(?i)constraint|invalid input|out of range"):
        plain.run(insert("p", "c", units=units))


def test_a_call_has_one_live_authorization(ledger: Ledger, plain: Plain, payments: PaymentList) -> None:
    plain.run(insert("p-a", "c"))
    with pytest.raises(Exception, match=r"(?i)there already|unique"):
        plain.run(insert("p-b", "c"))
    plain.run("UPDATE mayfly_payments SET state = 'released', turn = 2 WHERE id = 'p-a'")
    plain.run(insert("p-b", "c"))
    with pytest.raises(Exception, match=r"(?i)there already|unique"):
        plain.run(insert("p-c", "c"))


def test_replace_takes_no_row_away(plain: Plain) -> None:
    plain.run(insert("p-a", "c"))
    if plain.dialect == "sqlite":
        for id, call in (("p-a", "d"), ("p-b", "c")):
            with pytest.raises(Exception, match="there already"):
                plain.run(insert(id, call, verb="INSERT OR REPLACE"))
    else:
        with pytest.raises(Exception, match="the terms never change"):
            plain.run(insert("p-a", "d") + " ON CONFLICT (id) DO UPDATE SET call = EXCLUDED.call")
    assert plain.run("SELECT id, call FROM mayfly_payments") == [("p-a", "c")]


def test_the_same_call_gets_the_same_payment_and_another_request_is_refused(
    ledger: Ledger, payments: PaymentList
) -> None:
    first = payments.reserve(reserved("c"), "p-1")
    again = payments.reserve(reserved("c", units=99), "p-2")
    assert again == first
    with pytest.raises(ConflictError, match="call c was made before with another request"):
        payments.reserve(reserved("c", request="00" * 32), "p-3")
    assert ledger.count(kind="payment.reserved") == 1
    assert payments.payment_of_call("c") == first
    assert payments.payment_of_call("other") is None


def test_a_released_call_may_be_tried_again(payments: PaymentList) -> None:
    first = payments.reserve(reserved("c"), "p-9")
    released = payments.move("p-9", PaymentReleased(before=first.turn, reason="the seller is gone"))
    assert payments.payment_of_call("c") == released
    second = payments.reserve(reserved("c"), "p-1")
    assert (second.id, second.state) == ("p-1", "reserved")
    assert payments.payment_of_call("c") == second
    payments.move("p-1", PaymentReleased(before=1, reason="again"))
    newest = payments.payment_of_call("c")
    assert newest is not None
    assert newest.id == "p-1"


def test_a_writer_that_was_overtaken_writes_nothing(ledger: Ledger, payments: PaymentList) -> None:
    row = payment_at(ledger, "sent")
    payments.move(row.id, PaymentUnknown(before=row.turn, reason="504"))
    with pytest.raises(ConflictError, match="moved by somebody else meanwhile: it is unknown now"):
        payments.move(row.id, PaymentSettled(before=row.turn, transaction=TRANSACTION, block=7))
    with pytest.raises(ConflictError, match="there is none"):
        payments.move("p-none", PaymentUnknown(before=1, reason="x"))
    assert ledger.count(kind="payment.settled") == 0


def test_of_twenty_that_move_at_once_one_does(ledger: Ledger, payments: PaymentList) -> None:
    row, lost, begin = payment_at(ledger, "sent"), list[str](), threading.Barrier(20)

    def move() -> None:
        begin.wait()
        try:
            payments.move(row.id, PaymentUnknown(before=row.turn, reason="504"))
        except ConflictError as error:
            lost.append(str(error))

    _together(move)
    assert len(lost) == 19
    assert ledger.verify().ok


def _together(work: Any, number: int = 20) -> None:
    threads = [threading.Thread(target=work) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_twenty_at_once_with_room_for_four_give_exactly_four(ledger: Ledger, payments: PaymentList) -> None:
    cap = Cap(name="per hour", units=4 * 10_000 + 9_999, network=NETWORK, asset=ASSET, since="2000")
    refused: list[LimitError] = []
    begin = threading.Barrier(20)
    calls = iter(range(20))

    def reserve() -> None:
        number = next(calls)
        begin.wait()
        try:
            payments.reserve(reserved(f"c-{number}"), f"p-{number}", [cap])
        except LimitError as error:
            refused.append(error)

    _together(reserve)
    assert len([*payments.each(["reserved"])]) == 4
    assert len(refused) == 16
    assert str(refused[0]).startswith("cap per hour: 50000 is over the limit of 49999")


def test_a_cap_holds_over_processes(settings: Settings, ledger: Ledger, payments: PaymentList) -> None:
    workers = [start("reserve_payments", str(number), "10", "7", store=settings) for number in range(4)]
    counts = [int(lines[-1]) for lines in finish_together(workers)]
    assert sum(counts) == 7
    assert len([*payments.each()]) == 7
    assert ledger.verify().ok


def test_caps_count_what_is_not_released_by_agent_and_since(ledger: Ledger, payments: PaymentList) -> None:
    for state in STATES:
        payment_at(ledger, state, agent="ann")
    payment_at(ledger, "delivered", agent="bob")
    other = payment_at(ledger, "delivered", agent="ann", asset="0x" + "9" * 40)
    assert other.asset != ASSET
    room = Cap(name="agent", units=70_000, network=NETWORK, asset=ASSET, agent="ann")
    payments.reserve(reserved("fits", agent="ann"), "p-fits", [room])
    for cap in (
        replace(room, units=79_999),
        replace(room, agent=None, units=89_999),
        replace(room, agent=None, since="2000", units=89_999),
    ):
        with pytest.raises(LimitError):
            payments.reserve(reserved("over", agent="ann"), "p-over", [room, cap])
    payments.reserve(reserved("later", agent="ann"), "p-later", [replace(room, since="2999", units=10_000)])
    with pytest.raises(LimitError, match="10000 is over the limit of 0"):
        payments.reserve(reserved("none", agent="cy"), "p-none", [replace(room, agent="cy", units=0)])


def test_a_cap_about_something_else_is_a_mistake(payments: PaymentList) -> None:
    with pytest.raises(InputError, match="about another asset"):
        payments.reserve(reserved("c"), "p", [Cap(name="x", units=9**9, network=NETWORK, asset="0x0")])
    assert [*payments.each()] == []


def test_amounts_up_to_63_bits_are_exact(ledger: Ledger, payments: PaymentList) -> None:
    most = 2**63 - 1
    for number in range(3):
        row = payments.reserve(reserved(f"c-{number}", units=most), f"p-{number}")
        assert row.units == most
    cap = Cap(name="all", units=3 * most, network=NETWORK, asset=ASSET)
    with pytest.raises(LimitError, match=f"{3 * most + 1} is over the limit of {3 * most}"):
        payments.reserve(reserved("one", units=1), "p-one", [cap])
    payments.reserve(reserved("one", units=1), "p-one", [replace(cap, units=3 * most + 1)])
    assert ledger.verify().ok


@pytest.mark.parametrize("units", [0, -1, 2**63, 2**256, 1.0, True, "10000", None])
def test_what_is_no_amount_is_refused_and_nothing_is_kept(ledger: Ledger, payments: PaymentList, units: Any) -> None:
    with pytest.raises(InputError, match="units"):
        payments.reserve(reserved("c", units=units), "p")
    assert ledger.count(kind="payment.reserved") == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("call", ""),
        ("call", "x" * 257),
        ("call", "a\x00b"),
        ("call", "‹secret: a payment key›"),
        ("asset", ""),
        ("payee", "\ud800"),
        ("decimals", 256),
        ("decimals", -1),
        ("strategy", "a b"),
        ("url", "http://\n"),
    ],
)
def test_terms_that_cannot_be_kept_alike_are_refused(payments: PaymentList, field: str, value: Any) -> None:
    terms = {**vars(reserved("c")), field: value}
    with pytest.raises(InputError, match=field):
        payments.reserve(type(reserved())(**terms), "p")
    assert [*payments.each()] == []


def test_nonce_and_transaction_come_back_whole(ledger: Ledger, payments: PaymentList) -> None:
    row = payment_at(ledger, "delivered")
    assert (row.nonce, row.transaction_hash, row.block) == (NONCE, TRANSACTION, 7)
    assert ledger.get_blob(row.payload) == b"header"
    assert ledger.get_blob(row.answer) == b"answer"


def test_an_answer_that_came_early_stays(ledger: Ledger, payments: PaymentList) -> None:
    row, answer = payment_at(ledger, "sent"), ledger.put_blob(b"early")
    row = payments.move(row.id, PaymentUnknown(before=row.turn, reason="not seen\x00\nyet", answer_blob=answer))
    assert (row.answer, row.reason) == (answer, "not seen? yet")
    row = payments.move(row.id, PaymentSettled(before=row.turn, transaction=TRANSACTION, block=7))
    row = payments.move(row.id, PaymentDelivered(before=row.turn))
    assert (row.state, row.answer) == ("delivered", answer)


@pytest.mark.parametrize(
    ("now", "payload", "told"),
    [
        ("sent", PaymentReleased(before=2, reason="expired"), "only a block of the chain releases it"),
        ("sent", PaymentSettled(before=2, transaction="0x12", block=7), "64 hexadecimal digits"),
        ("sent", PaymentSettled(before=2, transaction=TRANSACTION, block=0), "a transfer is in a block"),
        ("settled", PaymentDelivered(before=3), "has no answer to deliver"),
        ("settled", PaymentDelivered(before=3, answer_blob="ab" * 32), "there is no blob"),
    ],
)
def test_a_step_without_its_evidence_is_refused_in_words(
    ledger: Ledger, payments: PaymentList, now: str, payload: Any, told: str
) -> None:
    row = payment_at(ledger, now)
    with pytest.raises(InputError, match=told):
        payments.move(row.id, payload)
    assert payments.get(row.id) == row


def test_pages_go_on_after_an_id(ledger: Ledger, payments: PaymentList, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        payments.reserve(reserved(f"c-{number}"), f"p-{number}")
    monkeypatch.setattr("mayfly.store._money_list.PAGE", 2)
    assert [row.id for row in payments.each(["reserved"])] == [f"p-{number}" for number in range(5)]
    assert [*payments.each(["sent", "unknown"])] == []
    with pytest.raises(InputError, match="several states"):
        next(payments.each("sent"))
