"""The typed actions: what each type is about, which keys its payload may have, and what is wrong with another."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from mayfly.core import mismatch, shipped_table, shown

_WORDS: Final = "words"
# What is said of an unknown key: its name is somebody else's text.
_LONGEST_NAME: Final = 60


class ActionType(NamedTuple):
    """One type of actions: what its target is and the keys of its payload, each with its JSON schema."""

    name: str
    target: str
    keys: Mapping[str, Mapping[str, Any]]
    groups: tuple[str, ...]
    open: bool
    """Whether any other key is taken as well: the payload belongs to somebody who checks it."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the payload."""
        properties = {name: dict(schema) for name, schema in self.keys.items()}
        return {"type": "object", "properties": properties, "additionalProperties": self.open}


class PayloadFault(NamedTuple):
    """What is wrong with a payload: a reason's code, words, and the key it is about."""

    code: str
    text: str
    key: str


@cache
def _listed() -> Mapping[str, Any]:
    return shipped_table(Path(__file__).parent.with_name("actions.toml"))


def names_of(*groups: str) -> frozenset[str]:
    """Return every name of the keys in these groups."""
    return frozenset(name for group in groups for name in _listed()["keys"][group]["names"])


def key_groups() -> Mapping[str, Mapping[str, Any]]:
    """Return the groups of keys: what each means, the types of its values, its names."""
    groups: Mapping[str, Mapping[str, Any]] = _listed()["keys"]
    return groups


@cache
def moving_names() -> frozenset[str]:
    """Return the actions whose payload, where it is a text, is the path that something is moved or copied to."""
    return frozenset(_listed()["moving"]["names"])


@cache
def removing_sql() -> re.Pattern[str]:
    """Return what finds the words with which SQL removes something or gives rights, in any letters."""
    return re.compile("|".join(rf"\b{words}\b" for words in _listed()["removing"]["words"]), re.IGNORECASE)


@cache
def action_types() -> Mapping[str, ActionType]:
    """Return the types by their names."""
    groups, types = key_groups(), _listed()["types"]
    found = {}
    for name, told in types.items():
        used = (*told.get("keys", ()), _WORDS)
        keys: dict[str, dict[str, Any]] = {}
        for group in used:
            for key in groups[group]["names"]:
                kinds = [*keys.get(key, {}).get("type", ()), *groups[group]["type"]]
                keys[key] = {"type": list(dict.fromkeys(kinds))}
        found[name] = ActionType(name, told["target"], keys, used, bool(told.get("open", False)))
    return found


def payload_fault(type: str | None, payload: str) -> PayloadFault | None:
    """Say what is wrong with the payload of an action of that type; a text, or a type not listed, has no schema."""
    known = action_types().get((type or "").removeprefix("/"))
    value = _object_in(payload)
    if known is None or value is None or known.open:
        return None
    for key, item in value.items():
        plain = key.strip().lower().replace("-", "_")
        if plain not in known.keys:
            from difflib import get_close_matches

            near = get_close_matches(plain, known.keys, n=1)
            hint = f": did you mean {near[0]!r}?" if near else f"; see: mayfly policy actions {known.name}"
            named = shown(key[:_LONGEST_NAME], _LONGEST_NAME + 2)
            return PayloadFault("payload/unknown-key", f"an action of the type {known.name} has no {named}{hint}", key)
        wrong = mismatch(item, known.keys[plain], name=plain)
        if wrong:
            return PayloadFault("payload/wrong-type", f"an action of the type {known.name}: {wrong}", key)
    return None


def _object_in(payload: str) -> Mapping[str, object] | None:
    if not payload.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
