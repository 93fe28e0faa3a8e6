"""Prompt atoms: pieces of a system prompt, each with what it needs, excludes and is for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final, NamedTuple

from mayfly.core import one_line, shipped_table
from mayfly.persona._yaml import Fields, Mapping, read_text_file

_ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}")
# The names document 004's project gives to its selectors, and the other names these have.
SELECTORS: Final = (
    "operational_modes",
    "campaign_phases",
    "build_layers",
    "init_phases",
    "northstar_phases",
    "ouroboros_stages",
    "intent_verbs",
    "agent_types",
    "languages",
    "frameworks",
    "world_states",
)
_ALSO: Final = {"shard_types": "agent_types", "personas": "agent_types"}
KEYS: Final = frozenset(
    {"id", "version", "category", "subcategory", "content", "content_file", "content_concise", "content_min"}
    | {"description", "priority", "is_mandatory", "is_exclusive", "depends_on", "conflicts_with", "selectors"}
    | {*SELECTORS, *_ALSO}
)


class Category(NamedTuple):
    """One kind of atoms: its place in the prompt, whether rules alone choose it, and its part of the budget."""

    name: str
    order: int
    skeleton: bool
    importance: int
    percent: float
    least: int
    most: int


@cache
def categories() -> dict[str, Category]:
    """Read the kinds of atoms in the order in which they stand in a prompt."""
    table = shipped_table(Path(__file__).with_name("categories.toml"))
    return {name: Category(name, order, **row) for order, (name, row) in enumerate(table.items())}


def tokens_in(text: str) -> int:
    """Count tokens as document 004's project does: four bytes each, begun ones whole."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


@dataclass(frozen=True, kw_only=True)
class PromptAtom:
    """One piece of a prompt, as a file has it."""

    id: str
    category: str
    content: str
    content_concise: str = ""
    content_min: str = ""
    version: int = 1
    subcategory: str = ""
    description: str = ""
    priority: int = 50
    is_mandatory: bool = False
    is_exclusive: str = ""
    depends_on: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    selectors: tuple[tuple[str, tuple[str, ...]], ...] = ()
    place: str = ""
    stem: str = ""
    """The name of the file it comes from, without its suffix."""

    @property
    def skeleton(self) -> bool:
        """Tell whether rules alone choose it."""
        return categories()[self.category].skeleton

    @cached_property
    def variants(self) -> tuple[tuple[str, str], ...]:
        """Its texts by name, from the longest to the shortest; one that is not shorter than another is left out."""
        found = [("standard", self.content)]
        for name, text in (("concise", self.content_concise), ("min", self.content_min)):
            if text and len(text.encode()) < len(found[-1][1].encode()):
                found.append((name, text))
        return tuple(found)


def read_atom(entry: Mapping, path: Path) -> PromptAtom:
    """Read one entry that has an `id`."""
    fields = Fields(entry, path, KEYS)
    id = fields.text("id")
    if not _ID.fullmatch(id):
        raise fields.error("id", f"{one_line(id, limit=40)!r} is no name", "use letters, digits, _ . / and -")
    category = fields.name("category")
    if category not in categories():
        raise fields.error("category", f"there is none called {category!r}", f"use {', '.join(categories())}")
    for key in ("depends_on", "conflicts_with"):
        if id in fields.texts(key):
            raise fields.error(key, "an atom cannot name itself")
    if both := sorted({*fields.texts("depends_on")} & {*fields.texts("conflicts_with")}):
        raise fields.error("conflicts_with", f"it depends on {both[0]}, so it cannot conflict with it")
    return PromptAtom(
        id=id,
        category=category,
        content=_content(fields, path),
        content_concise=fields.text("content_concise").strip(),
        content_min=fields.text("content_min").strip(),
        version=fields.number("version", 1),
        subcategory=fields.text("subcategory"),
        description=one_line(fields.text("description")),
        priority=fields.number("priority", 50),
        is_mandatory=fields.flag("is_mandatory"),
        is_exclusive=fields.text("is_exclusive"),
        depends_on=fields.texts("depends_on"),
        conflicts_with=fields.texts("conflicts_with"),
        selectors=_selectors(entry, fields, path),
        place=fields.place,
        stem=path.stem,
    )


def _content(fields: Fields, path: Path) -> str:
    if fields.has("content") == fields.has("content_file"):
        raise fields.error("content", "an atom has either content or content_file")
    text = fields.text("content")
    if fields.has("content_file"):
        named = content_path(path, fields.text("content_file"))
        if named is None:
            raise fields.error("content_file", "it has to lie beside the file that names it, or below")
        text = read_text_file(named)
    if not text.strip():
        raise fields.error("content", "it is empty")
    return text.strip()


def content_path(path: Path, name: str) -> Path | None:
    """Return where a content file lies, or None where that is not below the directory of *path*, links followed."""
    folder = path.parent.resolve()
    found = (folder / name).resolve()
    return found if found.is_relative_to(folder) else None


def _selectors(entry: Mapping, fields: Fields, path: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    nested = entry.get("selectors")
    within = None
    if nested is not None:
        if not isinstance(nested, Mapping):
            raise fields.error("selectors", "it has to be a mapping of lists")
        within = Fields(nested, path, {*SELECTORS, *_ALSO})
    found: dict[str, tuple[str, ...]] = {}
    for key in (*SELECTORS, *_ALSO):
        values = (*fields.texts(key), *(within.texts(key) if within is not None else ()))
        name = _ALSO.get(key, key)
        found[name] = (*found.get(name, ()), *(plain(value) for value in values))
    return tuple((name, tuple(dict.fromkeys(values))) for name, values in found.items() if values)


def plain(value: str) -> str:
    """Return a value as it is compared: without a leading slash, in small letters."""
    return value.strip().removeprefix("/").lower()
