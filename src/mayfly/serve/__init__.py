"""Faces for other programs: the library, runs and rules over MCP.

The names below are loaded on first use: the SDK takes a second to load, and only a server needs it.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.serve._clients import CLIENTS as CLIENTS
    from mayfly.serve._clients import client_config as client_config
    from mayfly.serve._server import McpServer as McpServer
    from mayfly.serve._shop_mcp import shop_with_mcp as shop_with_mcp
    from mayfly.serve._socket import MCP_TOKEN as MCP_TOKEN
    from mayfly.serve._socket import check_token_needed as check_token_needed
    from mayfly.serve._socket import read_token as read_token
    from mayfly.serve._socket import serve_shop as serve_shop
    from mayfly.serve._stdio import HttpOptions as HttpOptions
    from mayfly.serve._stdio import serve_http as serve_http
    from mayfly.serve._stdio import serve_stdio as serve_stdio

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
