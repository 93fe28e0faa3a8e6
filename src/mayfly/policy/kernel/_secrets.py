"""What looks like a secret, so that it never reaches the ledger."""

import re
from typing import Final

HIDDEN: Final = "‹secret›"
_PATTERNS: Final = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\b(?:sk|pk|rk)[-_](?:live|test|ant|proj|or)?[-_]?[A-Za-z0-9_-]{16,}",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}",
    r"\bxox[abposr]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[0-9A-Za-z_-]{20,}",
    r"\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"\b0x[0-9a-fA-F]{64}\b",
    r"(?i:\b(?:bearer|basic|token)\s+)[A-Za-z0-9+/=._~-]{16,}",
    r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)",
    r"(?i:(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key)[\w.-]{0,20}"
    r"[\"']?\s*[:=]\s*)[\"']?[^\s\"',;&}]{4,}",
)
_SECRET: Final = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.DOTALL)


def holds_secret(text: str) -> bool:
    """Tell whether something in *text* looks like a key, a token or a password."""
    return _SECRET.search(text) is not None


def without_secrets(text: str) -> str:
    """Return *text* with everything that looks like a secret left out."""
    return _SECRET.sub(HIDDEN, text)


def shortened(text: str, length: int = 200) -> str:
    """Return the beginning of *text* without its secrets."""
    text = without_secrets(text[: 4 * length])
    return text if len(text) <= length else text[: length - 1] + "…"
