"""The HTTP API and the pages of `mayfly serve`: one application over one runtime.

The names below are loaded on first use: the framework takes a second to load, and only a server needs it.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.serve.web._app import make_app as make_app
    from mayfly.serve.web._passes import WebOptions as WebOptions
    from mayfly.serve.web._processes import WEB_TOKEN as WEB_TOKEN
    from mayfly.serve.web._processes import serve_web as serve_web

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
