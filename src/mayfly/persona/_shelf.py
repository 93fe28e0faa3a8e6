"""The shelf: config and prompt atoms from the shipped files and the user's, read again when they change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from threading import RLock
from typing import Final

from mayfly.core import InputError, MayflyError, canonical_json, content_hash
from mayfly.persona._atoms import PromptAtom, content_path, read_atom
from mayfly.persona._atomset import AtomFault, AtomSet
from mayfly.persona._config import ConfigEntry, read_config
from mayfly.persona._yaml import Mapping, read_entries
from mayfly.policy import Problem

HOME: Final = Path(__file__).parent
AGENTS: Final = "agents"
_ENDS: Final = (".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class ReadFile:
    """What one file says, and which other files it took text from."""

    path: Path
    configs: tuple[ConfigEntry, ...] = ()
    atoms: tuple[PromptAtom, ...] = ()
    beside: tuple[Path, ...] = ()


class Stock:
    """All atoms as they were at one instant; a turn that is under way keeps the one it began with."""

    def __init__(self, files: Iterable[ReadFile] = (), problems: Iterable[Problem] = ()) -> None:
        self.files = tuple(files)
        self.problems = tuple(problems)

    @cached_property
    def configs(self) -> tuple[ConfigEntry, ...]:
        """Every config atom, the shipped ones first."""
        return (*shipped_configs(), *(entry for file in self.files for entry in file.configs))

    @cached_property
    def atoms(self) -> AtomSet:
        """Every prompt atom, the shipped ones first."""
        own = [atom for file in self.files for atom in file.atoms]
        return AtomSet([*shipped_atoms().values(), *own], check=False) if own else shipped_atoms()

    @cached_property
    def hash(self) -> str:
        """One hash over what the user's files say."""
        said = [[repr(file.configs), repr(file.atoms)] for file in self.files]
        return content_hash(canonical_json([*said, [str(problem) for problem in self.problems]]))


@cache
def shipped_configs() -> tuple[ConfigEntry, ...]:
    """Read the config atoms of the installed package."""
    return tuple(
        read_config(entry, Path(path.name), shipped=True)
        for path in yaml_files(HOME / "configs")
        for entry in read_entries(path)
    )


@cache
def shipped_atoms() -> AtomSet:
    """Read the prompt atoms of the installed package."""
    files = ((path, entry) for path in yaml_files(HOME / "atoms") for entry in read_entries(path))
    return AtomSet(read_atom(entry, path.relative_to(HOME / "atoms")) for path, entry in files)


def yaml_files(folder: Path) -> list[Path]:
    """List the YAML files below a directory in a steady order, hidden ones left out."""
    found = (path for end in _ENDS for path in folder.rglob(f"*{end}"))
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


class Shelf:
    """Hold the atoms in force. A file of the user's that is bad is named, and its last good version stays."""

    def __init__(self, state: Path | None = None) -> None:
        self.folder = None if state is None else state / AGENTS
        self._good: dict[Path, ReadFile] = {}
        self._lock = RLock()
        self._stock = Stock()
        self.reload()

    @property
    def stock(self) -> Stock:
        """The atoms in force now."""
        return self._stock

    def watched(self) -> Iterator[Path]:
        """Yield the files whose change matters."""
        if self.folder is None:
            return
        yield from yaml_files(self.folder)
        for file in self._stock.files:
            yield from file.beside

    def reload(self) -> Stock:
        """Read the user's files again and put what is good into force at once."""
        with self._lock:
            trial = _Trial(self._good)
            self._stock = trial.run(yaml_files(self.folder) if self.folder is not None else [])
            self._good = {file.path: file for file in self._stock.files}
            return self._stock


def read_stock(paths: Iterable[Path]) -> Stock:
    """Read files once, whatever was good before."""
    return _Trial({}).run(paths)


class _Trial:
    """One reading of all files: each alone, then all together."""

    def __init__(self, before: dict[Path, ReadFile]) -> None:
        self._before = before
        self._files: dict[Path, ReadFile] = {}
        self._problems: dict[Path, Problem] = {}

    def run(self, paths: Iterable[Path]) -> Stock:
        for path in paths:
            try:
                self._files[path] = read_file(path)
            except InputError as error:
                self._refuse(path, error)
        for check in (self._twice, self._whole):
            # Each round takes a version of a file away, and each file has two at most.
            while (wrong := check()) is not None:
                self._refuse(*wrong)
        return Stock(self._files.values(), self._problems.values())

    def _refuse(self, path: Path, error: MayflyError) -> None:
        """Fall back to the last good version of a file, or to nothing of it."""
        tried = self._files.pop(path, None)
        kept = self._before.get(path)
        if kept is not None and kept != tried and path not in self._problems:
            self._files[path] = kept
        self._files = dict(sorted(self._files.items()))
        said = re.sub(r"^(\d+): ", r"line \1: ", str(error).removeprefix(f"{path}:").strip())
        first = self._problems.get(path)
        reason = said if first is None else first.reason
        self._problems[path] = Problem(file=str(path), reason=reason, kept=path in self._files)

    def _twice(self) -> tuple[Path, MayflyError] | None:
        """Return the file that makes a persona which others made already."""
        made = {entry.name: entry.place for entry in shipped_configs() if entry.layer == "persona"}
        for path, file in self._files.items():
            for entry in file.configs:
                if entry.layer != "persona":
                    continue
                if entry.name in made:
                    message = f"{entry.place}: persona: {entry.name} stands in {made[entry.name]} already"
                    return path, InputError(message, fix="override: true adds to it")
                made[entry.name] = entry.place
        return None

    def _whole(self) -> tuple[Path, MayflyError] | None:
        """Return the file that does not go with the others."""
        home = {atom.id: path for path, file in self._files.items() for atom in file.atoms}
        if not home:
            return None
        own = [atom for file in self._files.values() for atom in file.atoms]
        try:
            AtomSet([*shipped_atoms().values(), *own])
        except AtomFault as fault:
            blamed = next((home[id] for id in fault.ids if id in home), None)
            return None if blamed is None else (blamed, fault)
        return None


def read_file(path: Path) -> ReadFile:
    """Read one file of the user's; the first thing that is wrong is an `InputError` with file, line and key."""
    configs: list[ConfigEntry] = []
    atoms: list[PromptAtom] = []
    beside: list[Path] = []
    for entry in read_entries(path):
        if "id" in entry:
            atoms.append(read_atom(entry, path))
            named = entry.get("content_file")
            found = content_path(path, named) if isinstance(named, str) else None
            beside += [] if found is None else [found]
        elif {"persona", "verb", "everyone"} & entry.keys():
            configs.append(read_config(entry, path, shipped=False))
            atoms += _identity(configs[-1], path)
        else:
            raise _neither(entry, path)
    return ReadFile(path=path, configs=tuple(configs), atoms=tuple(atoms), beside=tuple(beside))


def _neither(entry: Mapping, path: Path) -> InputError:
    return InputError(
        f"{path}:{entry.line}: an entry has id (a prompt atom), persona or verb (a config atom)",
        fix="see: mayfly persona --help",
    )


def _identity(entry: ConfigEntry, path: Path) -> list[PromptAtom]:
    """Return the prompt of a config atom as the prompt atom that it stands for."""
    if not entry.prompt:
        return []
    atom = PromptAtom(
        id=f"{path.stem}/{entry.name}",
        category="identity",
        content=entry.prompt,
        description=entry.summary,
        priority=100,
        selectors=(("agent_types", (entry.name,)),),
        place=entry.place,
        stem=path.stem,
    )
    return [atom]
