"""The settings of what faces the outside: MCP, pages and HTTP API, telemetry."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core._sections import MIB, setting


@dataclass(frozen=True, kw_only=True)
class TelemetrySettings:
    """Where spans go, if anywhere; the standard variables OTEL_* hold for what is not said here."""

    exporter: str = setting("off", "where spans are sent", owner="runtime", choices=("off", "otlp", "console"))
    endpoint: str = setting("", "URL of the collector; empty: as OTEL_EXPORTER_OTLP_* say", owner="runtime")
    service: str = setting("mayfly", "service.name of the spans unless OTEL_SERVICE_NAME says it", owner="runtime")
    content: str = setting(
        "off", "whether spans hold what was asked and answered", owner="runtime", choices=("off", "on")
    )
    timeout: float = setting(5.0, "seconds to wait for the collector", owner="runtime", minimum=0.1)


@dataclass(frozen=True, kw_only=True)
class McpSettings:
    """How the library is served over MCP, and what whoever is at the other end may do."""

    host: str = setting("127.0.0.1", "address of `mayfly mcp --http`; a token is needed for any other", owner="serve")
    port: int = setting(
        8464, "port of `mayfly mcp --http`; 0 takes a free one", owner="serve", minimum=0, maximum=65535
    )
    hosts: str = setting(
        "", "names under which clients reach it besides its address, separated by commas", owner="serve"
    )
    token_file: str = setting("", "file with the token of `mayfly mcp --http`, or MAYFLY_MCP_TOKEN", owner="serve")
    listed: int = setting(
        100, "tools of the library listed as tools of their own; the rest is found", owner="serve", minimum=0
    )
    page: int = setting(50, "tools in one page of the list", owner="serve", minimum=1)
    body: int = setting(32 * MIB, "bytes of one message from a client", owner="serve", minimum=1024)
    calls: int = setting(32, "calls at once; more wait their turn", owner="serve", minimum=1)
    sessions: int = setting(256, "clients with a session over HTTP at once", owner="serve", minimum=1)
    idle: float = setting(1800.0, "seconds after which a session without a request is ended", owner="serve", minimum=1)
    draft: float = setting(24.0, "hours for which a tool that is made in steps is kept", owner="serve", minimum=0)
    sampling: str = setting(
        "on", "whether the client's own model is asked where it offers that", owner="serve", choices=("on", "off")
    )
    approve: str = setting(
        "off", "whether a client may approve and settle what waits for a person", owner="serve", choices=("off", "on")
    )


@dataclass(frozen=True, kw_only=True)
class WebSettings:
    """How `mayfly serve` serves the API and the pages, and how much it takes in."""

    host: str = setting("127.0.0.1", "address of `mayfly serve`; a token is needed for any other", owner="serve")
    port: int = setting(8465, "port of `mayfly serve`; 0 takes a free one", owner="serve", minimum=0, maximum=65535)
    workers: int = setting(1, "processes that answer requests", owner="serve", minimum=1, maximum=64)
    hosts: str = setting("", "names under which browsers reach it, separated by commas", owner="serve")
    token_file: str = setting("", "file with the token of `mayfly serve`, or MAYFLY_WEB_TOKEN", owner="serve")
    body: int = setting(16 * MIB, "bytes of one request without a file", owner="serve", minimum=1024)
    upload: int = setting(1024 * MIB, "bytes of one request with a file", owner="serve", minimum=1024)
    calls: int = setting(16, "runs and calls at once in one process", owner="serve", minimum=1)
    waiting: int = setting(512, "runs and calls that wait their turn; more are sent away", owner="serve", minimum=0)
    rate: float = setting(500.0, "requests a second from one address, after a burst", owner="serve", minimum=1)
    streams: int = setting(128, "streams of events at once in one process", owner="serve", minimum=1)
    uploads: float = setting(7.0, "days for which files of unfinished runs are kept", owner="serve", minimum=0)
