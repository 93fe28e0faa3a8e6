"""Faces for other programs: the library, runs and rules over MCP.

The names below are loaded on first use: the SDK takes a second to load, and only a server needs it.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.serve._clients import CLIENTS, client_config
    from mayfly.serve._server import McpServer
    from mayfly.serve._shop_mcp import shop_with_mcp
    from mayfly.serve._socket import VARIABLE as MCP_TOKEN
    from mayfly.serve._socket import check_token_needed, read_token, serve_shop
    from mayfly.serve._stdio import HttpOptions, serve_http, serve_stdio

__all__ = [
    "CLIENTS",
    "MCP_TOKEN",
    "HttpOptions",
    "McpServer",
    "check_token_needed",
    "client_config",
    "read_token",
    "serve_http",
    "serve_shop",
    "serve_stdio",
    "shop_with_mcp",
]

__getattr__ = lazily(
    __name__,
    {
        "_clients": "CLIENTS client_config",
        "_server": "McpServer",
        "_shop_mcp": "shop_with_mcp",
        "_stdio": "HttpOptions serve_http serve_stdio",
        "_socket": "VARIABLE=MCP_TOKEN check_token_needed read_token serve_shop",
    },
)
