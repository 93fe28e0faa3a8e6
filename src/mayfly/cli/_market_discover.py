"""`mayfly market discover`: what a seller has, and for how much."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, foreign, note, table
from mayfly.core import Settings, one_line, units_text, with_checksums

if TYPE_CHECKING:
    from mayfly.core import MarketSettings
    from mayfly.market import Terms


def discover(
    url: Annotated[str, typer.Argument(help="A seller, a list of resources, or one priced address.", metavar="URL")],
    *,
    as_json: AsJson = False,
) -> None:
    """List what is for sale at an address: prices, schemas, and how it is paid. Nothing is paid."""
    from mayfly.market import discover as look

    settings = Settings.load()
    found = look(url, seconds=settings.market.timeout)
    if as_json:
        answer_json({"resources": [one.to_json() for one in found.resources], "problems": list(found.problems)})
        return
    for said in found.problems:
        note(f"mayfly: {foreign(one_line(said, limit=300), sys.stderr)}")
    if not found.resources:
        note("nothing in the list can be bought")
        return
    rows = [("NAME", "PRICE", "NETWORK", "HOW", "URL", "WHAT IT IS")]
    for one in found.resources:
        way = next((terms for terms in one.terms if _is_ours(terms, settings.market)), one.terms[0])
        rows.append((one.name, _price(way, settings.market), way.network, one.method, one.url, one.description))
    for line in table(rows):
        answer(foreign(line, sys.stdout))
    note(f"to buy one: {command()} market buy URL --input JSON (sellers have to be named in market.hosts)")


def _is_ours(terms: "Terms", market: "MarketSettings") -> bool:
    return (terms.network, terms.asset) == (market.network, with_checksums(market.asset))


def _price(terms: "Terms", market: "MarketSettings") -> str:
    """Return the price in coins where the token is ours, otherwise in units: nobody says what they are worth."""
    if _is_ours(terms, market):
        return units_text(terms.units, market.asset_decimals)
    return f"{terms.units} of {terms.asset[:10]}…"
