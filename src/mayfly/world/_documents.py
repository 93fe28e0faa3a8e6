"""Documents: what sections they have, and the text of one of them; nothing in them is run."""

from __future__ import annotations

import ast
import csv
import importlib
import io
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from mayfly.core import Capability, InputError, Invocation, one_line, parse_json, parse_python
from mayfly.world._declare import PLACE, TEXT, said, takes, tool
from mayfly.world._html import text_of_html
from mayfly.world._place import WorkspacePlace, text_in

# A book has about a million characters.
_LARGEST = 8 * 1024 * 1024
# Titles in one outline, and characters of one section; what is longer is read in its parts.
_TITLES = 300
_LONGEST = 200_000
# Where a text has no titles, so many lines are one section; of a table, so many rows.
_LINES, _ROWS = 60, 50
_PAGES = 500
# Keys of data are listed down to here.
_LEVELS = 2
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*$")
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")


class Section(NamedTuple):
    """One part of a document under its title; *text* is its own, without that of the parts below it."""

    level: int
    title: str
    line: int
    text: str


class Document(NamedTuple):
    """What a document is and consists of."""

    format: str
    sections: tuple[Section, ...]

    def numbers(self) -> list[str]:
        """Return the number of each section, such as 2.1."""
        found: list[str] = []
        path: list[tuple[int, int]] = []
        for section in self.sections:
            before = dict(path).get(section.level, 0)
            path = [*(one for one in path if one[0] < section.level), (section.level, before + 1)]
            found.append(".".join(str(number) for _, number in path))
        return found

    def find(self, wanted: str) -> int:
        """Return the place of the section of this number, or with this title, or whose title alone holds it."""
        numbers = self.numbers()
        if wanted in numbers:
            return numbers.index(wanted)
        small = " ".join(wanted.casefold().split())
        titles = [" ".join(section.title.casefold().split()) for section in self.sections]
        if small in titles:
            return titles.index(small)
        places = [place for place, title in enumerate(titles) if small in title]
        if len(places) == 1:
            return places[0]
        if places:
            named = ", ".join(f"{numbers[place]} {self.sections[place].title[:60]}" for place in places[:5])
            raise InputError(f"{wanted!r} is in the titles of {len(places)} sections: {named}", fix="say the number")
        raise InputError(f"there is no section {wanted!r}", fix="ask without a section for the outline")

    def whole(self, place: int) -> str:
        """Return a section with all that is below it."""
        first = self.sections[place]
        below = self.sections[place + 1 :]
        end = next((number for number, one in enumerate(below) if one.level <= first.level), len(below))
        parts = [first, *below[:end]]
        return "\n\n".join(f"{'#' * min(one.level, 6)} {one.title}\n{one.text}".rstrip() for one in parts)


def document_tools(place: WorkspacePlace) -> tuple[Capability, ...]:
    """Return the tools that read documents."""
    return (doc_parse.bound(place),)


def _of_file(place: WorkspacePlace, path: str, format: str) -> Document:
    if format == "pdf":
        return parse_document(pdf_text(place.read(path)), "pdf")
    return parse_document(text_in(place, path, most=_LARGEST), format)


def outline(document: Document, name: str) -> str:
    """Return the titles of a document with their numbers, lines and lengths."""
    rows = list(zip(document.numbers(), document.sections, strict=True))
    lines = [f"{name}: {document.format}, {len(rows)} sections"]
    for number, section in rows[:_TITLES]:
        words = len(section.text.split())
        where = f"line {section.line}, " if section.line else ""
        lines.append(f"{'  ' * number.count('.')}{number} {one_line(section.title, limit=120)} ({where}{words} words)")
    if len(rows) > _TITLES:
        lines.append(f"[{len(rows) - _TITLES} more]")
    return "\n".join(lines)


def format_of(path: str) -> str:
    """Return how a file is written, by the end of its name."""
    return _SUFFIXES.get(path.rpartition(".")[2].lower(), "text")


def parse_document(text: str, format: str) -> Document:
    """Return the sections of *text*; what is not written as it is said to be is an `InputError`."""
    try:
        return Document(format, tuple(_PARSERS[format](text)))
    except (ValueError, SyntaxError, csv.Error, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"that is no {format}: {one_line(str(error), limit=200)}", fix="name another format") from None
    except (RecursionError, MemoryError):
        raise InputError(f"that {format} is nested too deeply to be read") from None


def _titled(lines: Sequence[str], titles: Sequence[tuple[int, int, str, int]]) -> Iterator[Section]:
    """Cut *lines* at *titles*: the first line of each, its level, its words, and how many lines it takes."""
    start = "\n".join(lines[: titles[0][0]] if titles else lines).strip("\n")
    if start.strip():
        yield Section(1, "(beginning)" if titles else "(all)", 1, start)
    for place, (line, level, title, taken) in enumerate(titles):
        end = titles[place + 1][0] if place + 1 < len(titles) else len(lines)
        yield Section(level, title or "(no title)", line + 1, "\n".join(lines[line + taken : end]).strip("\n"))


def _markdown(text: str) -> Iterator[Section]:
    lines = text.splitlines()
    titles: list[tuple[int, int, str, int]] = []
    fence = ""
    for number, line in enumerate(lines):
        marked = _FENCE.match(line)
        if marked:
            fence = "" if fence and marked[1].startswith(fence) else fence or marked[1][:3]
        elif fence:
            continue
        elif found := _HEADING.match(line):
            titles.append((number, len(found[1]), (found[2] or "").strip(), 1))
        elif number and (under := _UNDERLINE.match(line)) and _is_plain(lines[number - 1]):
            titles.append((number - 1, 1 if under[1][0] == "=" else 2, lines[number - 1].strip(), 2))
    yield from _titled(lines, titles)


def _is_plain(line: str) -> bool:
    """Whether a line with an underline is a title: no list, quotation, table or other line of signs."""
    return (
        bool(line.strip())
        and not re.match(r"\s*([-*+>|#]|\d+[.)])\s|\s{4}|\s*\|", line)
        and any(map(str.isalnum, line))
    )


def _restructured(text: str) -> Iterator[Section]:
    lines = text.splitlines()
    titles: list[tuple[int, int, str, int]] = []
    levels: list[tuple[str, bool]] = []
    for number in range(1, len(lines)):
        under, title = _ADORNED.match(lines[number]), lines[number - 1].strip()
        if not under or not title or _ADORNED.match(title) or len(lines[number].rstrip()) < len(title):
            continue
        over = number > 1 and lines[number - 2].rstrip() == lines[number].rstrip()
        if not over and number > 1 and lines[number - 2].strip():
            continue  # the last line of a paragraph, or of a table
        style = (under[1], over)
        if style not in levels:
            levels.append(style)
        titles.append((number - (2 if over else 1), levels.index(style) + 1, title, 3 if over else 2))
    yield from _titled(lines, titles)


def _plain(text: str) -> Iterator[Section]:
    lines = text.splitlines()
    if len(lines) <= _LINES:
        yield from _titled(lines, ())
        return
    for start in range(0, len(lines), _LINES):
        some = lines[start : start + _LINES]
        first = next((line.strip() for line in some if line.strip()), "(blank)")
        yield Section(1, first[:80], start + 1, "\n".join(some))


def _notebook(text: str) -> Iterator[Section]:
    parts = []
    for number, cell in enumerate(_object(parse_json(text, "it"))["cells"], 1):
        source = _joined(cell.get("source", ""))
        if cell.get("cell_type") == "code":
            printed = "\n".join(filter(None, map(_printed, cell.get("outputs", ()))))
            parts.append(f"```python\n# cell {number}\n{source}\n```")
            parts += [f"```\n{printed[:2000]}\n```"] if printed.strip() else []
        else:
            parts.append(source)
    yield from _markdown("\n\n".join(parts))


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value


def _printed(output: Mapping[str, Any]) -> str:
    data = output.get("data", {})
    return _joined(output.get("text", "") or data.get("text/plain", "") or output.get("evalue", ""))


def _joined(source: object) -> str:
    return source if isinstance(source, str) else "".join(map(str, source)) if isinstance(source, list) else ""


def _data(name: str, value: object, level: int) -> Iterator[Section]:
    """Yield a value and what is in it; one that is only a key of another is in that one's text."""
    inner = value.items() if isinstance(value, dict) and level <= _LEVELS else ()
    shown = (
        f"{len(value)} keys"
        if inner and isinstance(value, dict)
        else json.dumps(value, indent=1, default=str, ensure_ascii=False)
    )
    kind = "record" if isinstance(value, dict) else type(value).__name__
    size = f" of {len(value)}" if isinstance(value, (dict, list)) else ""
    yield Section(level, f"{name} ({kind}{size})", 0, shown)
    for key, item in inner:
        yield from _data(str(key), item, level + 1)


def _table(text: str) -> Iterator[Section]:
    first = text.partition("\n")[0]
    comma = max(",;\t|", key=first.count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=comma) if row]
    if not rows:
        return
    head, body = rows[0], rows[1:]
    columns = [f"{number}. {name}: {_sample(body, number - 1)}" for number, name in enumerate(head, 1)]
    yield Section(1, f"{len(head)} columns, {len(body)} rows", 1, "\n".join(columns))
    for start in range(0, len(body), _ROWS):
        some = body[start : start + _ROWS]
        text = "\n".join(comma.join(row) for row in [head, *some])
        yield Section(1, f"rows {start + 1}-{start + len(some)}", 0, text)


def _sample(rows: Sequence[Sequence[str]], column: int) -> str:
    values = dict.fromkeys(row[column].strip() for row in rows[:200] if column < len(row))
    return ", ".join(one_line(value, limit=30) for value in islice(values, 4))


def _docstrings(text: str) -> Iterator[Section]:
    tree = parse_python(text)
    yield Section(1, "(module)", 1, ast.get_docstring(tree) or "")
    yield from _documented(tree.body, 1, "")


def _documented(body: Sequence[ast.stmt], level: int, within: str) -> Iterator[Section]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            bases = ", ".join(map(ast.unparse, node.bases))
            yield Section(level, f"class {within}{node.name}({bases})", node.lineno, ast.get_docstring(node) or "")
            yield from _documented(node.body, level + 1, f"{within}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            signature = f"def {within}{node.name}({ast.unparse(node.args)}){returned}"
            yield Section(level, signature, node.lineno, ast.get_docstring(node) or "")


def _pages(text: str) -> Iterator[Section]:
    for number, page in enumerate(text.split("\f"), 1):
        yield Section(1, f"page {number}", 0, page.strip("\n"))


def pdf_text(data: bytes) -> str:
    """Return the text of a PDF, its pages parted by form feeds; without a library for that an error says so."""
    if not data.startswith(b"%PDF-"):
        raise InputError("that is no PDF")
    try:
        library = importlib.import_module("pypdf")
    except ImportError:
        raise InputError("PDF cannot be read here: there is no pypdf", fix="python -m pip install pypdf") from None
    try:
        pages = islice(library.PdfReader(io.BytesIO(data)).pages, _PAGES)
        return "\f".join(page.extract_text() or "" for page in pages)
    except Exception as error:
        # The library has errors of its own, and broken files give it any other.
        raise InputError(f"that PDF cannot be read: {one_line(str(error), limit=200)}") from None


_PARSERS: dict[str, Callable[[str], Iterator[Section]]] = {
    "markdown": _markdown,
    "restructuredtext": _restructured,
    "html": lambda text: _markdown(text_of_html(text, everything=True).text),
    "text": _plain,
    "json": lambda text: _data("(all)", parse_json(text, "it"), 1),
    "toml": lambda text: _data("(all)", tomllib.loads(text), 1),
    "csv": _table,
    "notebook": _notebook,
    "python": _docstrings,
    "pdf": _pages,
}
_SUFFIXES = {
    **dict.fromkeys(("md", "markdown", "mdx"), "markdown"),
    **dict.fromkeys(("rst", "rest"), "restructuredtext"),
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("csv", "tsv"), "csv"),
    "json": "json",
    "toml": "toml",
    "ipynb": "notebook",
    "pdf": "pdf",
}


@tool(
    takes(
        "path",
        path=PLACE,
        section=said(TEXT, "the number or title of a section of the outline", maxLength=500),
        format={"enum": sorted(_PARSERS), "description": "where the name of the file does not say"},
    ),
    asks="path",
    seconds=60.0,
)
def doc_parse(place: WorkspacePlace, call: Invocation) -> str:
    """Outline a document of the workspace (Markdown, reStructuredText, HTML, text, JSON, TOML, CSV, notebook,
    docstrings of Python, PDF), or give the text of one of its sections.
    """
    path = call.arguments["path"]
    format = call.arguments.get("format") or format_of(path)
    document = _of_file(place, path, format)
    if not document.sections:
        return f"[{path} is empty]"
    wanted = call.arguments.get("section")
    if wanted:
        text = document.whole(document.find(wanted))
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n[… {len(text) - _LONGEST:,} characters more]"
    return outline(document, path)
