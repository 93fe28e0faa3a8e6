"""How much of a text is recorded."""

from collections.abc import Callable

from mayfly.core import clipped, without_secrets

# A secret may begin within what is kept and end beyond it, so more is looked at: a private key has 3,000 characters.
_LOOKED_AT = 20_000


def shortened(text: str, hide: Callable[[str], str] = without_secrets, length: int = 200) -> str:
    """Return the beginning of *text* without its secrets."""
    return clipped(hide(text[:_LOOKED_AT]), length)
