"""A run as one file that can be mailed: tree, timeline, reasons, programs beside their tests; no server, no secrets."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.serve.trace._page import trace_page as trace_page

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
