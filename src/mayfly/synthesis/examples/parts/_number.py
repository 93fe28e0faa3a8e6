"""Exact decimal numbers: a pair of units and places means units divided by ten to the power of places."""

import re


def read_number(text: str) -> tuple[int, int]:
    """Read a number exactly, with a sign, marks between thousands and an exponent; anything else is an error."""
    match = re.fullmatch(r"([-+]?)([\d,]*)\.?(\d*)(?:[eE]([-+]?\d{1,3}))?", text.strip())
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"{text!r} is not a number")
    places = len(match[3]) - int(match[4] or 0)
    units = int(match[1] + (match[2] + match[3]).replace(",", ""))
    return (units, places) if places >= 0 else (units * 10**-places, 0)


def number_in(text: str, index: int) -> tuple[int, int]:
    """Return one of the numbers in the text; a hyphen after a letter or a digit is no sign."""
    found = re.findall(r"(?:(?<![\w.])-)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?", text)
    if not -len(found) <= index < len(found):
        raise ValueError(f"{text!r} has no number {index}")
    return read_number(found[index])


def whole(number: int) -> tuple[int, int]:
    """Take a whole number as an exact one."""
    return number, 0


def shifted(number: tuple[int, int], power: int) -> tuple[int, int]:
    """Multiply by a power of ten."""
    places = number[1] - power
    return (number[0], places) if places >= 0 else (number[0] * 10**-places, 0)


def times(number: tuple[int, int], units: int, places: int) -> tuple[int, int]:
    """Multiply by a constant."""
    return number[0] * units, number[1] + places


def plus(number: tuple[int, int], units: int, places: int) -> tuple[int, int]:
    """Add a constant."""
    common = max(number[1], places)
    return number[0] * 10 ** (common - number[1]) + units * 10 ** (common - places), common


def total(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Add two numbers."""
    return plus(left, right[0], right[1])


def difference(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Subtract the second number from the first."""
    return plus(left, -right[0], right[1])


def product(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Multiply two numbers."""
    return left[0] * right[0], left[1] + right[1]


def round_down(number: tuple[int, int], step: int, places: int) -> tuple[int, int]:
    """Round down to a multiple of the step."""
    common = max(number[1], places)
    size = step * 10 ** (common - places)
    units = number[0] * 10 ** (common - number[1])
    return units // size * size, common


def round_up(number: tuple[int, int], step: int, places: int) -> tuple[int, int]:
    """Round up to a multiple of the step."""
    units, common = round_down((-number[0], number[1]), step, places)
    return -units, common


def cut_off(number: tuple[int, int], step: int, places: int) -> tuple[int, int]:
    """Round towards zero to a multiple of the step."""
    return round_up(number, step, places) if number[0] < 0 else round_down(number, step, places)


def round_nearest(number: tuple[int, int], step: int, places: int) -> tuple[int, int]:
    """Round to the nearest multiple of the step; a half goes away from zero."""
    doubled = 2 * abs(number[0]), number[1]
    units, common = round_down(plus(doubled, step, places), 2 * step, places)
    half = units // 2
    return (-half if number[0] < 0 else half), common


def write_number(
    number: tuple[int, int], least: int, most: int, width: int = 0, mark: str = "", point: str = "."
) -> str:
    """Write a number with so many places at least and at most, and zeros in front up to the width."""
    units, places = number
    if places > most:
        units, places = round_nearest(number, 1, most)
        units, places = units // 10 ** (places - most), most
    digits = str(abs(units)).rjust(places + 1, "0")
    head, tail = digits[: len(digits) - places], digits[len(digits) - places :]
    tail = tail.rstrip("0").ljust(least, "0")
    head = grouped(head.zfill(width), mark)
    return ("-" if units < 0 else "") + head + (point + tail if tail else "")


def grouped(digits: str, mark: str) -> str:
    """Put the mark between groups of three digits."""
    return f"{int(digits):,}".replace(",", mark) if mark else digits


def whole_part(number: tuple[int, int]) -> str:
    """Write what stands before the decimal point."""
    return ("-" if number[0] < 0 else "") + str(abs(number[0]) // 10 ** number[1])


def places_part(number: tuple[int, int]) -> str:
    """Write what stands after the decimal point, without zeros at the end."""
    rest = abs(number[0]) % 10 ** number[1]
    return str(rest).rjust(number[1], "0").rstrip("0") if rest else ""


def as_count(number: tuple[int, int]) -> int:
    """Take a number that has to be whole as an int."""
    size: int = 10 ** number[1]
    if number[0] % size:
        raise ValueError("a whole number is needed")
    return number[0] // size


def is_below(number: tuple[int, int], units: int, places: int) -> bool:
    """Tell whether the number is smaller than a constant."""
    return plus(number, -units, places)[0] < 0
