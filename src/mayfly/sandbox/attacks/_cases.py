"""Read the case files; they are text here and code only inside the sandbox."""

from __future__ import annotations

import ast
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_FIELD = re.compile(r"^(origin|why|control|harm|timeout|expect|grants|lines|data): (.+)$", re.MULTILINE)
_STATUSES = "ok error timeout memory died"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One published escape: what it tries, where it comes from and how its success would show.

    `harm` says how: "reported" by the case itself, by the "stage", or because the job "hangs", "dies" without an
    answer, "floods" its output or gives a "result" that is none. `expect` names the statuses that count as contained.
    `grants` is what the job is given; `lines` the file of the stage that is handed in as lines, `data` the one that it
    queries.
    """

    name: str
    category: str
    title: str
    origin: str
    why: str
    control: str
    harm: str
    timeout: float
    expect: frozenset[str]
    grants: tuple[str, ...]
    lines: str
    data: str
    text: str

    @property
    def source(self) -> str:
        """Return what is sent into the sandbox: the common helpers and the case."""
        return _prelude() + self.text

    def source_with(self, target: Mapping[str, object]) -> str:
        """Return the source of a case whose argument is a file, with what others get as their argument in its place."""
        handed = "lines" if self.lines else "data"
        calls = (
            f"def {entry}_file(file):\n    return {entry}({{**{dict(target)!r}, {handed!r}: file}})\n"
            for entry in ("attack", "second")
        )
        return "\n\n".join((self.source, *calls))

    @property
    def has_second(self) -> bool:
        """Say whether a second job looks for what the first one left."""
        return "\ndef second(" in self.text


@cache
def cases() -> tuple[Case, ...]:
    """Return every case, in order of category and name."""
    return tuple(_read(path) for path in sorted(_HERE.glob("cases/*/*.py")))


def system_calls(machine: str | None = None) -> dict[str, int]:
    """Return the numbers of the system calls that the cases make, on this machine or the one named."""
    column = {"x86_64": 1, "aarch64": 2}.get(machine or platform.machine())
    if column is None:
        return {}
    lines = (_HERE / "syscalls.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


@cache
def _prelude() -> str:
    return (_HERE / "cases" / "_prelude.py").read_text("utf-8")


def _read(path: Path) -> Case:
    text = path.read_text("utf-8")
    note = ast.get_docstring(ast.parse(text)) or path.stem
    fields = dict(_FIELD.findall(note))
    return Case(
        name=path.stem,
        category=path.parent.name,
        title=note.splitlines()[0].rstrip("."),
        origin=fields.get("origin", ""),
        why=fields.get("why", ""),
        control=fields.get("control", ""),
        harm=fields.get("harm", "reported"),
        timeout=float(fields.get("timeout", 5)),
        expect=frozenset(fields.get("expect", _STATUSES).split()),
        grants=tuple(fields.get("grants", "").split()),
        lines=fields.get("lines", ""),
        data=fields.get("data", ""),
        text=text,
    )
