"""The settings of what faces the outside: MCP, pages and HTTP API, the market, telemetry."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core._sections import MIB, setting


@dataclass(frozen=True, kw_only=True)
class TelemetrySettings:
    """Where spans go, if anywhere; the standard variables OTEL_* hold for what is not said here."""

    exporter: str = setting("off", "where spans are sent", choices=("off", "otlp", "console"))
    endpoint: str = setting("", "URL of the collector; empty: as OTEL_EXPORTER_OTLP_* say")
    service: str = setting("mayfly", "service.name of the spans unless OTEL_SERVICE_NAME says it")
    content: str = setting("off", "whether spans hold what was asked and answered", choices=("off", "on"))
    timeout: float = setting(5.0, "seconds to wait for the collector", minimum=0.1)


@dataclass(frozen=True, kw_only=True)
class McpSettings:
    """How the library is served over MCP, and what whoever is at the other end may do."""

    host: str = setting("127.0.0.1", "address of `mayfly mcp --http`; a token is needed for any other")
    port: int = setting(8464, "port of `mayfly mcp --http`; 0 takes a free one", minimum=0, maximum=65535)
    hosts: str = setting("", "names under which clients reach it besides its address, separated by commas")
    token_file: str = setting("", "file with the token of `mayfly mcp --http`, or MAYFLY_MCP_TOKEN")
    listed: int = setting(100, "tools of the library listed as tools of their own; the rest is found", minimum=0)
    page: int = setting(50, "tools in one page of the list", minimum=1)
    body: int = setting(32 * MIB, "bytes of one message from a client", minimum=1024)
    calls: int = setting(32, "calls at once; more wait their turn", minimum=1)
    sessions: int = setting(256, "clients with a session over HTTP at once", minimum=1)
    idle: float = setting(1800.0, "seconds after which a session without a request is ended", minimum=1)
    draft: float = setting(24.0, "hours for which a tool that is made in steps is kept", minimum=0)
    sampling: str = setting("on", "whether the client's own model is asked where it offers that", choices=("on", "off"))
    approve: str = setting(
        "off", "whether a client may approve and settle what waits for a person", choices=("off", "on")
    )


@dataclass(frozen=True, kw_only=True)
class WebSettings:
    """How `mayfly serve` serves the API and the pages, and how much it takes in."""

    host: str = setting("127.0.0.1", "address of `mayfly serve`; a token is needed for any other")
    port: int = setting(8465, "port of `mayfly serve`; 0 takes a free one", minimum=0, maximum=65535)
    workers: int = setting(1, "processes that answer requests", minimum=1, maximum=64)
    hosts: str = setting("", "names under which browsers reach it, separated by commas")
    token_file: str = setting("", "file with the token of `mayfly serve`, or MAYFLY_WEB_TOKEN")
    body: int = setting(16 * MIB, "bytes of one request without a file", minimum=1024)
    upload: int = setting(1024 * MIB, "bytes of one request with a file", minimum=1024)
    calls: int = setting(16, "runs and calls at once in one process", minimum=1)
    waiting: int = setting(512, "runs and calls that wait their turn; more are sent away", minimum=0)
    rate: float = setting(500.0, "requests a second from one address, after a burst", minimum=1)
    streams: int = setting(128, "streams of events at once in one process", minimum=1)
    uploads: float = setting(7.0, "days for which files of unfinished runs are kept", minimum=0)


@dataclass(frozen=True, kw_only=True)
class MarketSettings:
    """On which chain money is, who may be paid with it, and how much; amounts are dollars, written exactly."""

    rpc_url: str = setting("", "JSON-RPC of a node of the chain, which says what was paid")
    network: str = setting("", "the chain, as eip155:8453; nothing else is paid on")
    asset: str = setting("", "address of the token that is paid with; no other is")
    # Six is what USDC has on every chain.
    asset_decimals: int = setting(6, "decimals of the token", minimum=0, maximum=18)
    facilitator_url: str = setting("", "where a seller has payments verified and settled")
    # Twelve blocks: what exchanges wait for on Ethereum; a chain on this machine needs none.
    confirmations: int = setting(12, "blocks above one until it is evidence", minimum=0)
    hosts: str = setting("", "sellers that may be paid, separated by commas; empty: none")
    shops: str = setting("", "addresses of shops that names are looked up in; empty: https://HOST for market.hosts")
    payees: str = setting("", "addresses that may be paid, separated by commas; empty: any")
    per_call: str = setting("0.10", "dollars for one purchase")
    per_hour: str = setting("1.00", "dollars in sixty minutes, whoever buys")
    per_agent: str = setting("1.00", "dollars that one agent may pay in all")
    # Ten minutes: an authorization that is at large for longer is money nobody can plan with.
    longest_validity: int = setting(600, "seconds an authorization is valid at most", minimum=1)
    # A facilitator wants a few seconds left when it settles; less than this and the money is only at risk.
    shortest_validity: int = setting(10, "seconds a seller has to give at least", minimum=1)
    timeout: float = setting(60.0, "seconds for one request to a seller", minimum=0.1)
    rpc_timeout: float = setting(10.0, "seconds for one question to the node", minimum=0.1)
    answer_size: int = setting(4 * MIB, "bytes of a seller's answer", minimum=1)
    body_size: int = setting(1 * MIB, "bytes of what is sent to a seller", minimum=0)
    tries: int = setting(3, "times one purchase sends the same payment", minimum=1)
    try_delay: float = setting(0.5, "seconds before it is sent again; twice as long each time", minimum=0)
    takeover: float = setting(5.0, "seconds a purchase waits for another of the same id", minimum=0)
    reconcile: float = setting(30.0, "seconds between looks at payments that are open", minimum=0.1)
    payee: str = setting("", "address that sales are paid to; empty: the wallet's")
    relay_key_file: str = setting(
        "", "file with the key that settles sales and pays for gas, where no facilitator is named"
    )
    # As the token signs; both are read off the token where they are not said.
    asset_name: str = setting("", "name of the token in what is signed; empty: as it says itself")
    asset_version: str = setting("", "version of the token in what is signed; empty: likewise")
    sell_host: str = setting("127.0.0.1", "address of `mayfly market sell`")
    sell_port: int = setting(8466, "port of `mayfly market sell`", minimum=0, maximum=65535)
    sell_url: str = setting("", "address under which buyers know the shop; empty: as they ask for it")
    # Five minutes: what x402 clients sign for by default, and longer than any tool may take.
    offer_seconds: int = setting(300, "seconds a payment for a sale may take", minimum=10)
    # Twice as long as a tool may take: who is silent for longer is taken for dead, and another one answers.
    lease: float = setting(120.0, "seconds a sale belongs to whoever works on it", minimum=1)
    settle_wait: float = setting(30.0, "seconds a sale waits for the chain to show it", minimum=0)
    strategy: str = setting("", "strategy that runs and payments are counted for")
