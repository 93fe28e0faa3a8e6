"""Judge whether code respects privacy and safety: no secrets, no data nobody asked for, no way out of its own."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mayfly.gates.judge._secrets import likely_secrets, secrets
from mayfly.gates.judge._signal import ETHICAL, Signal, signal
from mayfly.gates.stability import Scan, import_table

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
    yield signal("likely secret", ETHICAL, likely_secrets(scan), each=0.6, most=0.9, confidence=0.6)
    yield signal("personal data", ETHICAL, _personal(intent, scan), each=0.6, most=0.9, confidence=0.6)
    modules = _network(scan, {grant.partition(":")[0] for grant in grants})
    sends = _sending(scan) if modules else []
    yield signal("network", ETHICAL, modules, each=0.7, most=0.9, confidence=0.9)
    yield signal("exfiltration", ETHICAL, sends, each=1.0, most=1.0, confidence=0.9, hard=True)


def _sending(scan: Scan) -> Found:
    found: Found = []
    for call in scan.of(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
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
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        outside = [name for name in modules if name.partition(".")[0] in reaching and name != "urllib.parse"]
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
    texts = [node for node in scan.of(ast.Constant) if isinstance(node.value, str)]
    found: Found = []
    for kind in kinds:
        lines = [line for line, field in made if field in kind.fields]
        lines += [node.lineno for node in texts if kind.pattern and kind.pattern.search(str(node.value))]
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
