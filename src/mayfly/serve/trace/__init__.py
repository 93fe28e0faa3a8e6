"""A run as one file that can be mailed: tree, timeline, reasons, programs beside their tests; no server, no secrets."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.serve.trace._page import trace_page

__all__ = ["trace_page"]

__getattr__ = lazily(__name__, {"_page": "trace_page"})
