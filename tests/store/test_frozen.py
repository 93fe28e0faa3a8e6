"""A store as an older version left it, with runs and tools in it, is brought up to date and verifies.

`frozen/0005.json` has every row of a store of migration 5, written by the version of that time: a run of an agent, and
a tool that was made and called.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Settings
from mayfly.store import Ledger, PaymentList, ToolList, _migrate
from mayfly.store._migrate import known
from store.money import payment_at

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
        assert [row.state for row in PaymentList(ledger).payments()] == ["delivered"]
        assert ledger.verify().broken == ""
    with Ledger.open(settings) as again:
        assert again.verify().broken == ""
