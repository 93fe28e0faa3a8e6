"""Find out what values are: their type from how they are written, their meaning from their name and their look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from keyword import iskeyword
from unicodedata import normalize

from mayfly.language.question import level_values, name_words, role_of_name
from mayfly.synthesis.records import _times
from mayfly.synthesis.records._model import Field, Kind
from mayfly.synthesis.records._numbers import convention_of

ABSENT = ("", "-", "null", "NULL", "None", "N/A", "n/a", "NaN")
INTEGER = r"-?[0-9]{1,18}"
NUMBER = r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?"
MOST_VALUES = 60
METHODS = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "TRACE"})
_INTEGER, _NUMBER = re.compile(INTEGER), re.compile(NUMBER)
_PADDED = re.compile(r"-?0[0-9]")
_ADDRESS = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:%\w+)?")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_LOOKS = (
    ("ip", _ADDRESS),
    ("id", _UUID),
    ("url", re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"|;,>\])}]+")),
    ("path", re.compile(r"/[^\s\"|;>\])}]*")),
    ("email", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
)
_BOOLS = ({"true", "false"}, {"yes", "no"})
_UNITS = {"ms": "ms", "s": "s", "sec": "s", "secs": "s", "seconds": "s", "millis": "ms", "milliseconds": "ms"}
_UNITS |= {
    "us": "us",
    "b": "B",
    "bytes": "B",
    "byte": "B",
    "kb": "KB",
    "mb": "MB",
    "gb": "GB",
    "kib": "KB",
    "mib": "MB",
}


def kind_of(texts: Sequence[str]) -> tuple[Kind, str]:
    """Return the type all of *texts* have, and for moments their layout."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return "text", ""
    if {text.lower() for text in distinct} <= _BOOLS[0]:
        return "bool", ""
    if all(_NUMBER.fullmatch(text) and not _PADDED.match(text) for text in distinct):
        return ("int" if all(_INTEGER.fullmatch(text) for text in distinct) else "float"), ""
    layout = _times.guess(distinct[:400])
    return ("time", layout) if layout else ("text", "")


def describe(
    name: str, texts: Sequence[str], *, path: tuple[str, ...] = (), unit: str = "", missing: bool = False
) -> Field:
    """Describe a field by the texts seen in it; what stands for nothing makes it optional."""
    present = [text for text in texts if text not in ABSENT]
    kind, layout = kind_of(present)
    optional = missing or len(present) < len(texts)
    distinct = tuple(dict.fromkeys(present))
    few = len(distinct) <= MOST_VALUES and (len(distinct) < len(present) or len(distinct) < 8)
    role = role_of(name, kind, present)
    unit = unit or unit_of(name)
    if role == "timestamp" and kind in ("int", "float"):
        kind, layout = epoch(present, kind)
    return Field(
        name=name,
        kind=kind,
        role=role,
        optional=optional,
        path=path,
        layout=layout,
        unit=unit,
        values=distinct if few and kind in ("text", "bool", "int") else (),
    )


def describe_cell(name: str, texts: Sequence[str], *, path: tuple[str, ...], missing: bool = False) -> Field:
    """Describe a column of cells; numbers are read by the one convention that the column shows."""
    present = [text for text in texts if text not in ABSENT]
    convention = convention_of(present) if present else None
    if isinstance(convention, str):
        return replace(describe(name, texts, path=path, missing=True), kind="text", trouble=convention, optional=True)
    if convention is None:
        return replace(describe(name, texts, path=path, missing=missing), optional=True)
    unit = _UNITS.get(convention.suffix.strip().lower(), "") or unit_of(name)
    if convention.scales:
        unit = "B" if "K" in dict(convention.scales) or "M" in dict(convention.scales) else "s"
    kind: Kind = "int" if convention.whole and not convention.scales else "float"
    distinct = tuple(dict.fromkeys(present))
    few = len(distinct) <= MOST_VALUES and (len(distinct) < len(present) or len(distinct) < 8)
    layout = ""
    role = role_of(name, kind, present)
    if role == "timestamp" and not convention.suffix and not convention.thousands:
        kind, layout = epoch([text for text in present if _NUMBER.fullmatch(text)], kind)
    return Field(
        name=name,
        kind=kind,
        role=role or ("amount" if convention.prefix else ""),
        optional=True,
        path=path,
        layout=layout,
        unit=unit,
        prefix=convention.prefix,
        suffix=convention.suffix,
        thousands=convention.thousands,
        decimal=convention.decimal,
        scales=convention.scales,
        values=distinct if few and kind == "int" else (),
    )


def epoch(texts: Sequence[str], kind: Kind) -> tuple[Kind, str]:
    """Tell seconds since 1970 from thousandths of them, and both from other numbers."""
    numbers = [float(text) for text in texts]
    if all(8e8 < number < 4e9 for number in numbers):
        return "epoch", "seconds"
    if all(8e11 < number < 4e12 for number in numbers):
        return "epoch", "milliseconds"
    return kind, ""


def unit_of(name: str) -> str:
    """Return the unit a name ends in, as in took_ms."""
    words = name_words(name)
    return _UNITS.get(words[-1], "") if len(words) > 1 or name.lower() in ("ms", "bytes") else ""


def role_of(name: str, kind: Kind, texts: Sequence[str]) -> str:
    """Return what a field is about; its name decides, then the look of its values."""
    named = role_of_name(name)
    if named:
        return "ip" if named in ("host", "source") and looks(texts) == "ip" else named
    if kind == "time":
        return "timestamp"
    return looks(texts) if kind == "text" else ""


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
    """Make a name for Python from any header, changing as little as possible, and none twice."""
    name = re.sub(r"\W+", "_", normalize("NFKC", text)).strip("_") or "field"
    name = name if f"a{name}".isidentifier() else re.sub(r"[^0-9A-Za-z_]+", "_", name).strip("_") or "field"
    name = f"field_{name}" if name[0].isdigit() else name
    name = f"{name}_" if iskeyword(name) else name
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    return unique
