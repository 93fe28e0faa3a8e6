"""Judge whether code respects privacy and safety: no secrets, no data nobody asked for, no way out of its own."""

from __future__ import annotations

import ast
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from mayfly.core import find_key, is_secret_name
from mayfly.gates.judge._signal import ETHICAL, Signal, signal
from mayfly.gates.stability import Scan, called_name, folded, import_table, modules_of

_WORD = re.compile(r"[a-z]+")
_SENDING = frozenset({"post", "send", "sendall", "sendto", "sendmail"})
# These send something only if they are given something to send.
_CARRYING = frozenset({"put", "patch", "request", "urlopen", "Request"})
_LOADS = frozenset({"data", "json", "body", "content", "files"})

Found = list[tuple[int, str]]


class Personal(NamedTuple):
    """How one kind of personal data is named, looked for and asked for."""

    name: str
    fields: frozenset[str]
    pattern: re.Pattern[str] | None
    asked: frozenset[str]


def ethics(text: str, intent: str, grants: tuple[str, ...], scan: Scan) -> Iterator[Signal]:
    """Yield what harms somebody; a secret and a message to outside are refused whatever else is said."""
    yield signal("secret", ETHICAL, secrets(text, scan), each=1.0, most=1.0, hard=True)
    yield signal("likely secret", ETHICAL, likely_secrets(scan), each=0.6, most=0.9)
    yield signal("personal data", ETHICAL, _personal(intent, scan), each=0.6, most=0.9)
    modules = _network(scan, {grant.partition(":")[0] for grant in grants})
    sends = _sending(scan) if modules else []
    yield signal("network", ETHICAL, modules, each=0.7, most=0.9)
    yield signal("exfiltration", ETHICAL, sends, each=1.0, most=1.0, hard=True)


def _sending(scan: Scan) -> Found:
    found: Found = []
    for call in scan.of(ast.Call):
        name = called_name(call)
        loaded = any(keyword.arg in _LOADS for keyword in call.keywords)
        if name in _SENDING or (name in _CARRYING and loaded):
            found.append((call.lineno, f"{name} sends data out without a grant"))
    return found


def _network(scan: Scan, kinds: set[str]) -> Found:
    """Find what reaches the network and is covered by no grant; the wallet is reached by what grant buy covers."""
    reaching, found = import_table().granted["net"], list[tuple[int, str]]()
    for kind in kinds & {"net", "buy"}:
        reaching -= import_table().granted[kind]
    for node in scan.imports:
        outside = [name for name in modules_of(node) if name.partition(".")[0] in reaching and name != "urllib.parse"]
        found += [(node.lineno, f"{name} reaches the network and no grant says so") for name in outside]
    return found


@cache
def _personal_data() -> tuple[frozenset[str], tuple[Personal, ...]]:
    found = tomllib.loads(Path(__file__).with_name("personal.toml").read_text(encoding="utf-8"))
    kinds = tuple(
        Personal(
            name,
            frozenset(part["fields"]),
            re.compile(part["pattern"]) if part["pattern"] else None,
            frozenset(part["asked"]),
        )
        for name, part in found["kinds"].items()
    )
    return frozenset(found["about"]["words"]), kinds


def _personal(intent: str, scan: Scan) -> Found:
    """Find personal data that is collected though the task, where it is known, speaks of nothing like it."""
    words = set(_WORD.findall(intent.lower()))
    about, known = _personal_data()
    kinds = [kind for kind in known if not kind.asked & words]
    if not words or not kinds or words & about:
        return []
    made = [(line, field.lower()) for line, field in _collected(scan)]
    found: Found = []
    for kind in kinds:
        lines = [line for line, field in made if field in kind.fields]
        lines += [node.lineno for text, node in scan.texts if kind.pattern and kind.pattern.search(text)]
        found += [(min(lines), f"it collects {kind.name} data, which the task does not ask for")] if lines else []
    return found


def _collected(scan: Scan) -> Iterator[tuple[int, str]]:
    """Yield the fields that the code puts together: keys of a dict, keywords of a call, fields of a class."""
    for node in scan.of(ast.Dict):
        texts = (key for key in node.keys if isinstance(key, ast.Constant))
        yield from ((key.lineno, key.value) for key in texts if isinstance(key.value, str))
    for kind in scan.of(ast.ClassDef):
        fields = (item for item in kind.body if isinstance(item, ast.AnnAssign))
        yield from ((item.lineno, item.target.id) for item in fields if isinstance(item.target, ast.Name))
    yield from ((keyword.value.lineno, keyword.arg) for keyword in scan.of(ast.keyword) if keyword.arg)


_KEYLIKE = re.compile(r"[A-Za-z0-9+/=_-]{32,}\Z")
_HEX = re.compile(r"[0-9a-fA-F]+\Z")
_NOT_A_PASSWORD = re.compile(r"[\s\\\[\](){}|^$]")
_LETTER_AND_DIGIT = re.compile(r"(?=.*[A-Za-z])(?=.*\d)")
_PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|change|your|placeholder|redacted|test|x{4}|\*{3}|\.{3}|<.*>|\{.*\}|%s"
)
_SHORTEST_PASSWORD = 8
_RANDOM_BITS = 4.3
# The keys that the issuers print in their own manuals end in this word.
_PUBLISHED = "EXAMPLE"


def secrets(text: str, scan: Scan) -> Found:
    """Find what has the form of a real key, in strings, in strings put together, and in comments."""
    told = {id(node) for node in _docstrings(scan)}
    found: dict[int, str] = {}
    for node in (*scan.of(ast.BinOp), *scan.of(ast.JoinedStr), *scan.of(ast.Constant)):
        key = find_key(folded(node) or "")
        if key and not (id(node) in told and key.text.endswith(_PUBLISHED)):
            found.setdefault(node.lineno, f"it contains what looks like a {key.issuer}")
    for number, line in enumerate(text.splitlines(), 1):
        key = find_key(line.partition("#")[2])
        if key:
            found.setdefault(number, f"it contains what looks like a {key.issuer}")
    return sorted(found.items())


def likely_secrets(scan: Scan) -> Found:
    """Find what may be a key: a password given a value, or a long text without any order in it."""
    found = dict(_passwords(scan))
    told = {id(node) for node in _docstrings(scan)}
    for text, node in scan.texts:
        if id(node) not in told and _is_random(text):
            found.setdefault(node.lineno, "it contains a long random text, which may be a key")
    return sorted(found.items())


def _passwords(scan: Scan) -> Iterator[tuple[int, str]]:
    for name, value in _named_values(scan):
        text = value.value if isinstance(value, ast.Constant) else None
        if not isinstance(text, str) or len(text) < _SHORTEST_PASSWORD or not is_secret_name(name):
            continue
        plain = _LETTER_AND_DIGIT.match(text) and not _NOT_A_PASSWORD.search(text)
        if plain and not _PLACEHOLDER.search(text):
            yield value.lineno, f"{name} has its value in the source"


def _named_values(scan: Scan) -> Iterator[tuple[str, ast.expr]]:
    for node in scan.of(ast.Assign):
        yield from ((_name(target), node.value) for target in node.targets)
    yield from ((_name(node.target), node.value) for node in scan.of(ast.AnnAssign) if node.value is not None)
    yield from ((node.arg, node.value) for node in scan.of(ast.keyword) if node.arg)
    for table in scan.of(ast.Dict):
        pairs = zip(table.keys, table.values, strict=True)
        yield from ((str(key.value), value) for key, value in pairs if isinstance(key, ast.Constant))


def _name(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")


def _docstrings(scan: Scan) -> Iterator[ast.Constant]:
    for node in scan.of(ast.Expr):
        if isinstance(node.value, ast.Constant):
            yield node.value


def _is_random(text: str) -> bool:
    """Whether *text* has the letters of a key and no order in them.

    An alphabet has order, words repeat letters, and hexadecimal digits are most often a checksum.
    """
    if not _KEYLIKE.match(text) or not _LETTER_AND_DIGIT.match(text) or _HEX.match(text) or _is_ordered(text):
        return False
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())
    return bits >= _RANDOM_BITS


def _is_ordered(text: str) -> bool:
    steps = sum(ord(second) - ord(first) in (0, 1, -1) for first, second in pairwise(text))
    return steps > len(text) / 3
