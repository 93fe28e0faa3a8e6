"""The HTTP API and the pages of `mayfly serve`: one application over one runtime.

The names below are loaded on first use: the framework takes a second to load, and only a server needs it.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.serve.web._app import make_app
    from mayfly.serve.web._passes import WebOptions
    from mayfly.serve.web._processes import VARIABLE as WEB_TOKEN
    from mayfly.serve.web._processes import serve_web

__all__ = ["WEB_TOKEN", "WebOptions", "make_app", "serve_web"]

__getattr__ = lazily(
    __name__,
    {"_app": "make_app", "_processes": "VARIABLE=WEB_TOKEN serve_web", "_passes": "WebOptions"},
)
