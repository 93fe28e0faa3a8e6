"""Find keys and passwords that stand in a source."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from mayfly.core import find_key, is_secret_name
from mayfly.gates.stability import Scan, folded

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

Found = list[tuple[int, str]]


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
    for node in scan.of(ast.Constant):
        if isinstance(node.value, str) and id(node) not in told and _is_random(node.value):
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
