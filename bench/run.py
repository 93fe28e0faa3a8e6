"""Run the benchmarks, print their tables and write them into RESULTS.md; a part that is not run keeps its section."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from bench._table import Table  # noqa: E402

MODULES = (
    "sandbox",
    "start",
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
TITLE = (
    "# Results\n\nWritten by `make bench`. Machines differ and neighbours make noise: trust the ratios within a table."
)


class Bench(Protocol):
    """What a module of this directory offers."""

    def measure(self, *, quick: bool) -> list[Table]: ...


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run, for a first look")
    parser.add_argument("--only", choices=MODULES, help="one part instead of all")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the file to write")
    chosen = parser.parse_args()
    for name in (chosen.only,) if chosen.only else MODULES:
        module: Bench = importlib.import_module(f"bench.{name}")
        machine = machine_line(quick=chosen.quick)
        tables = module.measure(quick=chosen.quick)
        section = "\n\n".join([f"## {name}", machine, *(table.markdown() for table in tables)]) + "\n"
        print(section, flush=True)
        # What could not be measured this time does not take the place of what was.
        if any(table.rows for table in tables):
            _replace(chosen.output, name, section)


def machine_line(*, quick: bool) -> str:
    """Describe where and when this is measured, in one paragraph."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    cores = len(os.sched_getaffinity(0))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    return (
        f"{now}{', a quick run' if quick else ''}. {_processor()}, {cores} cores; Linux {platform.release()} "
        f"{platform.machine()}; {python}; as {user}; load average before the run {load}."
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.lower().startswith(("model name", "hardware", "cpu part")):
            return line.partition(":")[2].strip()
    return "unknown processor"


def _replace(path: Path, name: str, section: str) -> None:
    """Put *section* in the place of the one with the same name, or at the end."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    found = {part.split("\n", 1)[0]: part.strip() for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]}
    found[name] = section.removeprefix("## ").strip()
    known = [key for key in MODULES if key in found]
    path.write_text("\n\n".join([TITLE, *[f"## {found[key]}" for key in known]]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
