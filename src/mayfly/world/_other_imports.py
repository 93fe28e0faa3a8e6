"""Which file an import line leads to, in JavaScript and TypeScript, Go, Rust, C and C++."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

SCRIPTS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
HEADERS = (".h", ".hh", ".hpp", ".hxx")
SOURCES = (".c", ".cc", ".cpp", ".cxx")
_SCRIPT = re.compile(
    r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"'\n]{1,300})["']""",
)
_GO_BLOCK = re.compile(r"^import\s*\(([^)]*)\)", re.MULTILINE)
_GO_LINE = re.compile(r"^import\s+[\w.]*\s*\"([^\"\n]+)\"", re.MULTILINE)
_RUST_MOD = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", re.MULTILINE)
_RUST_USE = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+([\w:]+)(?:::\{([^}]*)\})?", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*(?:include|import)\s*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)


class OtherFiles:
    """The files of other languages, with what tells where their imports begin."""

    def __init__(self, texts: Mapping[str, str], marks: Mapping[str, str]) -> None:
        """Take the sources, and the files that name packages: package.json, go.mod, Cargo.toml."""
        self._paths = set(texts)
        self._texts = texts
        self._ends: dict[str, list[str]] = {}
        for path in texts:
            self._ends.setdefault(os.path.basename(path), []).append(path)
        self._packages = dict(_packages(marks))
        self._modules = dict(_go_modules(marks))
        self._crates = dict(_crates(marks))
        self._folders: dict[str, list[str]] = {}
        for path in texts:
            if path.endswith(".go"):
                self._folders.setdefault(os.path.dirname(path), []).append(path)

    def imports_of(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield the files of the workspace that a file imports, with the line."""
        reader = _READERS.get(os.path.splitext(path)[1].lower())
        text = self._texts[path]
        for target, place in reader(self, path, text) if reader else ():
            if target != path:
                yield target, text.count("\n", 0, place) + 1

    def _first(self, tried: Sequence[str]) -> str | None:
        return next((path for one in tried if (path := os.path.normpath(one)) in self._paths), None)

    def scripts(self, path: str, text: str) -> Iterator[tuple[str, int]]:
        """Read import, export … from, require and import()."""
        for found in _SCRIPT.finditer(text):
            name = found[1].partition("?")[0]
            for base in self._script_bases(path, name):
                target = self._first(_script_files(base))
                if target is not None:
                    yield target, found.start()
                    break

    def _script_bases(self, path: str, name: str) -> list[str]:
        if name.startswith("."):
            return [os.path.join(os.path.dirname(path), name)]
        if name.startswith(("@/", "~/")):
            # What most projects call their own sources.
            return [f"src/{name[2:]}", name[2:]]
        package = next((one for one in self._packages if name == one or name.startswith(f"{one}/")), None)
        if package is not None:
            rest = name[len(package) :].lstrip("/")
            folder = self._packages[package]
            return [os.path.join(folder, "src", rest), os.path.join(folder, rest)]
        return [name, f"src/{name}"] if "/" in name else []

    def go(self, path: str, text: str) -> Iterator[tuple[str, int]]:
        """Read imports of packages, and that the files of one directory are one package."""
        for other in self._folders.get(os.path.dirname(path), ()):
            yield other, 0
        for block in _GO_BLOCK.finditer(text):
            for found in re.finditer(r"\"([^\"\n]+)\"", block[1]):
                yield from ((target, block.start(1) + found.start()) for target in self._go_package(found[1]))
        for found in _GO_LINE.finditer(text):
            yield from ((target, found.start()) for target in self._go_package(found[1]))

    def _go_package(self, name: str) -> list[str]:
        for module, folder in self._modules.items():
            if name == module or name.startswith(f"{module}/"):
                inside = os.path.normpath(os.path.join(folder, name[len(module) :].lstrip("/")))
                return [
                    one
                    for one in self._folders.get("" if inside == "." else inside, ())
                    if not one.endswith("_test.go")
                ]
        return []

    def rust(self, path: str, text: str) -> Iterator[tuple[str, int]]:
        """Read mod and use; a path leads to the file of its longest beginning that has one."""
        stem = os.path.splitext(os.path.basename(path))[0]
        own = os.path.dirname(path) if stem in ("mod", "lib", "main") else os.path.splitext(path)[0]
        for found in _RUST_MOD.finditer(text):
            target = self._first([f"{own}/{found[1]}.rs", f"{own}/{found[1]}/mod.rs"])
            if target is not None:
                yield target, found.start()
        for found in _RUST_USE.finditer(text):
            tails = [part.strip().split(" ")[0] for part in (found[2] or "").split(",")] or [""]
            for tail in tails:
                target = self._rust_path(path, own, [step for step in f"{found[1]}::{tail}".split("::") if step])
                if target is not None:
                    yield target, found.start()

    def _rust_path(self, path: str, own: str, steps: list[str]) -> str | None:
        base = own
        root = path[: path.rfind("src/") + 4].rstrip("/") if "src/" in path else os.path.dirname(path)
        if steps and steps[0] == "crate":
            base, steps = root, steps[1:]
        elif steps and steps[0] in ("self", "super"):
            while steps and steps[0] in ("self", "super"):
                base = os.path.dirname(base) if steps[0] == "super" else base
                steps = steps[1:]
        elif steps and steps[0] in self._crates:
            base, steps = os.path.join(self._crates[steps[0]], "src"), steps[1:]
        for count in range(len(steps), 0, -1):
            inner = "/".join(steps[:count])
            target = self._first([f"{base}/{inner}.rs", f"{base}/{inner}/mod.rs"])
            if target is not None:
                return target
        return (
            self._first([f"{base}/lib.rs", f"{base}/main.rs", f"{base}.rs", f"{base}/mod.rs"]) if base != own else None
        )

    def c(self, path: str, text: str) -> Iterator[tuple[str, int]]:
        """Read includes: beside the file, or the one file of the workspace whose path ends so."""
        for found in _INCLUDE.finditer(text):
            beside = self._first([os.path.join(os.path.dirname(path), found[1])])
            ends = [one for one in self._ends.get(os.path.basename(found[1]), ()) if f"/{one}".endswith(f"/{found[1]}")]
            target = beside or (max(ends, key=lambda one: len(os.path.commonpath([one, path]))) if ends else None)
            if target is not None:
                yield target, found.start()

    def partner(self, path: str) -> str | None:
        """Return the header of a source of C, by which others know it."""
        stem, ending = os.path.splitext(path)
        if ending.lower() not in SOURCES:
            return None
        name = os.path.basename(stem)
        beside = self._first([stem + one for one in HEADERS])
        return beside or next((one for end in HEADERS for one in self._ends.get(name + end, ())), None)


def _script_files(base: str) -> list[str]:
    stem, ending = os.path.splitext(base)
    # TypeScript names the file that it will become.
    written = (
        [stem + other for other in (".ts", ".tsx", ".mts", ".cts")] if ending in (".js", ".jsx", ".mjs", ".cjs") else []
    )
    return [base, *written, *(base + one for one in (*SCRIPTS, ".d.ts")), *(f"{base}/index{one}" for one in SCRIPTS)]


def _packages(marks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in marks.items():
        if os.path.basename(path) == "package.json":
            try:
                name = json.loads(text).get("name")
            except (ValueError, AttributeError, RecursionError):
                continue
            if isinstance(name, str) and name:
                yield name, os.path.dirname(path)


def _go_modules(marks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in marks.items():
        found = re.search(r"^module\s+(\S+)", text, re.MULTILINE) if os.path.basename(path) == "go.mod" else None
        if found:
            yield found[1].strip('"'), os.path.dirname(path)


def _crates(marks: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in marks.items():
        if os.path.basename(path) == "Cargo.toml":
            found = re.search(r"^[ \t]*name\s*=\s*\"([\w-]+)\"", text, re.MULTILINE)
            if found:
                yield found[1].replace("-", "_"), os.path.dirname(path)


_READERS: dict[str, Callable[[OtherFiles, str, str], Iterator[tuple[str, int]]]] = {
    **dict.fromkeys(SCRIPTS, OtherFiles.scripts),
    **dict.fromkeys((*HEADERS, *SOURCES), OtherFiles.c),
    ".go": OtherFiles.go,
    ".rs": OtherFiles.rust,
}
LANGUAGES = frozenset(_READERS)
MARKS = frozenset({"package.json", "go.mod", "Cargo.toml"})
