"""`mayfly wallet`: the key that pays, the process that has it, and money to try it with."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._frame import Shown, kept_ledger, shows
from mayfly.cli._output import command, group
from mayfly.core import InputError, MayflyError, Settings

if TYPE_CHECKING:
    from mayfly.market import Wallet

app = group("The key that pays, and the process that has it.")

PasswordFd = Annotated[
    int | None,
    typer.Option("--password-fd", help="Read the password from this descriptor instead of asking.", metavar="N"),
]


def password_of(wallet: "Wallet", descriptor: int | None) -> str:
    """Return the password of a wallet: from a descriptor, from the keyring of the system, or from the person."""
    from mayfly.market import password_from, password_in_keyring

    # Before anybody is asked: a wallet that cannot be read is said as that.
    address = wallet.address
    if descriptor is not None:
        return password_from(descriptor)
    found = password_in_keyring(address)
    return found if found is not None else _asked("password of the wallet: ")


def _asked(prompt: str) -> str:
    import getpass

    if not sys.stdin.isatty():
        raise InputError("there is nobody to ask for the password", fix="give it with --password-fd N")
    return getpass.getpass(prompt)


@app.command()
@shows
def init(
    *,
    password_fd: PasswordFd = None,
    keyring: Annotated[bool, typer.Option(help="Give the password to the keyring of the system as well.")] = False,
) -> Shown:
    """Make a key and keep it encrypted in wallet/ in the state directory; one that is there is never overwritten.

    Nobody can make the key again: keep a copy of keystore.json, and the password, where you keep such things.
    """
    from mayfly.market import Wallet, keep_in_keyring, password_from

    wallet = Wallet(Settings.load())
    wallet.check_absent()
    if password_fd is not None:
        password = password_from(password_fd)
    else:
        password = _asked("password of the new wallet: ")
        if _asked("the same again: ") != password:
            raise InputError("the two passwords are not the same")
    address = wallet.create(password)
    if keyring:
        keep_in_keyring(address, password)
    hint = f"keep a copy of {wallet.path}; next: {command()} wallet open"
    return Shown({"address": address, "keystore": str(wallet.path)}, address, hint)


@app.command()
@shows
def show() -> Shown:
    """Say the address of the wallet, what it has, and whether it is open."""
    from mayfly.core import units_text, with_checksums
    from mayfly.market import BrokerClient, ChainReader, Wallet, read_address

    settings = Settings.load()
    market, wallet = settings.market, Wallet(settings)
    told: dict[str, Any] = {"address": wallet.address, "open": BrokerClient(settings).is_open, "units": None}
    told |= {"network": market.network, "asset": with_checksums(market.asset), "decimals": market.asset_decimals}
    why = "" if market.rpc_url and market.asset else "market.rpc_url and market.asset are not set"
    if not why:
        try:
            reader = ChainReader(market.rpc_url, confirmations=market.confirmations, timeout=market.rpc_timeout)
            told["units"] = str(reader.balance(read_address(market.asset, "market.asset"), wallet.address))
        except MayflyError as error:
            why = error.message
    told |= _open_money(settings)
    has = why if told["units"] is None else units_text(int(told["units"]), market.asset_decimals)
    lines = [
        f"address  {told['address']}",
        f"has      {has}",
        f"broker   {'open' if told['open'] else 'closed: ' + command() + ' wallet open'}",
    ]
    if told["at_risk"] or told["disputed"]:
        lines.append(
            f"open     {told['at_risk']} payments at risk, {told['disputed']} disputed: {command()} market pnl"
        )
    return Shown({**told, "reason": why}, lines)


def _open_money(settings: Settings) -> dict[str, int]:
    """Count payments that may have been charged, and those that were without an answer."""
    from mayfly.store import money_sums

    with kept_ledger(settings) as ledger:
        sums = [one for one in money_sums(ledger) if one.side == "payment"] if ledger is not None else []
    states = {"at_risk": ("sent", "unknown"), "disputed": ("disputed",)}
    return {name: sum(one.rows for one in sums if one.state in found) for name, found in states.items()}


@app.command(name="open")
@shows
def open_wallet(*, password_fd: PasswordFd = None) -> Shown:
    """Start the broker, the process that has the key and buys for agents, and leave it running."""
    from mayfly.market import Wallet, check_settings, open_broker

    settings = Settings.load()
    check_settings(settings)
    started = open_broker(settings, password_of(Wallet(settings), password_fd), lasting=True)
    return Shown(
        {"address": started.address, "pid": started.pid},
        f"{started.address} is open, in process {started.pid}; {command()} wallet close ends it",
    )


@app.command(name="close")
@shows
def close_wallet() -> Shown:
    """End the broker; what it was paying is looked after when it is opened again."""
    from mayfly.market import close_broker

    pid = close_broker(Settings.load())
    return Shown({"pid": pid}, f"closed process {pid}")


@app.command(name="fund-test")
@shows
def fund_wallet(
    amount: Annotated[str, typer.Argument(help="How many whole coins.", metavar="AMOUNT")] = "10",
) -> Shown:
    """Give the wallet money to try things with, on a chain of this machine and on no other."""
    from mayfly.core import units_text
    from mayfly.market import Wallet, fund_test, price_units

    settings = Settings.load()
    decimals = settings.market.asset_decimals
    has = fund_test(settings, Wallet(settings).address, price_units(amount, decimals))
    return Shown({"units": str(has), "decimals": decimals}, f"it has {units_text(has, decimals)} now")
