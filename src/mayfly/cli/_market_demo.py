"""`mayfly market demo`: a shop, an agent that buys until its budget refuses, two crashes, and books that balance.

Everything is real and on this machine: the chain, the seller process, the broker that has the key, the sandbox with the
agent's own tool, and the ledger. One state directory keeps the books of both sides, so that one table shows them.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from mayfly.cli._frame import Shown, shows
from mayfly.cli._market_sell import pnl_rows, require_seller, short_asset
from mayfly.cli._output import command, note, table
from mayfly.cli._toy_market import EXAMPLE, HERE, TOOL, Instant, MarketCall, ToyBuyer, ToyShop, TrapNode
from mayfly.core import InputError, MachineError, MarketSettings, PolicySettings, Settings, units_text, with_checksums

if TYPE_CHECKING:
    from mayfly.operations import ProfitAndLoss, ProfitRow
    from mayfly.testing.chain import LocalChain

SOLD: Final = "roman"
PRICE: Final = "0.01"
# Five numerals; what the tool's own test buys is counted for the run in which the tool was made.
BUDGET: Final = "0.05"
# What the wallet begins with, in the token's smallest unit: a dollar, which is more than the agent may spend.
FUNDS: Final = 1_000_000
# What the agent asks for, its value, and when the shop is killed meanwhile. The sixth is one too many for the budget,
# and has none; the last was bought before: what is paid for is had again for nothing.
_PLAN: Final[tuple[tuple[str, int | None, Instant | None], ...]] = (
    ("MCMXC", 1990, None),
    ("XLII", 42, "before"),
    ("MMXXVI", 2026, "after"),
    ("CDXLIV", 444, None),
    ("LXXX", 80, None),
    ("DCCC", None, None),
    ("XLII", 42, None),
)
_INSTANTS: Final = {
    "before": "just before the payment is in the chain",
    "after": "just after the payment is in the chain",
}
# Seconds after which a sale of a killed shop is taken up again. Half of it is what the tool may take, which needs a
# tenth of a second here, and some more on a machine that has other things to do.
_LEASE: Final = 6.0
# Seconds until a sale that a killed shop left is given up on: several leases.
_PATIENCE: Final = 60.0
# The cost of the keystore's scrypt: the key is for a chain that is gone in a minute.
_WORK: Final = 2**12


@dataclass(kw_only=True)
class Scene:
    """Everything that is on the stage, and what happened on it so far."""

    settings: Settings
    chain: LocalChain
    node: TrapNode
    shop: ToyShop
    buyer: ToyBuyer
    wallet: str
    relay: str
    fuel: int
    steps: list[dict[str, object]] = field(default_factory=list)

    def tell(self, word: str, what: str, tried: MarketCall) -> None:
        """Say what happened, now and in the answer."""
        self.steps.append({"step": word, "what": what, "ok": tried.ok, "said": tried.said})
        note(f"{word:<9} {what}: {tried.said}")


@dataclass(frozen=True, kw_only=True)
class OnChain:
    """What the chain shows, in the token's smallest unit; gas is in wei."""

    revenue: int
    cost: int
    gas: int
    transfers: int


class Books(NamedTuple):
    """Profit and loss out of the ledger, what the chain shows, and every difference between the two."""

    pnl: ProfitAndLoss
    chain: OnChain
    differences: tuple[str, ...]


@shows
def demo(
    *,
    keep: Annotated[
        Path | None, typer.Option(help="Keep the state in this directory, new or empty.", metavar="DIR")
    ] = None,
) -> Shown:
    """Show buying and selling on a chain of this machine: a budget that holds, a shop that crashes, books that balance.

    An agent writes a paying tool and buys with it until its budget refuses. The shop is killed twice, before and after
    a payment got into the chain, and nothing is charged twice. The table at the end is held against the chain.
    """
    require_seller("market demo", "chain,serve")
    with _place(keep) as state, _stage(state) as scene:
        well = _play(scene)
        # Nothing moves any more once nobody sells.
        scene.shop.end()
        books = _books(scene)
    data = {
        "well": well,
        "agrees": not books.differences,
        "steps": scene.steps,
        "pnl": books.pnl.to_json(),
        "chain": asdict(books.chain),
        "differences": list(books.differences),
        "kept": None if keep is None else str(keep),
    }
    hints = []
    if keep is not None:
        hints.append(f"kept in {keep}: MAYFLY_STATE_DIR={keep} {command()} serve shows it on the page Market")
    if not well:
        hints.append("mayfly: a step did not end as it has to; see above")
    status = 1 if books.differences or not well else 0
    return Shown(data, _book_lines(books, scene.settings), "\n".join(hints), status)


# The stage.


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    """Yield the state directory: a new one that is removed afterwards, or the one to keep."""
    if keep is None:
        # A type checker that ends after everything else may still write into its cache there.
        with tempfile.TemporaryDirectory(prefix="mayfly-market-", ignore_cleanup_errors=True) as made:
            yield Path(made)
        return
    place = keep.expanduser().absolute()
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InputError(f"{keep} is there already and not empty", fix="--keep takes a new directory")
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    yield place


@contextmanager
def _stage(state: Path) -> Iterator[Scene]:
    """Put everything up, from the chain to the agent, and take it down again."""
    from mayfly.market import Wallet, fund_test, open_broker
    from mayfly.testing.chain import LocalChain, RpcServer, account

    place = state / "demo"
    with ExitStack() as stack:
        chain = LocalChain()
        node = TrapNode(chain)
        rpc = stack.enter_context(RpcServer(node.ask))
        place.mkdir(mode=0o700)
        payee, relay = account(1), account(2)
        chain.fund(relay.address)
        settings = _settings(state, chain, rpc.url, payee=payee.address, key=_keep_key(place, relay.key.hex()))
        note(f"chain     {chain.network} on this machine, with a dollar to pay with")
        _write_sold(settings)
        shop = ToyShop(settings, SOLD, PRICE, log=place / "shop.log")
        stack.callback(shop.end)
        note(f"shop      sells {SOLD} for {PRICE}, in process {shop.start()}")
        password = secrets.token_urlsafe(32)
        wallet = Wallet(settings).create(password, work=_WORK)
        fund_test(settings, wallet, FUNDS)
        broker = stack.enter_context(open_broker(settings, password))
        note(f"wallet    {wallet} has {_coins(settings, FUNDS)}; its key is in process {broker.pid} alone")
        note(f"budget    {BUDGET} for one agent, {PRICE} for one purchase")
        buyer = ToyBuyer(settings, place, shop.url, [one for one, _, _ in _script()])
        stack.enter_context(buyer.session)
        yield Scene(
            settings=settings,
            chain=chain,
            node=node,
            shop=shop,
            buyer=buyer,
            wallet=wallet,
            relay=relay.address,
            fuel=_ether(chain, relay.address),
        )


def _settings(state: Path, chain: LocalChain, rpc_url: str, *, payee: str, key: Path) -> Settings:
    """Return the settings of the demo: nothing of the person's but the wall, and nobody may be paid but the shop."""
    market = MarketSettings(
        rpc_url=rpc_url,
        network=chain.network,
        asset=chain.asset,
        confirmations=0,
        hosts="127.0.0.1",
        payees=payee,
        payee=payee,
        relay_key_file=str(key),
        per_call=PRICE,
        per_agent=BUDGET,
        lease=_LEASE,
        # As soon as a lease is over somebody looks; otherwise a look is one question to the store.
        reconcile=0.5,
        strategy="toy-shop",
    )
    # One cent at once without asking a person: the price.
    policy = PolicySettings(spend_limit=1)
    return Settings(state_dir=str(state), sandbox=Settings.load().sandbox, market=market, policy=policy)


def _keep_key(place: Path, key: str) -> Path:
    """Write the key that pays for gas where nobody else reads it."""
    file = place / "relay.key"
    file.touch(mode=0o600)
    file.write_text(key)
    return file


def _write_sold(settings: Settings) -> None:
    """Put what the shop sells into the library, through its gates like any other tool."""
    from mayfly.runtime import Runtime

    examples = [{"input": "IV", "output": 4}, {"input": "MCMXC", "output": 1990}]
    source = (HERE / f"{SOLD}.py").read_text(encoding="utf-8")
    with Runtime(settings) as runtime:
        if runtime.parts.sandbox.warm() == "none":
            raise MachineError("this machine gives no sandbox", fix="see: mayfly doctor")
        made = runtime.tools.write("convert a roman numeral", name=SOLD, source=source, examples=examples)
    if not made.accepted:
        raise MachineError(f"the library does not take {SOLD}: {made.reason}")


# What happens on it.


def _script() -> Iterator[tuple[str, int | None, Instant | None]]:
    """Yield what the agent asks for; where the shop is killed it asks again."""
    for numeral, value, crash in _PLAN:
        yield numeral, value, crash
        if crash is not None:
            yield numeral, value, None


def _play(scene: Scene) -> bool:
    """Let the agent write its tool and buy; whether everything went as it has to."""
    made = scene.buyer.write_tool()
    what = f"{TOOL}, by the agent, with the grant to buy and no other; its test buys {EXAMPLE[0]}"
    scene.tell("written" if made.ok else "failed", what, made)
    well = made.ok
    for numeral, value, crash in _script() if made.ok else ():
        if crash is not None:
            well &= _crash(scene, numeral, crash)
            continue
        tried = scene.buyer.buy(numeral)
        refused = not tried.ok and "market.per_agent" in tried.said
        what = f"{numeral} is over the agent's budget of {BUDGET}" if refused else numeral
        scene.tell("bought" if tried.ok else "refused" if refused else "failed", what, tried)
        well &= refused if value is None else tried == MarketCall(True, str(value))
    return well


def _crash(scene: Scene, numeral: str, instant: Instant) -> bool:
    """Kill the shop around the transaction of the next purchase, start it again, and let it clear up."""
    from mayfly.store import Ledger, SaleList
    from mayfly.testing import until

    scene.node.set_trap(instant, scene.shop.kill)
    tried = scene.buyer.buy(numeral)
    scene.tell("crash", f"while the agent buys {numeral}, kill -9 ends the shop {_INSTANTS[instant]}", tried)
    pid = scene.shop.start()
    with Ledger.open(scene.settings) as ledger:
        sales = SaleList(ledger)
        closed = until(lambda: not any(sales.each(("claimed", "answered", "settling"))), _PATIENCE)
    said = "the sale it left is settled, once" if closed else "the sale it left is still open"
    scene.tell("recovered" if closed else "failed", f"the shop, in process {pid}", MarketCall(closed, said))
    return scene.node.is_sprung and not tried.ok and closed


# What it comes to.


def _books(scene: Scene) -> Books:
    """Add up the ledger, read the chain, and hold one against the other."""
    from mayfly.market import ChainReader
    from mayfly.operations import pnl
    from mayfly.store import Ledger

    with Ledger.open(scene.settings) as ledger:
        found = pnl(ledger, by="tool")
    market = scene.settings.market
    reader = ChainReader(market.rpc_url, confirmations=0, timeout=market.rpc_timeout)
    moved = [(with_checksums(payer), with_checksums(payee)) for payer, payee, _ in scene.chain.transfers()]
    shown = OnChain(
        revenue=reader.balance(market.asset, market.payee),
        cost=FUNDS - reader.balance(market.asset, scene.wallet),
        gas=scene.fuel - _ether(scene.chain, scene.relay),
        transfers=len(moved),
    )
    differences = list(_differences(found.totals, shown))
    if any(one != (scene.wallet, market.payee) for one in moved):
        differences.append("the chain has a transfer between others than the agent and the shop")
    return Books(found, shown, tuple(differences))


def _differences(totals: Sequence[ProfitRow], shown: OnChain) -> Iterator[str]:
    """Yield every number in which the ledger and the chain are not the same."""
    if len(totals) != 1:
        yield f"the ledger has {len(totals)} assets, and the chain one"
        return
    total = totals[0]
    pairs = {
        "revenue": (total.revenue, shown.revenue),
        "cost": (total.cost, shown.cost),
        "gas": (total.gas, shown.gas),
        "purchases": (total.bought, shown.transfers),
        "sales": (total.sold, shown.transfers),
        "money at risk": (total.at_risk, 0),
        "money set aside": (total.reserved, 0),
    }
    for name, (ledger, chain) in pairs.items():
        if ledger != chain:
            yield f"{name}: the ledger has {ledger}, and the chain {chain}"


def _book_lines(books: Books, settings: Settings) -> list[str]:
    shown = books.chain
    coins = [_coins(settings, one) for one in (shown.revenue, shown.cost, shown.revenue - shown.cost, 0, 0)]
    market = settings.market
    on_chain = ("chain", market.network, short_asset(market.asset), *coins, str(shown.gas))
    lines = table([*pnl_rows(books.pnl), (*on_chain, str(shown.transfers), str(shown.transfers))])
    lines += [f"the chain does not agree: {one}" for one in books.differences]
    agrees = f"the chain agrees: {shown.transfers} transfers, each paid and delivered once"
    return lines if books.differences else [*lines, agrees]


def _coins(settings: Settings, units: int) -> str:
    return units_text(units, settings.market.asset_decimals)


def _ether(chain: LocalChain, address: str) -> int:
    return int(chain.ask("eth_getBalance", [address, "latest"])["result"])
