"""Lists, records and plain numbers."""

import math


def int_of(value: object) -> int:
    """Take a whole number as it is; anything else is an error."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"a whole number is needed, not {value!r}")


def float_of(value: object) -> float:
    """Take a number as it is; anything else is an error."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise ValueError(f"a number is needed, not {value!r}")


def texts_of(value: object) -> list[str]:
    """Take a list of texts as it is; anything else is an error."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise ValueError(f"a list of texts is needed, not {value!r}")


def ints_of(value: object) -> list[int]:
    """Take a list of whole numbers as it is; anything else is an error."""
    if isinstance(value, list):
        return [int_of(item) for item in value]
    raise ValueError(f"a list of whole numbers is needed, not {value!r}")


def floats_of(value: object) -> list[float]:
    """Take a list of numbers as it is; anything else is an error."""
    if isinstance(value, list):
        return [float_of(item) for item in value]
    raise ValueError(f"a list of numbers is needed, not {value!r}")


def records_of(value: object) -> list[dict[str, object]]:
    """Take a list of records as it is; anything else is an error."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise ValueError(f"a list of records is needed, not {value!r}")


def real(number: tuple[int, int]) -> float:
    """Take an exact number as a float."""
    size: int = 10 ** number[1]
    return number[0] / size


def unique_texts(items: list[str]) -> list[str]:
    """Leave out what came before."""
    return list(dict.fromkeys(items))


def unique_ints(items: list[int]) -> list[int]:
    """Leave out what came before."""
    return list(dict.fromkeys(items))


def mean(items: list[int] | list[float]) -> float:
    """Return the arithmetic mean; an empty list is an error."""
    if not items:
        raise ValueError("the mean of nothing is not known")
    return sum(items) / len(items)


def median(items: list[int] | list[float]) -> float:
    """Return the middle value, or the mean of the two middle ones; an empty list is an error."""
    if not items:
        raise ValueError("the median of nothing is not known")
    ordered = sorted(items)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def counts(items: list[str]) -> dict[str, int]:
    """Count how often each text occurs, in the order of first occurrence."""
    found: dict[str, int] = {}
    for item in items:
        found[item] = found.get(item, 0) + 1
    return found


def most_common(items: list[str]) -> str:
    """Return the text that occurs most often, the first of them if there are several."""
    if not items:
        raise ValueError("an empty list has no most common text")
    return max(unique_texts(items), key=items.count)


def totals(names: list[str], amounts: list[int] | list[float]) -> dict[str, float]:
    """Add up the amounts that belong to the same name."""
    found: dict[str, float] = {}
    for name, amount in zip(names, amounts, strict=True):
        found[name] = found.get(name, 0) + amount
    return found


def sorted_by(records: list[dict[str, object]], key: str) -> list[dict[str, object]]:
    """Sort records by one of their fields, numbers by size and texts by letters."""
    numeric = all(isinstance(record[key], (int, float)) for record in records)
    if numeric:
        return sorted(records, key=lambda record: float_of(record[key]))
    return sorted(records, key=lambda record: str(record[key]))


def half_up(number: float, places: int) -> float:
    """Round to so many places; a half goes up."""
    factor: int = 10**places
    return math.floor(number * factor + 0.5) / factor


def flat_ints(items: list[list[int]]) -> list[int]:
    """Put the elements of all inner lists into one list."""
    return [inner for item in items for inner in item]


def flat_texts(items: list[list[str]]) -> list[str]:
    """Put the elements of all inner lists into one list."""
    return [inner for item in items for inner in item]


def longest(items: list[str]) -> str:
    """Return the longest text, the first of them if there are several; an empty list is an error."""
    if not items:
        raise ValueError("an empty list has no longest text")
    return max(items, key=len)


def shortest(items: list[str]) -> str:
    """Return the shortest text, the first of them if there are several; an empty list is an error."""
    if not items:
        raise ValueError("an empty list has no shortest text")
    return min(items, key=len)
