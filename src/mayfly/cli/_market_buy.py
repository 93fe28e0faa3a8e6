"""`mayfly market buy`: pay a seller for an answer, at most once for a call id."""

import base64
import secrets
import sys
from typing import TYPE_CHECKING, Annotated, Any

from mayfly.cli import _typer as typer
from mayfly.cli._output import AsJson, answer_json, command, foreign, note
from mayfly.cli._wallet import PasswordFd, password_of
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.market import BrokerProcess

# How a purchase stands, as an exit status: what was refused or lost is 1, what nobody knows yet waits for an answer.
_STATUS = {"delivered": 0, "free": 0, "unknown": 3, "settled": 3}


def buy(
    wanted: Annotated[str, typer.Argument(help="What is bought: a URL, or a name with --from.", metavar="NAME|URL")],
    *,
    seller: Annotated[str, typer.Option("--from", help="URL of the seller of NAME.", metavar="URL")] = "",
    max_price: Annotated[
        str, typer.Option(help="Whole coins it may cost; what market.per_call says where it is left out.", metavar="P")
    ] = "",
    body: Annotated[str, typer.Option("--input", help="JSON to send; - reads it from stdin.", metavar="JSON")] = "{}",
    method: Annotated[str, typer.Option(help="GET, POST, PUT, PATCH or DELETE.", metavar="METHOD")] = "POST",
    call_id: Annotated[
        str, typer.Option("--call", help="Id of the purchase: the same id is never paid twice.", metavar="ID")
    ] = "",
    agent: Annotated[str, typer.Option(help="For which agent it is counted.", metavar="NAME")] = "",
    strategy: Annotated[
        str | None, typer.Option(help="For which strategy it is counted; market.strategy otherwise.", metavar="NAME")
    ] = None,
    password_fd: PasswordFd = None,
    as_json: AsJson = False,
) -> None:
    """Buy an answer from a seller that market.hosts names, and print it.

    Where the wallet is not open, the password is asked for and it is open for this purchase only. When something goes
    wrong in between, the same command with the same --call goes on where it stopped.
    """
    from mayfly.market import BrokerClient, check_settings

    settings = Settings.load()
    check_settings(settings)
    url = _url(wanted, seller)
    sent = sys.stdin.buffer.read() if body == "-" else body.encode()
    call = call_id or f"cli-{secrets.token_hex(8)}"
    client = BrokerClient(settings)
    own = None if client.is_open else _opened(settings, password_fd)
    try:
        note(f"call      {call}")
        done = client.buy(
            call,
            url,
            max_price or settings.market.per_call,
            method=method.upper(),
            body=b"" if method.upper() == "GET" else sent,
            agent=agent,
            strategy=strategy,
        )
    finally:
        if own is not None:
            own.close()
    waits = _ask_person(settings, call, url, max_price or settings.market.per_call, done) if done["decision"] else ""
    _tell(call, done, waits, as_json=as_json)
    raise typer.Exit(3 if waits else _STATUS.get(str(done["status"]), 1))


def _ask_person(settings: Settings, call: str, url: str, price: str, done: dict[str, Any]) -> str:
    """Put what the rules leave to a person into the inbox."""
    from mayfly.runtime import ask_person
    from mayfly.sandbox import PurchaseRequest
    from mayfly.store import Ledger

    with Ledger.open(settings) as ledger:
        request = PurchaseRequest(op="buy", call_id=call, url=url, max_price=price)
        return ask_person(settings, ledger, request, str(done["decision"]), str(done["reason"]))


def _url(wanted: str, seller: str) -> str:
    if "://" in wanted:
        return wanted
    if not seller:
        raise InputError(f"{wanted} is no URL", fix=f"name its seller: {command()} market buy {wanted} --from URL")
    from urllib.parse import quote

    return f"{seller.rstrip('/')}/tools/{quote(wanted, safe='')}"


def _opened(settings: Settings, password_fd: int | None) -> "BrokerProcess":
    from mayfly.market import Wallet, open_broker

    return open_broker(settings, password_of(Wallet(settings), password_fd))


def _tell(call: str, done: dict[str, Any], waits: str, *, as_json: bool) -> None:
    if as_json:
        answer_json({"call": call, **done, "approval": waits})
        return
    paid, answered = done["payment"], done["answer"]
    if paid is not None:
        from mayfly.core import units_text

        price = units_text(int(paid["units"]), paid["decimals"])
        note(f"payment   {paid['id']}: {price} to {paid['payee']} {paid['transaction']}".rstrip())
    note(f"{done['status']:<9} {one_line(done['reason'], limit=500)}".rstrip())
    if answered is not None:
        text = base64.b64decode(answered["body"]).decode(errors="replace")
        sys.stdout.write(foreign(text, sys.stdout) + "\n")
    elif waits:
        note(f"to agree: {command()} approve {waits}; then the same again with --call {call}")
    elif done["status"] in ("unknown", "settled"):
        note(f"go on with it: {command()} market buy … --call {call}")
