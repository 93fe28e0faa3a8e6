"""The ratios of earlier runs, by kind of machine, and which of them became slower.

Times differ from machine to machine and from hour to hour; a ratio to something that was measured in the same run does
so much less. `ratios.json` keeps the last ones of each kind of machine: {kind: {part: {measured, ratios}}}.
"""

from __future__ import annotations

import json
import platform
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench._table import Table

# Slower by less is the noise of neighbours.
ALLOWED = 1.2
# What names a processor without saying which: trade marks, the clock, the word itself.
_NO_KIND = re.compile(r"\((?:R|TM)\)|@.*|\b(?:CPU|Processor)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d[\d,]*(?:\.(\d+))?")


class Slower(NamedTuple):
    """A ratio that became worse: what of it, what it was, what it is, and how many times the time it stands for."""

    what: str
    before: str
    now: str
    times: float

    def __str__(self) -> str:
        return f"{self.what}: {self.before} before, {self.now} now, {self.times:.2f} × slower"


def processor() -> str:
    """Return what this machine calls its processor: a name, or the number of the part."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.lower().startswith(("model name", "hardware", "cpu part")):
            return line.partition(":")[2].strip()
    return "unknown processor"


def machine_kind(architecture: str | None = None, name: str | None = None) -> str:
    """Return the architecture and the model of the processor, which make machines comparable; this one's by default."""
    named = _NO_KIND.sub(" ", processor() if name is None else name)
    return " ".join([architecture or platform.machine(), *named.split()])


def ratios(tables: Sequence[Table]) -> dict[str, str]:
    """Return the ratios of our own rows as the tables show them, by table, row and column; "" where none was measured.

    The tables of bars repeat ratios of other tables, and what a peer takes in relation to another is not ours.
    """
    return {key: cell for table in tables if not table.title.startswith("Bars") for key, cell in _ratios(table)}


def _ratios(table: Table) -> Iterator[tuple[str, str]]:
    texts = [[cell for cell in row[:2] if any(word in cell for word in table.ours)] for row in table.rows]
    rows = [row for row, text in zip(table.rows, texts, strict=True) if text or not any(texts)]
    often = Counter(row[0] for row in rows)
    rates = any(head.endswith("/s") for head in table.head)
    for row in rows:
        # Where the first cell says too little, the second belongs to the name of the row; a row alone needs no name,
        # and its first cell may be a measurement too.
        name = "" if len(table.rows) == 1 else row[0] if often[row[0]] == 1 else f"{row[0]}, {row[1]}"
        for head, cell in zip(table.head[1:], row[1:], strict=True):
            if "×" in head or "ratio" in head or "×" in cell:
                # A ratio of rates, and one that says how many times faster, is the better the greater it is.
                upwards = "faster" in head or (rates and "×" in head)
                yield f"{table.title} | {name} | {head}{' ↑' if upwards else ''}", cell if _figures(cell) else ""


def compare(before: Mapping[str, str], now: Mapping[str, str]) -> list[Slower]:
    """Return what became slower by more than a fifth, the worst first. Of a minimum and a median either suffices."""
    found = []
    for key, cell in now.items():
        pairs = zip(_figures(before.get(key, "")), _figures(cell), strict=False)
        worst = max((_times(old, new, upwards=key.endswith("↑")) for old, new in pairs), default=0.0)
        if worst > ALLOWED:
            found.append(Slower(key.removesuffix(" ↑"), before[key], cell, worst))
    return sorted(found, key=lambda one: -one.times)


class _Figure(NamedTuple):
    value: float
    # Half of the last digit: 0.01 may be anything from 0.005 to 0.015.
    doubt: float


def _figures(cell: str) -> list[_Figure]:
    return [
        _Figure(float(found.group().replace(",", "")), 0.5 * 10.0 ** -len(found.group(1) or ""))
        for found in _FIGURE.finditer(cell)
    ]


def _times(old: _Figure, new: _Figure, *, upwards: bool) -> float:
    """Return how many times slower *new* is at least, when all that rounding can have done is taken off."""
    worse, better = (old, new) if upwards else (new, old)
    return max(worse.value - worse.doubt, 0.0) / (better.value + better.doubt)


class Record:
    """The file with the ratios of the last run of each part on each kind of machine."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def of(self, kind: str, part: str) -> Mapping[str, str]:
        """Return the last ratios of a part; none if it was never measured on such a machine."""
        found: Mapping[str, str] = self._kept.get(kind, {}).get(part, {}).get("ratios", {})
        return found

    def write(self, kind: str, part: str, *, measured: str, now: Mapping[str, str]) -> None:
        """Keep the ratios of a run. One that could not be measured this time (no such peer here) stays as it was."""
        before = self.of(kind, part)
        kept = {key: cell or before.get(key, "") for key, cell in now.items()}
        found = {key: cell for key, cell in kept.items() if cell}
        if found:
            self._kept.setdefault(kind, {})[part] = {"measured": measured, "ratios": found}
            text = json.dumps(self._kept, indent=1, ensure_ascii=False, sort_keys=True)
            self._path.write_text(text + "\n", encoding="utf-8")
