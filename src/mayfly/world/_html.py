"""Text from HTML: headings, lists, links, tables and code are kept, in the signs of Markdown; everything else goes."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

# Nothing in these is text for a reader.
_SKIPPED = frozenset({"script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "select"})
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr"),
        *("html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody"),
        *("td", "tfoot", "th", "thead", "tr", "ul"),
    }
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = ("ul", "ol", "menu")
# Deeper lists are written as deep as this: more blanks say nothing.
_DEEPEST = 8
# An address that is longer carries data, not a place to go to.
_LONGEST_LINK = 500
# `html.parser` takes time by the square of what is left open; a page that was meant to be read takes far less.
_SECONDS = 5.0
# From here on what stands in <main> is the page; less is a frame that a script would have filled.
_ENOUGH = 200
_COMMENT, _OPENING = "<!--", re.compile(r"<[!?]")
_BLANKS = re.compile(r"\s+")


class HtmlPage(NamedTuple):
    """A page as text; *whole* is false where it was too long, or too broken, to be read to its end."""

    title: str
    text: str
    whole: bool


class _TooLong(Exception):
    """The page has taken as much time or room as it may."""


def text_of_html(source: str, *, base: str = "", most: int = 400_000, everything: bool = False) -> HtmlPage:
    """Return the text of a page in at most *most* characters, with links made absolute by *base*.

    Where a page says which part of it is its content, only that is returned, or *everything*.
    """
    reader = _Reader(base, most)
    whole = True
    try:
        reader.feed(_without_comments(source))
        reader.close()
    except _TooLong:
        whole = False
    reader.end_block()
    reader.end_main()
    blocks = reader.blocks
    start, end = reader.main
    if not everything and sum(map(len, blocks[start:end])) >= _ENOUGH:
        blocks = blocks[start:end]
    text = "\n".join(blocks).strip("\n")
    return HtmlPage(_BLANKS.sub(" ", reader.title).strip()[:300], re.sub(r"\n{3,}", "\n\n", text)[:most], whole)


def _without_comments(source: str) -> str:
    """Leave out comments, declarations and processing instructions, each in one step whether it is closed or not."""
    kept, place = [], 0
    while (found := _OPENING.search(source, place)) is not None:
        kept.append(source[place : found.start()])
        mark = "-->" if source.startswith(_COMMENT, found.start()) else ">"
        end = source.find(mark, found.end())
        if end < 0:
            return "".join(kept)
        place = end + len(mark)
    kept.append(source[place:])
    return "".join(kept)


class _Reader(HTMLParser):
    def __init__(self, base: str, most: int) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self.title = ""
        self.main = (0, 0)
        self._base = base
        self._left = most
        self._until = time.monotonic() + _SECONDS
        self._line: list[str] = []
        self._mark = ""
        self._skipping: list[str] = []
        self._lists: list[tuple[str, int]] = []
        self._links: list[tuple[str, int]] = []
        self._rows: list[list[str]] | None = None
        self._cell = False
        self._header = False
        self._quotes = 0
        self._code: list[str] | None = None
        self._language = ""
        self._in_title = False
        self._main_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._check_time()
        if self._skipping or tag in _SKIPPED:
            # Only what can be inside itself is counted, so that one that is never closed ends with the first that is.
            if tag in _SKIPPED and len(self._skipping) < _DEEPEST:
                self._skipping.append(tag)
            return
        given = {name: value or "" for name, value in attrs}
        if self._code is not None:
            self._language = self._language or _language(given)
            return
        if tag in _BLOCKS:
            self._begin_block(tag, given)
        elif tag == "title":
            self._in_title = not self.title
        elif tag == "br":
            self._line.append(" " if self._cell else "\n")
        elif tag == "code":
            self._line.append("`")
        elif tag == "a":
            self._links.append((given.get("href", ""), len(self._line)))
        elif tag == "img" and given.get("alt", "").strip():
            self._line.append(f"![{_BLANKS.sub(' ', given['alt']).strip()[:200]}]")

    def _begin_block(self, tag: str, given: dict[str, str]) -> None:
        self.end_block()
        if tag in _HEADINGS:
            self._mark = "#" * _HEADINGS[tag] + " "
        elif tag in _LISTS:
            start = given.get("start", "1")
            self._lists.append((tag, int(start) - 1 if start.isdecimal() and len(start) < 9 else 0))
        elif tag == "li":
            self._begin_item()
        elif tag == "blockquote":
            self._quotes += 1
        elif tag == "pre":
            self._code, self._language = [], _language(given)
        elif tag == "dd":
            self._mark = "  "
        elif tag == "hr":
            self._add("---")
        elif tag == "main" or given.get("role") == "main":
            self._main_depth += 1
            if self._main_depth == 1 and self.main == (0, 0):
                self.main = (len(self.blocks), -1)
        elif tag in ("table", "tr", "td", "th"):
            self._begin_cell(tag)

    def _begin_item(self) -> None:
        if not self._lists:
            self._lists.append(("ul", 0))
        kind, number = self._lists[-1]
        self._lists[-1] = (kind, number + 1)
        self._mark = f"{number + 1}. " if kind == "ol" else "- "

    def _begin_cell(self, tag: str) -> None:
        if tag == "table":
            self._end_row()
            self._rows, self._header = None, False
        elif tag == "tr":
            self._end_row()
            self._rows = [[]]
        else:
            self._rows = [[]] if self._rows is None else self._rows
            self._rows[0].append("")
            self._cell, self._header = True, self._header or tag == "th"

    def handle_endtag(self, tag: str) -> None:
        self._check_time()
        if self._skipping:
            if tag in self._skipping:
                while self._skipping.pop() != tag:
                    pass
            return
        if self._code is not None:
            if tag == "pre":
                self._end_code()
            return
        if tag == "title":
            self._in_title = False
        elif tag == "code":
            self._line.append("`")
        elif tag == "a" and self._links:
            self._end_link()
        elif tag in _BLOCKS:
            self.end_block()
            self._end_container(tag)

    def _end_container(self, tag: str) -> None:
        if tag in _LISTS and self._lists:
            self._lists.pop()
            if not self._lists:
                self._add("")
        elif tag == "blockquote":
            self._quotes = max(0, self._quotes - 1)
        elif tag in ("td", "th"):
            self._cell = False
        elif tag in ("tr", "table"):
            self._end_row()
            if tag == "table":
                self._add("")
        elif tag == "main":
            self.end_main()

    def end_main(self) -> None:
        """Note where the content of the page ends."""
        self._main_depth = 0
        if self.main[1] < 0:
            self.main = (self.main[0], len(self.blocks))

    def handle_data(self, data: str) -> None:
        self._check_time()
        if self._skipping:
            return
        if self._in_title:
            self.title += data[:1000]
        elif self._code is not None:
            self._code.append(data)
            self._take(len(data))
        else:
            self._line.append(data.replace("\n", " ").replace("\r", " "))

    def _end_link(self) -> None:
        address, start = self._links.pop()
        start = min(start, len(self._line))
        text = _BLANKS.sub(" ", "".join(self._line[start:])).strip()
        where = self._absolute(address)
        if address.startswith("#") and not any(letter.isalnum() for letter in text):
            text = ""  # the sign beside a heading by which one gets its address
        self._line[start:] = [f"[{text}]({where})" if text and where else text]

    def _absolute(self, address: str) -> str:
        address = address.strip()
        try:
            found = urljoin(self._base, address)
            scheme = urlsplit(found).scheme
        except ValueError:
            return ""
        useful = scheme in ("http", "https", "mailto", "") and not address.startswith("#")
        return found.replace(" ", "%20").replace(")", "%29") if useful and len(found) <= _LONGEST_LINK else ""

    def end_block(self) -> None:
        """Write what stands in the line so far as a block of its own, or into its cell of a table."""
        lines = [_BLANKS.sub(" ", line).strip() for line in "".join(self._line).split("\n")]
        text = "\n".join(line for line in lines if line and line != "``")
        self._line, self._links = [], [(address, 0) for address, _ in self._links]
        if not text:
            return
        if self._cell and self._rows is not None and self._rows[0]:
            self._take(len(text))
            self._rows[0][-1] = f"{self._rows[0][-1]} {text}".strip()
            return
        mark, self._mark = self._mark, ""
        indent = "  " * (min(len(self._lists), _DEEPEST) - (1 if mark and self._lists else 0))
        if mark.startswith("#"):
            self._add("")
            self._add(mark + text.replace("\n", " "))
            self._add("")
        else:
            self._add(indent + mark + text.replace("\n", "\n" + indent + " " * len(mark)))
            if not self._lists:
                self._add("")

    def _end_code(self) -> None:
        code = "".join(self._code or ()).strip("\n")
        self._code = None
        fence = "```" if "```" not in code else "````"
        if self._cell and self._rows is not None and self._rows[0]:
            self._rows[0][-1] = f"{self._rows[0][-1]} `{_BLANKS.sub(' ', code).strip()}`".strip()
        elif code.strip():
            self._add(f"{fence}{self._language}\n{code}\n{fence}")
            self._add("")

    def _end_row(self) -> None:
        row = self._rows[0] if self._rows else []
        self._rows, self._cell = None, False
        if any(row):
            cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in row]
            self._add(f"| {' | '.join(cells)} |")
            if self._header:
                self._add("|" + " --- |" * len(row))
                self._header = False

    def _add(self, text: str) -> None:
        self._take(len(text))
        prefix = "> " * min(self._quotes, _DEEPEST)
        self.blocks.append("\n".join(prefix + line for line in text.split("\n")) if prefix and text else text)

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _TooLong

    def _check_time(self) -> None:
        if time.monotonic() > self._until:
            raise _TooLong


def _language(given: dict[str, str]) -> str:
    found = re.search(r"(?:language|lang|highlight)-(?:source-)?([\w+#.-]{1,20})", given.get("class", "")[:500])
    return found[1] if found else ""
