"""Which parts of an entry are secret: of a variable, a setting, or a file of secrets.

Under a name that says so it is all but ordinary words; under any other it is what looks random, and of an address only
its password. So `DEBUG=true`, `APP_NAME=my-application` and `BASE_URL=http://localhost:8000` hide nothing of a source.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urlsplit

from mayfly.core._secrets import is_secret_variable

_SHORTEST = 12
# Words alone, even several joined by signs, are a secret from here on: four words of a passphrase.
_SHORTEST_WORDS = 20
_WORDS = re.compile(r"[^\W\d_]+(?:[ ._-][^\W\d_]+)*")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_PATH = re.compile(r"(?:[.~]{0,2}/|[A-Za-z]:\\)[\w./\\ ~-]*")
# `host=db password='a b'`, as drivers of databases take it.
_PASSWORD_IN = re.compile(
    r"""(?i)\b(?:password|passwd|pwd|secret|accountkey)\s*=\s*(?:'([^']+)'|"([^"]+)"|([^\s;,&'"]+))"""
)
_NOT_RANDOM = re.compile(
    r"""(?x)
    \d{4}-\d\d-\d\d[\sT\d:.,Z+-]*              # a date, perhaps with a time
    | [vV]?\d+(?:\.\d+)+[\w.+-]*               # a version, or an address in numbers
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+             # an address for mail
    | (?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?       # a host
    | [0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}   # an id of a tenant or an account
    | 0x[0-9a-fA-F]{40}                        # an account or a token of a chain: its key has 64 digits
    """
)
_CHARACTERS = re.compile(r"[A-Za-z0-9+/=_.~!@#$%^&*()-]+")
# Letters and digits in turns: names of things have a number at their end, or one in the middle.
_FEWEST_TURNS = 4
# Of signs at random two of three are of another kind than the one before; of a name in one word one of three.
_TURNS_OF_RANDOM = 0.45
# `v2`, `x86`: too short to tell.
_LONGEST_SHORT_NAME = 5
_ENTRY = re.compile(r"""\s*(?:export\s+|set\s+|-\s+)?["']?([\w./:@-]*?\w)["']?\s*(?:=|:\s)\s*(.+?)\s*,?\s*""")
_NETRC = re.compile(r"\b(?:password|account)\s+(\S+)")
_PGPASS = re.compile(r"(?:[^:\s]+:){2}[^:\s]*:[^:\s]*:(\S+)")
# Lines of private keys have 64 signs or more but for the last one.
_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
# Values of one file; a state of terraform has thousands of names and numbers that are none.
_MOST = 500


def secret_parts(text: str, *, named: bool) -> Iterator[str]:
    """Yield the parts of a value that are secret; *named* tells whether its name says that it is one."""
    text = text.strip()
    if len(text) < _SHORTEST:
        return
    if _ADDRESS.fullmatch(text):
        yield from _of_address(text)
        return
    yield from (part for found in _PASSWORD_IN.findall(text) for part in found if is_no_word(part))
    if (named and is_no_word(text) and not _is_path(text)) or (not named and is_random(text)):
        yield text


def is_no_word(text: str) -> bool:
    """Tell whether *text* is long enough for a secret and no ordinary word, nor a few."""
    return len(text) >= (_SHORTEST_WORDS if _WORDS.fullmatch(text) else _SHORTEST)


def is_random(text: str) -> bool:
    """Tell whether *text* looks made at random, and like no name, path, host, date or version."""
    if len(text) < _SHORTEST or not _CHARACTERS.fullmatch(text) or _NOT_RANDOM.fullmatch(text):
        return False
    return _is_mixed(text) and not _is_path(text)


def _is_mixed(text: str) -> bool:
    """Tell whether letters and digits take turns as they do in no word."""
    kinds = [_kind(sign) for sign in text]
    if not {"digit"} & set(kinds) or not {"upper", "lower"} & set(kinds):
        return False
    pairs = [pair for pair in pairwise(kinds) if "sign" not in pair]
    turns = sum(one != other for one, other in pairs)
    numbers = sum((one == "digit") != (other == "digit") for one, other in pairs)
    return numbers >= _FEWEST_TURNS or turns >= _TURNS_OF_RANDOM * len(text)


def _kind(sign: str) -> str:
    if sign.isdigit():
        return "digit"
    return "sign" if not sign.isalpha() else "upper" if sign.isupper() else "lower"


def _is_path(text: str) -> bool:
    """Tell whether *text* is a path, none of whose names looks made at random."""
    names = [name for name in re.split(r"[/\\]", text) if len(name) > _LONGEST_SHORT_NAME]
    return _PATH.fullmatch(text) is not None and not any(map(_is_mixed, names))


def _of_address(text: str) -> Iterator[str]:
    try:
        parts = urlsplit(text)
        password, user = parts.password or "", parts.username or ""
    except ValueError:
        return
    if is_no_word(password):
        yield from dict.fromkeys((password, unquote(password)))
    # A token may stand for the user, in the path or in the query.
    found = [user, *parts.path.split("/"), *(value for _, value in parse_qsl(parts.query))]
    yield from (part for part in found if is_random(part))


def secret_values(text: str, path: str) -> dict[str, str]:
    """Return the secret values in a file of secrets, each with what it is."""
    entries = _entries(text, path.rpartition("/")[2].lower())
    found: dict[str, str] = {}
    for name, value in entries:
        if len(found) >= _MOST:
            break
        label = f"{name} from {path}" if name else f"a value from {path}"
        for part in secret_parts(value, named=bool(name) and is_secret_variable(name)):
            found.setdefault(part, label)
    return found


def _entries(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield names and values: of JSON and TOML exactly, of all else line by line."""
    try:
        if text.lstrip()[:1] in ("{", "["):
            yield from _leaves(json.loads(text), "")
            return
        if name.endswith(".toml"):
            yield from _leaves(tomllib.loads(text), "")
            return
    except (ValueError, RecursionError):
        pass  # read as lines, like any other
    for line in text.splitlines():
        yield from _of_line(line.strip())


def _leaves(data: object, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(data, Mapping):
        for key, item in data.items():
            yield from _leaves(item, str(key))
    elif isinstance(data, list):
        for item in data:
            yield from _leaves(item, name)
    elif isinstance(data, str):
        # A key of an account may be in it, with its lines.
        yield name, data
        yield from ((name, line) for line in data.splitlines() if _KEY_LINE.fullmatch(line) and line != data)
    elif isinstance(data, int) and not isinstance(data, bool):
        yield name, str(data)


def _of_line(line: str) -> Iterator[tuple[str, str]]:
    if not line or (line.startswith(("#", ";", "//")) and "=" not in line):
        return
    if _KEY_LINE.fullmatch(line):
        yield "private key", line
        return
    entry = _ENTRY.fullmatch(line.lstrip("{[ "))
    if entry is not None:
        name, value = entry[1].rpartition(":")[2], entry[2]
        yield name, _unquoted(value)
        # An address, a list or a comment after it has its own words.
        if value[:1] not in "\"'" and " #" in value:
            yield name, value.partition(" #")[0].strip()
        return
    yield from (("password", found) for found in (*_NETRC.findall(line), *_PGPASS.findall(line)))
    yield from (("", word) for word in re.split(r"[\s\"',;]+", line))


def _unquoted(value: str) -> str:
    """Return a value as programs read it: without quotes, its line ends real."""
    for quote in "\"'`":
        if value[:1] == quote and value[1:].partition(quote)[1]:
            inner = value[1:].rpartition(quote)[0] if value.endswith(quote) else value[1:].partition(quote)[0]
            return inner.replace("\\n", "\n") if quote == '"' else inner
    return value
