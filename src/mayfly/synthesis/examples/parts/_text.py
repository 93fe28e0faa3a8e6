"""Pieces of text: found by what they look like and by what stands around them."""

import re


def piece(text: str, pattern: str, index: int) -> str:
    """Return one match of the pattern, counted from the start or, if negative, from the end."""
    found = [match.group() for match in re.finditer(pattern, text)]
    if not -len(found) <= index < len(found):
        raise ValueError(f"no piece {index} of the expected kind in {text!r}")
    return found[index]


def start_of(text: str, pattern: str, index: int) -> int:
    """Return where one match of the pattern starts."""
    found = [match.start() for match in re.finditer(pattern, text)]
    if not -len(found) <= index < len(found):
        raise ValueError(f"no place {index} of the expected kind in {text!r}")
    return found[index]


def end_of(text: str, pattern: str, index: int) -> int:
    """Return where one match of the pattern ends."""
    found = [match.end() for match in re.finditer(pattern, text)]
    if not -len(found) <= index < len(found):
        raise ValueError(f"no place {index} of the expected kind in {text!r}")
    return found[index]


def between(text: str, start: int, end: int) -> str:
    """Return the text from one place to another; a negative place counts from the end."""
    first = start if start >= 0 else len(text) + start
    last = end if end >= 0 else len(text) + end
    if not 0 <= first <= last <= len(text):
        raise ValueError(f"{text!r} does not have the expected places")
    return text[first:last]


def field(text: str, separator: str, index: int) -> str:
    """Return one of the fields that the separator parts, without the blanks around it."""
    fields = text.split(separator)
    if len(fields) == 1 or not -len(fields) <= index < len(fields):
        raise ValueError(f"{text!r} has no field {index} between {separator!r}")
    return fields[index].strip()


def word(text: str, index: int) -> str:
    """Return one of the words that blanks part."""
    words = text.split()
    if not -len(words) <= index < len(words):
        raise ValueError(f"{text!r} has no word {index}")
    return words[index]


def enclosed(text: str, left: str, right: str, index: int) -> str:
    """Return what stands between two marks."""
    found = re.findall(re.escape(left) + "(.*?)" + re.escape(right), text, re.DOTALL)
    if not -len(found) <= index < len(found):
        raise ValueError(f"nothing stands between {left!r} and {right!r} in {text!r}")
    return str(found[index])


def only(text: str, pattern: str) -> str:
    """Keep only the characters that match the pattern."""
    return "".join(re.findall(pattern, text))


def single_spaced(text: str) -> str:
    """Remove blanks at both ends and reduce every other run of blanks to one."""
    return " ".join(text.split())


def sentence_case(text: str) -> str:
    """Make the first character upper case and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def camel_case(text: str) -> str:
    """Write the words as one, each but the first with a capital."""
    words = re.findall(r"[^\W_]+", text)
    return "".join([words[0].lower(), *[each.capitalize() for each in words[1:]]]) if words else ""


def pieces(text: str, pattern: str) -> list[str]:
    """Return every match of the pattern in order."""
    return [match.group() for match in re.finditer(pattern, text)]


def fields(text: str, separator: str) -> list[str]:
    """Return the fields that the separator parts, without blanks around them and without empty ones."""
    return [part.strip() for part in text.split(separator) if part.strip()]


def looked_up(table: dict[str, str], key: str) -> str:
    """Return what the table says of the key; a key it does not know is an error."""
    if key not in table:
        raise ValueError(f"{key!r} is none of the known values: {', '.join(table)}")
    return table[key]


def has(text: str, pattern: str) -> bool:
    """Tell whether the pattern is found anywhere in the text."""
    return re.search(pattern, text) is not None


def is_all(text: str, pattern: str) -> bool:
    """Tell whether the whole text fits the pattern."""
    return re.fullmatch(pattern, text) is not None


def ordinal(number: int) -> str:
    """Write a number with its English ending: 1st, 2nd, 3rd, 4th."""
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def roman(number: int) -> str:
    """Write a positive number in Roman numerals."""
    if not 0 < number < 4000:
        raise ValueError(f"{number} has no Roman numeral")
    text = ""
    for value, letters in ROMAN_LETTERS:
        text += letters * (number // value)
        number %= value
    return text


def from_roman(text: str) -> int:
    """Read a Roman numeral; anything that is not written in the usual way is an error."""
    values = {letters: value for value, letters in ROMAN_LETTERS}
    total = 0
    for found in re.findall("CM|CD|XC|XL|IX|IV|[MDCLXVI]", text.upper()):
        total += values[found]
    if not text or roman(total) != text.upper():
        raise ValueError(f"{text!r} is not a Roman numeral")
    return total


ROMAN_LETTERS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def part(value: object, *path: str | int) -> object:
    """Follow the keys and positions into a nested value; a missing one is an error."""
    for step in path:
        value = inside(value, step)
    return value


def inside(value: object, step: str | int) -> object:
    """Return what a record holds under a key or a list at a position."""
    if isinstance(value, dict) and step in value:
        found: object = value[step]
        return found
    if isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
        held: object = value[step]
        return held
    raise ValueError(f"the input has no {step!r}")


def text_of(value: object) -> str:
    """Take a text as it is and a number as it is written; anything else is an error."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise ValueError(f"a text is needed, not {value!r}")


def truth_of(value: object) -> bool:
    """Take true and false as they are; anything else is an error."""
    if isinstance(value, bool):
        return value
    raise ValueError(f"true or false is needed, not {value!r}")
