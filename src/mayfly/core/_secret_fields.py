"""Data as a model is shown it: what lies under a field named like a secret is a numbered placeholder.

A record is data and never written back, so here, and only here, forms by words count as well. Equal values have
the same number, so that what is counted, joined or compared stays what it is.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mayfly.core._secret_texts import is_random
from mayfly.core._secrets import is_secret_name, is_secret_variable, likely_forms, replaced

# Shorter values are "no", "yes", "set"; a number that short is a length or a count.
_SHORTEST_NAMED = 4
# Elsewhere in what is said, a value is only told from words when it is as long as a password has to be.
_SHORTEST_ELSEWHERE = 8
_HIDDEN = re.compile("(‹secret[^‹›]*›)")
_SEPARATORS = (",", "\t", ";", "|")


class SecretFields:
    """The values found under fields named like secrets, each with what stands for it."""

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def data(self, data: Any, name: str = "") -> Any:
        """Return plain data with placeholders; *name* is the field that it lies under."""
        if isinstance(data, str):
            return self._of_text(data, name)
        if isinstance(data, Mapping):
            return {key: self.data(item, str(key) if not is_secret_name(name) else name) for key, item in data.items()}
        if isinstance(data, (list, tuple)):
            return self.rows(data, name)
        is_number = isinstance(data, (int, float)) and not isinstance(data, bool)
        return self._placed(data, name) if is_number and is_secret_name(name) and abs(data) >= 1000 else data

    def rows(self, rows: Sequence[Any], name: str = "") -> list[Any]:
        """Return items with placeholders; of a table the first of them names the columns."""
        if rows and not name:
            if all(isinstance(row, str) for row in rows):
                return self._lines(list(rows))
            named = [str(cell) for cell in rows[0]] if isinstance(rows[0], (list, tuple)) else []
            if any(map(is_secret_name, named)) and len(rows) > 1:
                return [rows[0], *(self.arguments(row, named) for row in rows[1:])]
        return [self.data(item, name) for item in rows]

    def arguments(self, row: Any, names: Sequence[str]) -> Any:
        """Return a row of cells, or a list of arguments, each under its name."""
        if not isinstance(row, (list, tuple)) or len(row) != len(names):
            return self.data(row)
        return [self.data(cell, name) for cell, name in zip(row, names, strict=True)]

    def text(self, text: str) -> str:
        """Return what is said about the data without the values that were found in it."""
        known = (value for value in self._known if isinstance(value, str) and len(value) >= _SHORTEST_ELSEWHERE)
        return replaced(text, known, lambda value: str(self._known[value]))

    def said(self, text: str) -> str:
        """Return a message that repeats data, perhaps cut off: forms by words count as well."""
        return self._by_words(self.text(text))

    def restored(self, data: Any) -> Any:
        """Return plain data with the values in place of their placeholders."""
        if isinstance(data, str):
            for value, shown in self._known.items():
                if isinstance(value, str):
                    data = data.replace(str(shown), value)
            return data
        if isinstance(data, Mapping):
            return {self.restored(key): self.restored(item) for key, item in data.items()}
        return [self.restored(item) for item in data] if isinstance(data, list) else data

    def _of_text(self, text: str, name: str) -> str:
        if len(text) < _SHORTEST_NAMED or "‹secret" in text:
            return text
        if name and (is_secret_name(name) or (is_secret_variable(name) and is_random(text))):
            return str(self._placed(text, name))
        return "\n".join(self._lines(text.split("\n"))) if "\n" in text else self._line(text)

    def _placed(self, value: Any, name: str) -> Any:
        """Return what stands for *value*: of its own type, and the same each time."""
        if value not in self._known:
            number = len(self._known) + 1
            what = " ".join(name.split())[:40]
            self._known[value] = f"‹secret: {what} {number}›" if isinstance(value, str) else type(value)(number)
        return self._known[value]

    def _lines(self, lines: list[str]) -> list[str]:
        separator, columns = _header(lines[0]) if lines else ("", [])
        if not any(map(is_secret_name, columns)):
            return [self._line(line) for line in lines]
        return [lines[0], *(self._cells(line, separator, columns) for line in lines[1:])]

    def _cells(self, line: str, separator: str, columns: list[str]) -> str:
        """Hide cells of one line under their columns; a line with other columns is read for itself."""
        cells = next(csv.reader([line], delimiter=separator), [])
        hidden = self.arguments(cells, columns)
        if len(cells) != len(columns) or hidden == cells:
            return self._line(line)
        written = io.StringIO()
        csv.writer(written, delimiter=separator, lineterminator="").writerow(hidden)
        return written.getvalue() + line[len(line.rstrip("\r\n")) :]

    def _line(self, line: str) -> str:
        """Return a line without secrets, also those that were found elsewhere."""
        if line.lstrip()[:1] in ("{", "["):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                return self.said(line)
            hidden = self.data(record)
            if hidden == record:
                return self.text(line)
            return json.dumps(hidden, ensure_ascii=False, separators=None if '": ' in line else (",", ":"))
        return self.said(line)

    def _by_words(self, text: str) -> str:
        for form in likely_forms(text):
            # What is hidden already has words in it that would be taken for names.
            parts = _HIDDEN.split(text)
            parts[::2] = [form.sub(self._worded, part) for part in parts[::2]]
            text = "".join(parts)
        return text

    def _worded(self, found: re.Match[str]) -> str:
        kept = found["keep"]
        # Before the password of an address stands the name of a user.
        name = None if kept.startswith("://") else re.search(r"[A-Za-z][\w-]*", kept)
        return kept + str(self._placed(found["secret"], name[0].lower() if name else "password"))


def _header(line: str) -> tuple[str, list[str]]:
    """Return how cells are separated in a line, and what they are."""
    separator = max(_SEPARATORS, key=line.count)
    try:
        cells = next(csv.reader([line.rstrip("\r\n")], delimiter=separator), [])
    except csv.Error:
        cells = []
    return separator, [cell.strip() for cell in cells] if len(cells) > 1 else []
