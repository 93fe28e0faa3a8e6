"""Which paths hold secrets: the one list, for rules, for the workbench and for whatever looks through many files."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

# What may stand after the fixed beginning of a name: `.env.local`, `id_rsa-work`, but not `.envrc`.
_AFTER = (".", "_", "-", "~")


class _Listed(NamedTuple):
    parts: frozenset[str]
    names: frozenset[str]
    beginnings: tuple[str, ...]
    suffixes: tuple[str, ...]
    # The last name of each place leads to the names that have to stand before it.
    places: dict[str, list[tuple[str, ...]]]
    runtime: frozenset[str]
    installed: frozenset[str]
    templates: tuple[str, ...]
    copies: tuple[str, ...]
    # Names and endings without which no name is worth a closer look.
    whole: frozenset[str]
    endings: tuple[str, ...]


@cache
def _listed() -> _Listed:
    table = tomllib.loads(Path(__file__).with_name("secret_paths.toml").read_text(encoding="utf-8"))
    places: dict[str, list[tuple[str, ...]]] = {}
    for place in (*table["places"], *table["processes"]):
        *before, last = place.split("/")
        places.setdefault(last, []).append(tuple(before))
    whole = {*table["parts"], *table["names"], *table["runtime"]}
    return _Listed(
        parts=frozenset(table["parts"]),
        names=frozenset(table["names"]),
        beginnings=tuple(table["beginnings"]),
        suffixes=tuple(table["suffixes"]),
        places=places,
        runtime=frozenset(table["runtime"]),
        installed=frozenset(table["installed"]),
        templates=tuple(table["templates"]),
        copies=tuple(table["copies"]),
        whole=frozenset(whole),
        endings=(*table["suffixes"], *table["copies"]),
    )


def secret_path(path: str) -> str:
    """Say why a file at *path* holds secrets or belongs to the runtime; empty where it does neither.

    Only the text is looked at: upper and lower case, `\\` for `/` and blanks or dots after a name make no difference.
    """
    listed = _listed()
    names = [name.rstrip(". ") or name for name in path.lower().replace("\\", "/").split("/")]
    last = len(names) - 1
    for at, name in enumerate(names):
        if name in listed.installed:
            own = next((below for below in names[at:] if below in listed.runtime), "")
            return f"it belongs to the runtime: {own}" if own else ""
        # Nearly no name is in the list, and 50,000 paths are looked at in a row.
        if name in listed.whole or name.startswith(listed.beginnings) or name.endswith(listed.endings):
            why = _of_name(name, at == last)
            if why:
                return why
        if name in listed.places and _in_place(names, at):
            return f"it holds secrets or keys: {'/'.join(names[max(0, at - 1) : at + 1])}"
    return ""


def _of_name(name: str, last: bool) -> str:
    """Say why a file of this name is secret, or a file of which it is the name of a copy."""
    listed, plain = _listed(), name
    while not plain.endswith(listed.templates):
        why = _plainly(plain, last)
        if why:
            return why
        copied = next((end for end in listed.copies if plain.endswith(end) and len(plain) > len(end)), None)
        if copied is None:
            # An editor's own copy of `id_rsa` is `.id_rsa.swp`.
            return _plainly(plain[1:], last) if plain != name and plain.startswith(".") else ""
        plain = plain[: -len(copied)]
    return ""


def _plainly(name: str, last: bool) -> str:
    listed = _listed()
    if name in listed.runtime:
        return f"it belongs to the runtime: {name}"
    if name in listed.parts or (last and name in listed.names) or _begins(name):
        return f"it holds secrets or keys: {name}"
    if last:
        ending = next((suffix for suffix in listed.suffixes if name.endswith(suffix)), "")
        return f"a file that holds keys: *{ending}" if ending else ""
    return ""


def _begins(name: str) -> bool:
    return any(
        name.startswith(start) and (name == start or name[len(start)] in _AFTER) for start in _listed().beginnings
    )


def _in_place(names: list[str], at: int) -> bool:
    for before in _listed().places[names[at]]:
        found = names[max(0, at - len(before)) : at]
        if len(found) == len(before) and all(want in ("*", got) for want, got in zip(before, found, strict=True)):
            return True
    return False
