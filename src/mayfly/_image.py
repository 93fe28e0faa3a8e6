"""The image of a start: a finder of modules, and the file it keeps what it found in. See `_start`."""

from __future__ import annotations

import marshal
import os
import sys
from _thread import get_ident
from contextlib import contextmanager, suppress
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, ModuleType

    Loaded = Callable[[ModuleType, "Image"], None]

# Images of other paths and other Pythons lie beside ours, and halves whose writer was killed; so many, then all of
# them go.
_MOST_IMAGES = 8
# Modules that compile other texts in every process are not worth writing the image again for.
_MOST_RENEWALS = 3
# Bytes of the number at the beginning of the file, which says how long the index is.
_NUMBER = 8


# The format, the version of Python, how far it optimizes, and the path.
Key: TypeAlias = "tuple[int, str, int, list[str]]"


class _Entry(NamedTuple):
    """Where a module was found, how that looked, and where in the image its code, texts and patterns are."""

    origin: str
    mtime: int
    size: int
    folder_mtime: int
    renewals: int
    place: int = 0
    length: int = 0


class _Compiled:
    """One module's code with the texts and the patterns that were compiled while it ran."""

    def __init__(self, code: CodeType | None, texts: dict[tuple[str, str], Any], patterns: dict[Any, Any]) -> None:
        self.code = code
        self.texts = texts
        # By pattern and flags; what is still to be written down has None.
        self.patterns = patterns
        self.grown = False

    def dumps(self) -> bytes:
        """Return it as bytes, complete."""
        return marshal.dumps((self.code, self.texts, {key: _parts(*key) for key in self.patterns}))


class Image:
    """A finder of modules that knows where they are, and what they compile while they are imported."""

    def __init__(
        self, path: str, key: Key, loaded: Callable[[ModuleType, Image], None], only: Sequence[str] = ()
    ) -> None:
        self.path = path
        self.key = key
        # Called with every module that has been run.
        self.loaded = loaded
        # The packages that it finds; if there are none, it finds all there are.
        self.only = frozenset(only)
        self._search = list(sys.path)
        self._known = tuple(f"{folder}/" for folder in sys.path[own_folders() :] if folder)
        # As they lie in the file: of a thousand entries a command needs a few hundred.
        self._entries: dict[str, tuple[Any, ...]] = {}
        self._file: int | None = None
        self._start = 0
        self._folders: dict[str, int] = {}
        # Names that this directory, or the script's, may have: what is found there is nobody else's.
        self._hidden: set[str] = set()
        # Names that another directory of the path may have by now.
        self._doubted: set[str] = set()
        self._new: dict[str, tuple[_Entry, _Compiled]] = {}
        self._tables: dict[str, tuple[_Entry, bytes]] = {}
        # By thread: what one compiles must not be taken for another's.
        self._stacks: dict[int, list[_Compiled]] = {}
        self._pid = os.getpid()
        self._read()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """Return where *name* is, from the image if that still holds."""
        if self.only and name.partition(".")[0] not in self.only:
            return None
        if path is None and (name in self._hidden or sys.path != self._search):
            return PathFinder.find_spec(name, path, target)
        entry = self._entry(name)
        if entry is not None and not (path is None and name in self._doubted) and self._holds(entry, path):
            return self._spec(name, entry)
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not spec.origin or not spec.origin.startswith(self._known):
            return spec
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(name, self._look(spec.origin), self, known=False)
        elif type(spec.loader) is ExtensionFileLoader:
            self._put(name, self._look(spec.origin), _Compiled(None, {}, {}))
        return spec

    def invalidate_caches(self) -> None:
        """Look at directories anew, as every finder does when it is told that files have come."""
        self._folders.clear()
        self._doubted.update(self._entries)

    def compiled(self, loader: _Loader) -> _Compiled:
        """Return the code of a module: from the image, or as Python has it."""
        entry = loader.entry
        if loader.known and self._file is not None:
            with suppress(OSError, ValueError, EOFError, TypeError):
                return _Compiled(*marshal.loads(os.pread(self._file, entry.length, self._start + entry.place)))
        found = _Compiled(SourceFileLoader.get_code(loader, loader.name), {}, {})
        found.grown = True
        return found

    @contextmanager
    def running(self, loader: _Loader, compiled: _Compiled) -> Iterator[None]:
        """Know whose code is run, to find what it compiles and to keep what is not known yet."""
        stack = self._stacks.setdefault(get_ident(), [])
        stack.append(compiled)
        try:
            yield
        finally:
            stack.pop()
            renewals = loader.entry.renewals + loader.known
            if compiled.grown and renewals <= _MOST_RENEWALS:
                self._put(loader.name, loader.entry._replace(renewals=renewals), compiled)

    def text(self, text: str, mode: str) -> Any:
        """Return *text* compiled; *mode* is `exec` or `eval`."""
        current = self._current()
        if current is None:
            return compile(text, "<string>", mode, dont_inherit=True)
        code = current.texts.get((mode, text))
        if code is None:
            code = current.texts[mode, text] = compile(text, "<string>", mode, dont_inherit=True)
            current.grown = True
        return code

    def pattern(self, usual: Callable[..., Any], pattern: Any, flags: int) -> Any:
        """Return *pattern* compiled, given how that is done usually."""
        current = self._current()
        if current is None or not isinstance(pattern, str | bytes):
            return usual(pattern, flags)
        key = (pattern, int(flags))
        parts = current.patterns.get(key)
        if parts:
            return _engine().compile(pattern, *parts)
        current.patterns[key] = None
        current.grown = True
        return usual(pattern, flags)

    def table(self, path: str, read: Callable[[str], Any]) -> Any:
        """Return what *read* makes of a file of ours; it has to be plain values, which belong to the caller alone."""
        entry = self._entry(path)
        if entry is not None and self._file is not None and self._holds(entry, (_folder(path),)):
            with suppress(OSError, ValueError, EOFError, TypeError):
                return marshal.loads(self._blob(entry))
        seen = self._look(path)
        found = read(path)
        with suppress(ValueError):
            self._tables[path] = (seen, marshal.dumps(found))
        return found

    def keep(self) -> None:
        """Write the image again if more has been found; the old one stays until the new one is whole."""
        if not (self._new or self._tables) or os.getpid() != self._pid or sys.dont_write_bytecode:
            return
        with suppress(OSError, ValueError):
            self._write()

    def _entry(self, name: str) -> _Entry | None:
        found = self._entries.get(name)
        return None if found is None else _Entry(*found)

    def _put(self, name: str, entry: _Entry, compiled: _Compiled) -> None:
        """Keep a module, unless just this is kept already: an entry that never holds is not worth writing each time."""
        known = self._entry(name)
        if known is None or known._replace(place=0, length=0) != entry._replace(place=0, length=0):
            self._new[name] = (entry, compiled)

    def _current(self) -> _Compiled | None:
        stack = self._stacks.get(get_ident())
        return stack[-1] if stack else None

    def _spec(self, name: str, entry: _Entry) -> ModuleSpec | None:
        origin = entry.origin
        inside = [os.path.dirname(origin)] if _is_package(origin) else None
        if origin.endswith(tuple(EXTENSION_SUFFIXES)):
            loader: SourceFileLoader | ExtensionFileLoader = ExtensionFileLoader(name, origin)
        else:
            loader = _Loader(name, entry, self, known=True)
        return spec_from_file_location(name, origin, loader=loader, submodule_search_locations=inside)

    def _holds(self, entry: _Entry, path: Sequence[str] | None) -> bool:
        folder = _folder(entry.origin)
        if folder not in (self._search if path is None else path) or self._changed(folder) != entry.folder_mtime:
            return False
        try:
            found = os.stat(entry.origin)
        except OSError:
            return False
        return (found.st_mtime_ns, found.st_size) == (entry.mtime, entry.size)

    def _look(self, origin: str) -> _Entry:
        """Return how a file looks before it is read: should it change meanwhile, the entry does not hold."""
        found = os.stat(origin)
        return _Entry(origin, found.st_mtime_ns, found.st_size, self._changed(_folder(origin)), 0)

    def _changed(self, folder: str) -> int:
        """Return when something was added to or taken from *folder* last; one look is enough for a process."""
        found = self._folders.get(folder)
        if found is None:
            found = self._folders[folder] = _mtime(folder)
        return found

    def _read(self) -> None:
        with suppress(OSError, ValueError, EOFError, TypeError):
            self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            length = int.from_bytes(os.pread(self._file, _NUMBER, 0), "little")
            key, folders, entries = marshal.loads(os.pread(self._file, length, _NUMBER))
            if key == self.key:
                self._start = _NUMBER + length
                self._entries = dict(entries)
                self._doubt(dict(folders))

    def _doubt(self, known: dict[str, int]) -> None:
        """Note what directories have that are not as they were, or not known."""
        for number, folder in enumerate(sys.path):
            if known.get(folder) == self._changed(folder or "."):
                continue
            names = self._hidden if number < own_folders() else self._doubted
            with suppress(OSError):
                names.update(name.partition(".")[0] for name in os.listdir(folder or "."))

    def _write(self) -> None:
        new = {name: (entry, compiled.dumps()) for name, (entry, compiled) in dict(self._new).items()}
        new |= self._tables
        old = {name: _Entry(*entry) for name, entry in self._entries.items() if name not in new}
        blobs = {name: self._blob(entry) for name, entry in old.items() if os.path.exists(entry.origin)}
        blobs |= {name: blob for name, (_, blob) in new.items()}
        entries: dict[str, tuple[str | int, ...]] = {}
        place = 0
        for name, blob in blobs.items():
            entry = old[name] if name in old else new[name][0]
            entries[name] = tuple(entry._replace(place=place, length=len(blob)))
            place += len(blob)
        folders = [(folder, self._changed(folder or ".")) for folder in self._search[own_folders() :]]
        index = marshal.dumps((self.key, folders, entries))
        _replace(self.path, b"".join([len(index).to_bytes(_NUMBER, "little"), index, *blobs.values()]))

    def _blob(self, entry: _Entry) -> bytes:
        assert self._file is not None
        return os.pread(self._file, entry.length, self._start + entry.place)


class _Loader(SourceFileLoader):
    """Load a module as Python does, its code from the image."""

    def __init__(self, name: str, entry: _Entry, image: Image, *, known: bool) -> None:
        super().__init__(name, entry.origin)
        self.entry = entry
        self.known = known
        self._image = image

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, with what it compiles at hand."""
        compiled = self._image.compiled(self)
        assert compiled.code is not None
        with self._image.running(self, compiled):
            exec(compiled.code, vars(module))
        self._image.loaded(module, self._image)


def own_folders() -> int:
    """Return how many entries of the path are there for where and how this was started: the script's or this directory.

    They differ from one command to the next and have to be looked at each time.
    """
    return 0 if sys.flags.safe_path else 1


def _replace(path: str, data: bytes) -> None:
    folder = os.path.dirname(path)
    others = [name for name in os.listdir(folder) if ".image" in name]
    if len(others) > _MOST_IMAGES:
        for name in others:
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))
    half = f"{path}.{os.getpid()}"
    try:
        with open(half, "xb") as file:
            file.write(data)
            file.flush()
            # A name that points to a file whose bytes are not there yet would be an image after a loss of power.
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError:
        with suppress(OSError):
            os.unlink(half)
        raise


def _parts(pattern: str | bytes, flags: int) -> tuple[Any, ...]:
    """Return what `re` hands to its engine for a pattern, which is all that the engine needs."""
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(pattern, flags)
    state = parsed.state
    named = dict(state.groupdict)
    names: list[str | None] = [None] * state.groups
    for name, number in named.items():
        names[number] = name
    code = [int(word) for word in _compiler._code(parsed, flags)]
    return flags | int(state.flags), code, state.groups - 1, named, tuple(names)


def _engine() -> Any:
    """Return the engine of `re`, which type checkers do not know."""
    return sys.modules["_sre"]


def _folder(origin: str) -> str:
    """Return the directory in which a module was found: for a package the one it is in."""
    folder = os.path.dirname(origin)
    return os.path.dirname(folder) if _is_package(origin) else folder


def _is_package(origin: str) -> bool:
    return os.path.basename(origin).startswith("__init__.")


def _mtime(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
