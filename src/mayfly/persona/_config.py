"""Config atoms: which tools and policies a persona or a verb brings, and how they are joined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Final, Literal, TypeAlias

from mayfly.persona._yaml import Fields, Mapping

Layer: TypeAlias = Literal["everyone", "persona", "verb", "user"]
# What document 004 writes for an atom of which nothing else is known.
PRIORITY: Final = 10
KEYS: Final = frozenset(
    {"persona", "verb", "everyone", "summary", "tools", "policies", "priority", "prompt", "override"}
)
_POLICY: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}\.mg")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigAtom:
    """A piece of a configuration: tools, policies and how important it is."""

    tools: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    priority: int = 0

    def merge(self, other: ConfigAtom) -> ConfigAtom:
        """Join two atoms: everything of both in the order first seen, and the higher priority."""
        return ConfigAtom(
            tools=tuple(dict.fromkeys((*self.tools, *other.tools))),
            policies=tuple(dict.fromkeys((*self.policies, *other.policies))),
            priority=max(self.priority, other.priority),
        )


def merge(atoms: Iterable[ConfigAtom]) -> ConfigAtom:
    """Join atoms from the first to the last."""
    return reduce(ConfigAtom.merge, atoms, ConfigAtom())


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """A config atom as a file has it: for whom it is, who wrote it and where."""

    layer: Layer
    name: str
    atom: ConfigAtom
    place: str
    shipped: bool
    summary: str = ""
    prompt: str = ""


def read_config(entry: Mapping, path: Path, *, shipped: bool) -> ConfigEntry:
    """Read one entry that has `persona`, `verb` or `everyone`."""
    fields = Fields(entry, path, KEYS)
    persona, verb, everyone = fields.name("persona"), fields.name("verb"), fields.flag("everyone")
    if (bool(persona), bool(verb), everyone).count(True) != 1:
        raise fields.error("persona" if persona else "verb", "an entry is for one persona or for one verb")
    if everyone and not shipped:
        raise fields.error("everyone", "what everybody has is not for other files to say", "name a persona")
    if verb and (fields.has("prompt") or fields.has("override")):
        raise fields.error("prompt" if fields.has("prompt") else "override", "only a persona has it")
    return ConfigEntry(
        layer="everyone" if everyone else "verb" if verb else _layer(fields, shipped=shipped),
        name=persona or verb,
        atom=_atom(fields),
        place=fields.place,
        shipped=shipped,
        summary=fields.text("summary"),
        prompt=fields.text("prompt").strip(),
    )


def _atom(fields: Fields) -> ConfigAtom:
    return ConfigAtom(
        tools=fields.names("tools"), policies=_policies(fields), priority=fields.number("priority", PRIORITY)
    )


def _layer(fields: Fields, *, shipped: bool) -> Layer:
    """Tell whether an entry is what a persona is made of, or what its user adds to one that others made."""
    if shipped and fields.has("override"):
        raise fields.error("override", "a shipped persona overrides nothing")
    return "user" if fields.flag("override") else "persona"


def _policies(fields: Fields) -> tuple[str, ...]:
    for name in fields.texts("policies"):
        if not _POLICY.fullmatch(name):
            raise fields.error("policies", f"{name[:40]!r} is no policy", "write the name of a rule file: mine.mg")
    return fields.texts("policies")
