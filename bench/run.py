"""Run the benchmarks, print their tables and write them into RESULTS.md, a section for each part and architecture.

A section that is not measured stays as it is. The ratios are compared with the last ones of the same kind of machine in
ratios.json: what became slower by more than a fifth is named at the end.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from bench._ratios import Record, Slower, compare, machine_kind, processor, ratios  # noqa: E402
from bench._table import Table  # noqa: E402

MODULES = (
    "sandbox",
    "start",
    "data",
    "compile",
    "proof",
    "by_example",
    "policy",
    "promise",
    "ledger",
    "workbench",
    "library",
    "serve",
    "web",
    "market",
)
RESULTS = HERE / "RESULTS.md"
# Beside the results, in any directory that they are written to.
RATIOS = "ratios.json"
TITLE = (
    "# Results\n\nWritten by `make bench`, a section for each part and each architecture it was measured on. Machines "
    "differ and neighbours make noise: trust the ratios within a table."
)


class Bench(Protocol):
    """What a module of this directory offers."""

    def measure(self, *, quick: bool) -> list[Table]: ...


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run, for a first look; it records no ratios")
    parser.add_argument("--only", choices=MODULES, help="one part instead of all")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the file to write")
    parser.add_argument("--strict", action="store_true", help="fail if a ratio became slower by more than a fifth")
    chosen = parser.parse_args()
    kind = machine_kind()
    slower: dict[str, list[Slower]] = {}
    for name in (chosen.only,) if chosen.only else MODULES:
        module: Bench = importlib.import_module(f"bench.{name}")
        machine = machine_line(quick=chosen.quick)
        tables = module.measure(quick=chosen.quick)
        section = "\n\n".join([machine, *(table.markdown() for table in tables)])
        print(f"## {name}\n\n{section}\n", flush=True)
        # What could not be measured this time does not take the place of what was.
        if any(table.rows for table in tables):
            replace_section(chosen.output, f"{name}, {platform.machine()}", section)
        now, before = ratios(tables), Record(RESULTS.with_name(RATIOS)).of(kind, name)
        if before:
            slower[name] = compare(before, now)
        # A short run is no measure for later ones, and a strict run must not pass because it is run a second time.
        if not chosen.quick and not (chosen.strict and slower.get(name)):
            Record(chosen.output.with_name(RATIOS)).write(kind, name, measured=machine, now=now)
    print(verdict(kind, slower))
    if chosen.strict and any(slower.values()):
        raise SystemExit(1)


def verdict(kind: str, slower: Mapping[str, Sequence[Slower]]) -> str:
    """Say what became slower in the parts that had ratios to compare with."""
    if not slower:
        return f"No ratios of these parts are recorded for {kind}: nothing to compare with."
    found = [f"- {part}: {one}" for part, several in slower.items() for one in several]
    parts = ", ".join(slower)
    if not found:
        return f"Nothing became slower by more than a fifth since the last run on {kind}, in {parts}."
    return "\n".join([f"Slower by more than a fifth than the last run on {kind}, of {parts}:", *found])


def machine_line(*, quick: bool) -> str:
    """Describe where and when this is measured, in one paragraph."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    cores = len(os.sched_getaffinity(0))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    return (
        f"{now}{', a quick run' if quick else ''}. {processor()}, {cores} cores; Linux {platform.release()} "
        f"{platform.machine()}; {python}; as {user}; load average before the run {load}."
    )


def sections(text: str) -> dict[str, str]:
    """Return the sections of a page of results, each by its heading: the part and the architecture."""
    found = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return {heading: body.strip() for heading, body in zip(found[1::2], found[2::2], strict=True)}


def replace_section(path: Path, heading: str, body: str) -> None:
    """Put a section in the place of the one of the same part and architecture, or beside the part's other ones."""
    found = sections(path.read_text(encoding="utf-8")) if path.exists() else {}
    found[heading] = body.strip()
    # x86_64 before aarch64, as they came.
    order = sorted(found, reverse=True)
    known = [key for part in MODULES for key in order if key.partition(",")[0] == part]
    path.write_text("\n\n".join([TITLE, *[f"## {key}\n\n{found[key]}" for key in known]]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
