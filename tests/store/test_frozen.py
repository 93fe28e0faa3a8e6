"""A store as an older version left it, with runs and tools in it, is brought up to date and verifies.

`frozen/0005.json` has every row of a store of migration 5, written by the version of that time: a run of an agent, and
a tool that was made and called. `frozen/0006.sql` is a whole SQLite store of migration 6: runs, tools, and a payment
and a sale at every state.
"""

from __future__ import annotations

import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Settings
from mayfly.store import Ledger, PaymentList, SaleList, ToolList, _migrate, name_strategy
from mayfly.store._migrate import known
from store.money import SALE_WAYS as SALE_STATES
from store.money import WAYS as PAYMENT_STATES
from store.money import payment_at, step

HERE = Path(__file__).parent / "frozen"


def thaw(settings: Settings, number: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Make the store that a file holds, by the migrations of its time; return how many events it has."""
    tables: dict[str, Any] = json.loads((HERE / f"{number:04}.json").read_text())
    with monkeypatch.context() as patch:
        patch.setattr(_migrate, "known", lambda dialect: ())
        with Ledger.open(settings) as ledger, ledger._writing() as connection:
            for step in known(connection.database.dialect)[:number]:
                for statement in connection.database.statements(step.sql):
                    connection.run(statement)
            for name, table in tables.items():
                marks = ", ".join("?" * len(table["columns"]))
                for row in table["rows"]:
                    values = [base64.b64decode(one["b64"]) if isinstance(one, dict) else one for one in row]
                    connection.run(f"INSERT INTO {name} ({', '.join(table['columns'])}) VALUES ({marks})", values)
    return len(tables["mayfly_events"]["rows"])


def test_a_store_of_migration_5_with_runs_and_tools_gets_its_tables_of_money_and_verifies(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = thaw(settings, 5, monkeypatch)
    with Ledger.open(settings) as ledger:
        later = len(known("sqlite")) - 5
        assert ledger.count() == events + later
        assert [one.intent for one in ledger.runs() if one.status == "resolved"] == ["upper case"]
        assert [one.tool.name for one in ToolList(ledger).all()] == ["double"]
        assert ledger.verify().broken == ""
        payment_at(ledger, "delivered")
        assert [row.state for row in PaymentList(ledger).each()] == ["delivered"]
        assert ledger.verify().broken == ""
    with Ledger.open(settings) as again:
        assert again.verify().broken == ""


def test_a_store_of_migration_6_with_every_kind_of_row_verifies_and_goes_on(sqlite_settings: Settings) -> None:
    sqlite_settings.state.mkdir(mode=0o700)
    with closing(sqlite3.connect(sqlite_settings.state / "ledger.db")) as plain:
        plain.executescript((HERE / "0006.sql").read_text())
    head = "55:11c652f671c3206d978621755227d792ecf797744ee7e96065f6057976c1f680"
    with Ledger.open(sqlite_settings) as ledger:
        assert ledger.verify(head=head).broken == ""
        assert [(one.id, one.status) for one in ledger.runs()] == [
            ("r-3", "interrupted"),
            ("r-2", "resolved"),
            ("r-1", "collapsed"),
        ]
        assert [(one.tool.name, one.tool.state) for one in ToolList(ledger).all()] == [
            ("old", "retired"),
            ("roman", "serving"),
        ]
        assert {row.state for row in PaymentList(ledger).each()} == {*PAYMENT_STATES}
        assert {row.state for row in SaleList(ledger).each()} == {*SALE_STATES}
        row = next(PaymentList(ledger).each(["sent"]))
        assert PaymentList(ledger).move(row.id, step(ledger, "settled", row.turn)).turn == 3
        name_strategy(ledger, "momentum", note="is known already")
        assert ledger.verify(head=head).broken == ""
