"""Find out what values are: their type from how they are written, their meaning from their name and their look."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple
from unicodedata import normalize

from mayfly.language.question import level_values, name_words, role_of_name
from mayfly.synthesis.records import _times
from mayfly.synthesis.records._model import Field, Kind, Numeral
from mayfly.synthesis.records._numbers import CLOCKED, CURRENCIES, NOTHING, SIZES, Convention, convention_of, is_reason

# What stands for nothing in any column.
ABSENT = ("", "-", "null", "NULL", "None", "N/A", "n/a", "NaN", "--", "–", "—", "?")
MOST_VALUES = 60
# A moment says so much that a column is about moments even if most of its cells say that there is none.
SOME_MOMENTS = 0.2
METHODS = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "TRACE"})
_ADDRESS = re.compile(
    r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]{1,5})?"
    r"|(?!(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$)[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:%\w+)?"
)
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_CODE = re.compile(r"[A-Za-z]{1,6}[-_#]?[0-9]{2,}|[0-9A-Fa-f]{12,}")
_LOOKS = (
    ("ip", _ADDRESS),
    ("id", _UUID),
    ("url", re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"|;,>\])}]+")),
    ("path", re.compile(r"/[^\s\"|;>\])}]*")),
    ("email", _EMAIL),
)
_UNITS = {"ms": "ms", "s": "s", "sec": "s", "secs": "s", "seconds": "s", "millis": "ms", "milliseconds": "ms"}
_UNITS |= {"us": "us", "b": "B", "bytes": "B", "byte": "B", "kb": "KB", "mb": "MB", "gb": "GB", "kib": "KB"}
_UNITS |= {"mib": "MB", "minutes": "min", "mins": "min", "hours": "h", "hrs": "h", "days": "d", "kg": "kg", "km": "km"}
# What can only be measured: a column of texts is about none of it, whatever it is called.
_MEASURED = frozenset(
    ["size", "duration", "amount", "quantity", "age", "weight", "distance", "temperature", "height", "width", "depth"]
)


class Habits(NamedTuple):
    """How a file writes what a single column leaves open."""

    # A comma parts thousands, and does not begin a fraction.
    english: bool = False
    # The day comes before the month, or behind it; None where nothing tells.
    day_first: bool | None = None
    # An m behind a number is a minute.
    spans: bool = False


def kind_of(texts: Sequence[str]) -> Kind:
    """Return the type that all of *texts* have as they stand, without signs and units around them."""
    convention = convention_of(texts)
    if convention and not convention.trouble and not convention.absent:
        plain = convention.numeral._replace(thousands="", decimal=".", whole=False) == Numeral()
        return ("int" if convention.numeral.whole else "float") if plain else "text"
    return _kind_of_words([text for text in texts if text.lower() not in NOTHING], Habits(day_first=True))[0]


def describe(
    name: str,
    texts: Sequence[str],
    *,
    path: tuple[str, ...] = (),
    unit: str = "",
    missing: bool = False,
    habits: Habits | None = None,
) -> Field:
    """Describe a field by the texts seen in it; numbers and moments are read by the one way in which it writes them."""
    present = [text for text in texts if text not in ABSENT]
    habits = habits or Habits()
    spoken = re.sub(r"\s*[\[(][^\])]*[\])]", "", path[-1] if path else name) or name
    named = role_of_name(spoken)
    convention = convention_of(present, span=habits.spans or named in ("duration", "age"), english=habits.english)
    optional = missing or len(present) < len(texts)
    if convention is not None and not convention.trouble:
        return _number(name, spoken, present, convention, path, unit, optional or bool(convention.absent))
    nothing = _no_moment(present)
    moments = [text for text in present if text not in nothing]
    kind, layout, trouble = _kind_of_words(moments, habits)
    if kind != "time" or len(moments) < len(present) * SOME_MOMENTS:
        nothing, (kind, layout, trouble) = (), _kind_of_words(present, habits)
    role = role_of(spoken, kind, present)
    trouble = trouble or (convention.trouble if convention else "")
    return Field(
        name=name,
        kind=kind,
        role=role if not trouble else named,
        optional=optional or bool(nothing),
        path=path,
        layout=layout,
        unit=unit or unit_of(".".join(path) or name),
        values=_few(present) if kind in ("text", "bool") else (),
        absent=nothing,
        trouble=trouble,
    )


def words_for_nothing(one: Field) -> tuple[str, ...]:
    """Return the words that stand for nothing in a column."""
    known = {sign for sign, _ in one.meanings}
    return tuple(word for word in (*(one.nothing or ABSENT), *one.absent) if word not in known)


def in_lines(one: Field, texts: Sequence[str]) -> Field:
    """Return a field of a log: a text there is missing where a dash stands or nothing, and where words seen say so."""
    if one.kind != "text":
        return one
    seen = set(texts)
    return replace(one, nothing=("", "-", *(word for word in ABSENT[2:] if word in seen)))


def describe_pairs(records: Sequence[Mapping[str, str]], *, partial: bool = False) -> list[Field]:
    """Describe what goes by keys in records; with *partial* those without a key are records of another sort."""
    seen: dict[str, list[str]] = {}
    for pairs in records:
        for key, text in pairs.items():
            seen.setdefault(key, []).append(text)
    fields: list[Field] = []
    for key, texts in seen.items():
        missing = len(texts) < len(records)
        name = identifier(key, [one.name for one in fields])
        fields.append(replace(describe(name, texts, path=(key,), missing=missing), partial=partial and missing))
    return fields


def _no_moment(present: Sequence[str]) -> tuple[str, ...]:
    """Return the words that would stand for nothing among moments: those that do so everywhere, and one of its own."""
    counts = Counter(text for text in present if not re.search("[0-9]", text))
    nothing = tuple(text for text in counts if text.lower() in NOTHING)
    others = [text for text in counts if text not in nothing]
    return (*nothing, *others) if is_reason(others, counts) else nothing


def _few(present: Sequence[str]) -> tuple[str, ...]:
    """Return the different texts where these are few."""
    distinct = tuple(dict.fromkeys(present))
    few = len(distinct) <= MOST_VALUES and (len(distinct) < len(present) or len(distinct) < 8)
    return distinct if few else ()


def _number(
    name: str,
    spoken: str,
    present: Sequence[str],
    convention: Convention,
    path: tuple[str, ...],
    unit: str,
    optional: bool,
) -> Field:
    numeral = convention.numeral
    kind: Kind = "int" if numeral.whole and not numeral.scales else "float"
    role = role_of(spoken, kind, present)
    layout = ""
    if role == "timestamp":
        kind, layout = epoch(present, kind) if numeral.bare and not convention.absent else (kind, "")
        role = role if layout else "duration" if numeral.scales or name_words(spoken)[-1] == "time" else ""
    shown = unit or _unit_of_numbers(numeral) or unit_of(".".join(path) or name)
    money = bool(numeral.prefix) or bool(re.fullmatch(CURRENCIES, shown))
    return Field(
        name=name,
        kind=kind,
        role=role or ("amount" if money else "duration" if numeral.scales == CLOCKED else ""),
        optional=optional,
        path=path,
        layout=layout,
        unit=shown,
        numeral=numeral,
        absent=convention.absent,
        values=_few(present) if kind == "int" else (),
    )


def _unit_of_numbers(numeral: Numeral) -> str:
    if numeral.scales:
        sizes = any(factor > 1 and factor in SIZES.values() for _, factor in numeral.scales)
        return "B" if sizes else "s"
    return _UNITS.get(numeral.suffix.lower(), numeral.suffix) or numeral.prefix


def _kind_of_words(present: Sequence[str], habits: Habits) -> tuple[Kind, str, str]:
    """Return whether these are truths, moments or just texts, how moments are written, and what is wrong with them."""
    distinct = list(dict.fromkeys(present))
    if distinct and {text.lower() for text in distinct} <= {"true", "false"}:
        return "bool", "", ""
    found = _times.guess(distinct)
    if not found.layout:
        return "text", "", ""
    if not found.trouble:
        return "time", found.layout, ""
    if habits.day_first is None:
        return "text", "", found.trouble
    first = "%D/%N" in found.layout
    return "time", found.layout if first == habits.day_first else _times.swapped(found.layout), ""


def habits_of(fields: Sequence[Field], *, english: bool) -> Habits:
    """Return what the columns that tell say about those that do not."""
    marked = [one.numeral for one in fields if one.numeric and not one.numeral.whole and not one.numeral.scales]
    dates = [one.layout for one in fields if one.kind == "time" and "/" in one.layout and "%N" in one.layout]
    first = {"%D/%N" in layout for layout in dates}
    points = all(one.decimal == "." for one in marked) and (english or bool(marked))
    return Habits(english=points, day_first=first.pop() if len(first) == 1 else None)


def epoch(texts: Sequence[str], kind: Kind) -> tuple[Kind, str]:
    """Tell seconds since 1970 from thousandths of them, and both from other numbers."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return kind, ""
    if numbers and all(8e8 < number < 4e9 for number in numbers):
        return "epoch", "seconds"
    if numbers and all(8e11 < number < 4e12 for number in numbers):
        return "epoch", "milliseconds"
    return kind, ""


def unit_of(name: str) -> str:
    """Return the unit a name ends in, as in took_ms, "weight kg" or "Rate (EUR)"."""
    bracketed = re.search(r"[\[(]([^\])]{1,8})[\])]\s*$", name)
    if bracketed:
        return _UNITS.get(bracketed[1].lower(), bracketed[1])
    words = name_words(name)
    if words[-1] == "%" and len(words) > 1:
        return "%"
    return _UNITS.get(words[-1], "") if len(words) > 1 or name.lower() in ("ms", "bytes", "km", "kg") else ""


def role_of(name: str, kind: Kind, texts: Sequence[str]) -> str:
    """Return what a field is about; its name decides where its values can be that, then the look of its values."""
    look = looks(texts) if kind == "text" else ""
    named = role_of_name(name)
    if named in ("ip", "host", "source", "user", "customer") and look == "ip":
        return "ip"
    if named and _can_be(named, kind, look):
        return named
    if kind == "time":
        return "timestamp"
    if named == "ip" and kind == "text" and name_words(name)[-1] in ("visitor", "peer"):
        return "user"
    if look:
        return look
    return "id" if kind in ("text", "int") and _numbered(kind, texts) else ""


def _can_be(role: str, kind: Kind, look: str) -> bool:
    """Say whether values of a kind and a look can be about what the name of their column tells."""
    if kind == "bool":
        return False
    if kind == "time":
        return role == "timestamp"
    if role == "timestamp":
        return kind != "text"
    if role in _MEASURED:
        return kind != "text"
    if role in ("ip", "email", "level", "path"):
        return look == role or (role == "path" and kind == "text") or (role == "level" and kind == "text")
    return True


def _numbered(kind: Kind, texts: Sequence[str]) -> bool:
    """Say whether somebody gave these numbers to things: each once, one after the other or with letters before."""
    if len(texts) < 5 or len(set(texts)) < len(texts):
        return False
    if kind == "text":
        return all(_CODE.fullmatch(text) for text in texts)
    numbers = [int(text) for text in texts if re.fullmatch("[0-9]{1,18}", text)]
    return len(numbers) == len(texts) and all(b - a == 1 for a, b in pairwise(numbers))


def looks(texts: Sequence[str]) -> str:
    """Return the role all of *texts* look like: an address, a path, a level."""
    distinct = list(dict.fromkeys(texts))[:400]
    if not distinct:
        return ""
    if set(distinct) <= METHODS:
        return "method"
    if {text.lower() for text in distinct} <= level_values():
        return "level"
    found = next((role for role, look in _LOOKS if all(look.fullmatch(text) for text in distinct)), "")
    return "path" if found == "url" else found


def identifier(text: str, taken: Sequence[str] = ()) -> str:
    """Make a name for a group of a pattern from any header, changing as little as possible, and none twice."""
    name = re.sub(r"\W+", "_", normalize("NFKC", text)).strip("_") or "field"
    name = name if f"a{name}".isidentifier() else re.sub(r"[^0-9A-Za-z_]+", "_", name).strip("_") or "field"
    name = f"field_{name}" if name[0].isdigit() else name
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    return unique
