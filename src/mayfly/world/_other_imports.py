"""Which file an import line leads to, in JavaScript and TypeScript, Go, Rust, C and C++."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

SCRIPTS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
HEADERS = (".h", ".hh", ".hpp", ".hxx")
SOURCES = (".c", ".cc", ".cpp", ".cxx")
_SCRIPT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"'\n]{1,300})["']""")
# A line of a block of imports has no word import; any other line that is a text names no package of the workspace.
_GO = re.compile(r"^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?\"([^\"\n]+)\"", re.MULTILINE)
_RUST_MOD = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", re.MULTILINE)
_RUST_USE = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+([\w:]+)(?:::\{([^}]*)\})?", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*(?:include|import)\s*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)
# The files that name the package whose sources lie below them, and where in them the name stands.
_NAMES = {
    "package.json": re.compile(r"\"name\"\s*:\s*\"([^\"]+)\""),
    "go.mod": re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE),
    "Cargo.toml": re.compile(r"^[ \t]*name\s*=\s*\"([\w-]+)\"", re.MULTILINE),
}
# A file that may be imported, if there is one, and where in the importing one that is said.
Imports = Iterator[tuple[str | None, int]]


class OtherFiles:
    """The files of other languages, with what tells where their imports begin."""

    def __init__(self, texts: Mapping[str, str], marks: Mapping[str, str]) -> None:
        """Take the sources, and the files that name packages: package.json, go.mod, Cargo.toml."""
        self._texts = texts
        self._by_name: dict[str, list[str]] = {}
        self._folders: dict[str, list[str]] = {}
        for path in texts:
            self._by_name.setdefault(os.path.basename(path), []).append(path)
            self._folders.setdefault(os.path.dirname(path), []).append(path)
        self._packages: dict[str, dict[str, str]] = {mark: {} for mark in _NAMES}
        for path, text in marks.items():
            mark = os.path.basename(path)
            if found := _NAMES[mark].search(text):
                self._packages[mark][found[1]] = os.path.dirname(path)

    def imports_of(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the files of the workspace that a file imports, with the line."""
        reader = _READERS.get(os.path.splitext(path)[1].lower())
        text = self._texts[path]
        for target, place in reader(self, path, text) if reader else ():
            if target is not None and target != path:
                yield target, text.count("\n", 0, place) + 1

    def _first(self, tried: Iterable[str]) -> str | None:
        return next((path for one in tried if (path := os.path.normpath(one)) in self._texts), None)

    def _in_package(self, mark: str, name: str) -> tuple[str, str] | None:
        """Return the directory of the package that a name begins with, and the rest of the name."""
        for package, folder in self._packages[mark].items():
            if name == package or name.startswith(f"{package}/"):
                return folder, name[len(package) :].lstrip("/")
        return None

    def scripts(self, path: str, text: str) -> Imports:
        """Read import, export … from, require and import()."""
        for found in _SCRIPT.finditer(text):
            bases = self._script_bases(path, found[1].partition("?")[0])
            yield self._first(file for base in bases for file in _script_files(base)), found.start()

    def _script_bases(self, path: str, name: str) -> list[str]:
        if name.startswith("."):
            return [os.path.join(os.path.dirname(path), name)]
        if name.startswith(("@/", "~/")):
            # What most projects call their own sources.
            return [f"src/{name[2:]}", name[2:]]
        if inside := self._in_package("package.json", name):
            folder, rest = inside
            return [os.path.join(folder, "src", rest), os.path.join(folder, rest)]
        return [name, f"src/{name}"] if "/" in name else []

    def go(self, path: str, text: str) -> Imports:
        """Read imports of packages, and that the files of one directory are one package."""
        yield from ((other, 0) for other in self._go_files(os.path.dirname(path)))
        for found in _GO.finditer(text):
            if inside := self._in_package("go.mod", found[1]):
                folder = os.path.normpath(os.path.join(*inside))
                others = self._go_files("" if folder == "." else folder)
                yield from ((one, found.start()) for one in others if not one.endswith("_test.go"))

    def _go_files(self, folder: str) -> list[str]:
        return [path for path in self._folders.get(folder, ()) if path.endswith(".go")]

    def rust(self, path: str, text: str) -> Imports:
        """Read mod and use; a path leads to the file of its longest beginning that has one."""
        stem = os.path.splitext(path)[0]
        own = os.path.dirname(path) if os.path.basename(stem) in ("mod", "lib", "main") else stem
        for found in _RUST_MOD.finditer(text):
            yield self._first(_rust_files(f"{own}/{found[1]}")), found.start()
        for found in _RUST_USE.finditer(text):
            for tail in (found[2] or "").split(","):
                steps = f"{found[1]}::{tail.strip().split(' ')[0]}".split("::")
                yield self._rust_path(path, own, [step for step in steps if step]), found.start()

    def _rust_path(self, path: str, own: str, steps: list[str]) -> str | None:
        crates = {name.replace("-", "_"): folder for name, folder in self._packages["Cargo.toml"].items()}
        base = own
        if steps and steps[0] == "crate":
            base = path[: path.rfind("src/") + 4].rstrip("/") if "src/" in path else os.path.dirname(path)
            steps = steps[1:]
        elif steps and steps[0] in crates:
            base, steps = os.path.join(crates[steps[0]], "src"), steps[1:]
        while steps and steps[0] in ("self", "super"):
            base = os.path.dirname(base) if steps[0] == "super" else base
            steps = steps[1:]
        ends = ["/".join(steps[:count]) for count in range(len(steps), 0, -1)]
        tried = [file for end in ends for file in _rust_files(f"{base}/{end}")]
        roots = [f"{base}/lib.rs", f"{base}/main.rs", *_rust_files(base)] if base != own else []
        return self._first([*tried, *roots])

    def c(self, path: str, text: str) -> Imports:
        """Read includes: beside the file, or the one file of the workspace whose path ends so."""
        for found in _INCLUDE.finditer(text):
            known = self._by_name.get(os.path.basename(found[1]), ())
            ends = [one for one in known if f"/{one}".endswith(f"/{found[1]}")]
            nearest = max(ends, key=lambda one: len(os.path.commonpath([one, path])), default=None)
            yield self._first([os.path.join(os.path.dirname(path), found[1])]) or nearest, found.start()

    def partner(self, path: str) -> str | None:
        """Return the header of a source of C, by which others know it."""
        stem, ending = os.path.splitext(path)
        if ending.lower() not in SOURCES:
            return None
        others = (one for end in HEADERS for one in self._by_name.get(os.path.basename(stem) + end, ()))
        return self._first(stem + end for end in HEADERS) or next(others, None)


def _script_files(base: str) -> list[str]:
    stem, ending = os.path.splitext(base)
    # TypeScript names the file that it will become.
    compiled = ending in (".js", ".jsx", ".mjs", ".cjs")
    written = [stem + other for other in (".ts", ".tsx", ".mts", ".cts")] if compiled else []
    return [base, *written, *(base + one for one in (*SCRIPTS, ".d.ts")), *(f"{base}/index{one}" for one in SCRIPTS)]


def _rust_files(base: str) -> list[str]:
    return [f"{base}.rs", f"{base}/mod.rs"]


_READERS: dict[str, Callable[[OtherFiles, str, str], Imports]] = {
    **dict.fromkeys(SCRIPTS, OtherFiles.scripts),
    **dict.fromkeys((*HEADERS, *SOURCES), OtherFiles.c),
    ".go": OtherFiles.go,
    ".rs": OtherFiles.rust,
}
LANGUAGES = frozenset(_READERS)
MARKS = frozenset(_NAMES)
