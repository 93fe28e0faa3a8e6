"""How much an action would spend, in whole cents and rounded up; an amount that cannot be told is left out."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from mayfly.core import Money
from mayfly.mangle import LARGEST_NUMBER
from mayfly.policy.kernel.facts._payload import ATOMIC, CENTS, CURRENCY, DOLLARS, TIMES

# How many dollars each of them is.
_CENT: Final = Decimal("0.01")
_MICRO: Final = Decimal("0.000001")
_DOLLAR_NAMES: Final = frozenset({"", "usd", "usdc", "$", "dollar", "dollars", "us$"})
_TEXT: Final = re.compile(
    r"(?:US)?\$\s*(\d[\d,]*(?:\.\d+)?|\.\d+)|\b(\d[\d,]*(?:\.\d+)?)\s*(USDC?|dollars?|cents?|¢)(?!\w)", re.IGNORECASE
)
_PLAIN: Final = re.compile(r"\s*\+?(-?\d[\d,]*(?:\.\d+)?|\.\d+)\s*")


def amounts(value: object, texts: tuple[str, ...], *, bare: str = "") -> tuple[int, ...]:
    """Return every amount that a payload (as read from JSON, or None) or a text names, in cents.

    A number and nothing else, as *bare* may be, is one of dollars.
    """
    found = [*_in_json(value), *(cents for text in texts for cents in _in_text(text[:10_000]))]
    number = _decimal(bare)
    if number is not None:
        found.append(_cents(number))
    return tuple(dict.fromkeys(found))[:32]


def _in_json(value: object, depth: int = 0) -> Iterator[int]:
    if depth > 16:
        return
    if isinstance(value, Mapping):
        yield from _in_object(value)
        for item in value.values():
            yield from _in_json(item, depth + 1)
    elif isinstance(value, list):
        for item in value[:256]:
            yield from _in_json(item, depth + 1)


def _in_object(value: Mapping[object, object]) -> Iterator[int]:
    entries = {re.sub(r"[\s-]", "_", str(key)).lower(): item for key, item in value.items()}
    unit = next((str(entries[name]).strip().lower() for name in CURRENCY if isinstance(entries.get(name), str)), "")
    times = max([Decimal(1), *(number for name in TIMES if (number := _decimal(entries.get(name))) is not None)])
    for name, item in entries.items():
        factor = _factor(name, unit)
        number = _decimal(item)
        if factor is not None and number is not None:
            yield _cents(number * factor * times)


def _factor(name: str, unit: str) -> Decimal | None:
    """Return how many dollars one is of what *name* counts; None where it counts no money."""
    if name in CENTS or (name in DOLLARS and unit in ("cent", "cents", "¢")):
        return _CENT
    if name in ATOMIC:
        return _MICRO
    return Decimal(1) if name in DOLLARS and unit in _DOLLAR_NAMES else None


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    found = _PLAIN.fullmatch(value.replace("$", "")) if isinstance(value, str) and len(value) < 100 else None
    if isinstance(value, str) and found is None:
        return None
    try:
        number = Decimal(found[1].replace(",", "") if found else str(value))
    except (InvalidOperation, ValueError):
        return None
    if not number.is_finite():
        return None
    # Nobody spends less than nothing, or this much: such a number must be over every limit.
    return number if number >= 0 and number.adjusted() < 40 else Decimal(LARGEST_NUMBER)


def _in_text(text: str) -> Iterator[int]:
    for found in _TEXT.finditer(text):
        digits, unit = found[1] or found[2], (found[3] or "").lower()
        if len(digits) < 40:
            number = Decimal(digits.replace(",", ""))
            yield _cents(number * _CENT if unit.startswith(("cent", "¢")) else number)


def _cents(dollars: Decimal) -> int:
    return min(Money.of(dollars).cents, LARGEST_NUMBER)
