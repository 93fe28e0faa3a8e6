"""How much of a text is recorded."""

from mayfly.core import clipped, without_secrets


def shortened(text: str, length: int = 200) -> str:
    """Return the beginning of *text* without its secrets."""
    # A secret may begin within the length and end beyond it, so more is looked at than is kept.
    return clipped(without_secrets(text[: 4 * length]), length)
