"""`mayfly market pnl`: what was earned and spent, out of the ledger, and the agent's own tables filled with it."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, note, table
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.operations import ProfitAndLoss, ProfitRow
    from mayfly.store.schema import FilledTables

_HEAD = ("NETWORK", "ASSET", "REVENUE", "COST", "PROFIT", "AT RISK", "RESERVED", "GAS", "SOLD", "BOUGHT")
# Enough of an address to tell tokens apart at a glance; --json has all of it.
_ADDRESS = 10


def pnl(
    *,
    by: Annotated[
        str, typer.Option(help="One row for each of these.", metavar="tool|strategy|host|day|total")
    ] = "total",
    as_json: AsJson = False,
) -> None:
    """Show revenue, cost, what is at risk and gas, exactly; and fill the tables an agent made for them."""
    from mayfly.operations import ProfitAndLoss, payments_to_look_at
    from mayfly.operations import pnl as add_up
    from mayfly.store import SUMS_BY, Ledger

    wanted = next((one for one in SUMS_BY if one == by), None)
    if wanted is None:
        raise InputError(f"--by {one_line(by, limit=60)}: it is one of {', '.join(SUMS_BY)}")
    settings = Settings.load()
    ledger = Ledger.find(settings)
    if ledger is None:
        _show(ProfitAndLoss(by=wanted), None, [], as_json=as_json)
        return
    from mayfly.store.schema import fill_agent_tables

    with ledger:
        found = add_up(ledger, by=wanted)
        filled = fill_agent_tables(ledger, settings)
        odd = payments_to_look_at(ledger, now=time.time())
    _show(found, filled, odd, as_json=as_json)


def _show(found: "ProfitAndLoss", filled: "FilledTables | None", odd: list[dict[str, Any]], *, as_json: bool) -> None:
    problems = filled.problems if filled is not None else ()
    if as_json:
        answer_json({**found.to_json(), "problems": list(problems), "look_at": odd})
        return
    for said in problems:
        note(f"mayfly: {one_line(said, limit=300)}")
    if not found.totals:
        note(f"nothing was bought or sold yet: {command()} market buy URL, or {command()} market sell TOOL")
        return
    for line in table(pnl_rows(found)):
        answer(line)
    for one in odd:
        note(f"look at   {payment_line(one)}")


def payment_line(one: dict[str, Any]) -> str:
    """Say in one line how a payment stands that somebody has to look at."""
    state = "disputed" if one["state"] == "disputed" else "at risk"
    said = f"{one['id']}: {one['shown']} to {one['host']} is {state}, {one['reason'] or 'and nobody says why'}"
    return f"{one_line(said, limit=300)}; {command()} log --id payment:{one['id']}"


def pnl_rows(found: "ProfitAndLoss") -> list[tuple[str, ...]]:
    """Return the rows of the table, with its head and the totals."""
    return [(found.by.upper(), *_HEAD), *(_cells(row, row.key or "-") for row in (*found.rows, *found.totals))]


def short_asset(asset: str) -> str:
    """Return enough of an address to tell tokens apart at a glance."""
    return asset if len(asset) <= _ADDRESS else f"{asset[:_ADDRESS]}…"


def _cells(row: "ProfitRow", key: str) -> tuple[str, ...]:
    amounts = row.shown()
    shown = (amounts[name] for name in ("revenue", "cost", "profit", "at_risk", "reserved"))
    return (
        one_line(key, limit=60),
        row.network,
        short_asset(row.asset),
        *shown,
        str(row.gas),
        str(row.sold),
        str(row.bought),
    )
