"""Add a persona of the user's own: an entry in `custom_configs.yaml`, and a rule that gives it its verbs."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.core import InputError, one_line, sync_folder, write_whole
from mayfly.persona._config import ConfigAtom
from mayfly.persona._personas import Personas
from mayfly.persona._shelf import AGENTS, read_stock, shipped_configs, yaml_files
from mayfly.persona._yaml import NAME, read_entries, read_text_file

if TYPE_CHECKING:
    from mayfly.core import PersonaSettings
    from mayfly.policy import Snapshot

CUSTOM: Final = "custom_configs.yaml"
_HEAD: Final = "# Personas of your own; `mayfly persona add` writes here, and you may too. See docs/personas.md.\n"


class Added(NamedTuple):
    """The files that say what a persona has, and which verbs are its work."""

    config: Path
    rules: Path | None


def add_persona(
    state: Path,
    name: str,
    atom: ConfigAtom,
    *,
    snapshot: Snapshot,
    settings: PersonaSettings,
    verbs: Sequence[str] = (),
    summary: str = "",
    prompt: str = "",
    override: bool = False,
) -> Added:
    """Write a persona into the user's files; what would not be in force is an error, and nothing is written.

    *override* adds to a shipped persona, or takes the place of one that was added before.
    """
    for word in (name, *verbs):
        if not NAME.fullmatch(word):
            raise InputError(f"{one_line(word, limit=60)!r} is no name", fix="use small letters, digits and _")
    shipped = any(entry.layer == "persona" and entry.name == name for entry in shipped_configs())
    if shipped and not override:
        raise InputError(f"{name} is a shipped persona", fix="--override adds to it")
    entry = _entry(name, atom, summary=one_line(summary), prompt=prompt.strip(), override=shipped)
    folder = state / AGENTS
    with _alone(folder):
        path = folder / CUSTOM
        aside = folder / f".{CUSTOM}.new"
        write_whole(aside, _with_entry(path, name, entry, replace=override).encode("utf-8"))
        try:
            _try(folder, path, aside, snapshot, settings)
            os.replace(aside, path)
        finally:
            aside.unlink(missing_ok=True)
        rules = _rule(state / "rules", name, verbs) if verbs else None
        sync_folder(folder)
    return Added(path, rules)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time change the files: each reads what the other wrote."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _try(folder: Path, path: Path, aside: Path, snapshot: Snapshot, settings: PersonaSettings) -> None:
    """Read all files as they would be, and refuse what would not be in force."""
    stock = read_stock([*(found for found in yaml_files(folder) if found != path), aside])
    for problem in Personas(stock, snapshot, settings=settings).problems:
        if problem.file == str(aside):
            raise InputError(problem.reason.partition(": ")[2] or problem.reason)


def _with_entry(path: Path, name: str, entry: str, *, replace: bool) -> str:
    """Return the file with the entry in it; what else is in the file stays as it was written."""
    if not path.exists():
        return _HEAD + entry
    text = read_text_file(path)
    entries = read_entries(path)
    if entries and not all(line.startswith("- ") for line in _first_lines(text, [one.line for one in entries])):
        raise InputError(f"{path}: it is no list of entries", fix="begin every entry with '- '")
    lines = text.splitlines(keepends=True)
    for number, one in enumerate(entries):
        if one.get("persona") != name:
            continue
        if not replace:
            raise InputError(f"{path}:{one.line}: there is a persona {name} already", fix="--override replaces it")
        end = entries[number + 1].line - 1 if number + 1 < len(entries) else len(lines)
        return "".join((*lines[: one.line - 1], entry, *lines[end:]))
    return text + ("" if text.endswith("\n") or not text else "\n") + entry


def _first_lines(text: str, numbers: Sequence[int]) -> list[str]:
    lines = text.splitlines()
    return [lines[number - 1] for number in numbers]


def _entry(name: str, atom: ConfigAtom, *, summary: str, prompt: str, override: bool) -> str:
    lines = [f"- persona: {name}"]
    lines += [f"  summary: {_quoted(summary)}"] if summary else []
    lines += [f"  tools: [{', '.join(atom.tools)}]"] if atom.tools else []
    lines += [f"  policies: [{', '.join(atom.policies)}]"] if atom.policies else []
    lines.append(f"  priority: {atom.priority}")
    lines += ["  override: true"] if override else []
    if prompt and prompt.replace("\n", "").isprintable() and not prompt.startswith((" ", "\t")):
        lines += ["  prompt: |", *(f"    {line}".rstrip() for line in prompt.splitlines())]
    elif prompt:
        lines.append(f"  prompt: {_quoted(prompt)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a text in double quotes as YAML reads them, which knows no pairs of surrogates."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in quoted)


def _rule(folder: Path, name: str, verbs: Sequence[str]) -> Path:
    """Give the persona its verbs, beside those it has."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"persona_{name}.mg"
    text = read_text_file(path) if path.exists() else f"# Requests with these verbs are the work of {name}.\n"
    facts = (f"verb_persona(/{verb}, /{name}).\n" for verb in dict.fromkeys(verbs))
    write_whole(path, (text + "".join(fact for fact in facts if fact not in text)).encode("utf-8"))
    return path
