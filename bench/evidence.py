"""Gather the evidence: run what can be run again, and write EVIDENCE.md with command, date and machine of each part.

What a part measured is kept in evidence.json, so that one part can be renewed alone: `bench/evidence.py --only wall`.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from bench._table import Table  # noqa: E402
from bench.run import RESULTS, machine_line, sections  # noqa: E402

KEPT = HERE / "evidence.json"
PAGE = ROOT / "EVIDENCE.md"
BLIND = HERE / "blind.toml"
INTRODUCTION = """\
# Evidence

What is claimed of Mayfly, with the command that measured it, the day and the machine. `make evidence` runs all of it
again, `.venv/bin/python bench/evidence.py --only PART` one part. Machines differ and neighbours make noise: trust the
ratios within a table, and a bar that is missed stands here as missed.
"""
# Tables of the benchmarks that say how we stand beside others; the rest is in bench/RESULTS.md.
_TELLING = re.compile(
    r"^(Bars.*|A command|Commits|A call of a known tool|10,000 tools|A call over MCP.*|.*HTTP.*"
    r"|A call of a tool, free.*)$"
)
_TRUTH = ("proof", "by_example")
# Longer than any part takes on two slow cores.
_LONGEST = 3600.0


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of the page: what it is about, the commands that anyone can repeat, and how it is measured."""

    name: str
    title: str
    commands: tuple[str, ...]
    measure: Callable[[bool], list[Table]]


def run(*command: str, allowed: tuple[int, ...] = (0, 1)) -> str:
    """Run a command in the repository and return what it printed."""
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=_LONGEST, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode not in allowed:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def mayfly(*arguments: str) -> str:
    """Run a command of ours with the interpreter that runs this."""
    return run(sys.executable, "-m", "mayfly.cli", *arguments)


def measure_wall(quick: bool) -> list[Table]:
    """Fire every attack at every wall that this machine gives, and run the benign programs behind it."""
    rows = []
    for level in ("namespaces", "landlock"):
        some = ("--only", "fork") if quick else ()
        told = json.loads(mayfly("doctor", "--attack", "--level", level, "--json", *some))
        rows.append((level, f"{told['contained']} of {told['total']}", str(told["survivors"])))
    attacks = Table(
        title="Attacks contained",
        caption="Published escapes and our own, each in a process of its own; a survivor is a process left behind.",
        head=("wall", "contained", "survivors"),
        rows=rows,
    )
    benign = _counted("tests/sandbox/test_benign.py")
    return [attacks, _one_row("Benign programs right", "programs of all kinds, their answers compared", benign)]


def measure_rules(quick: bool) -> list[Table]:
    """Try the lists of statements for agents' tables and of actions in a workspace."""
    rows = []
    for name in ("legitimate", "evil"):
        path = ROOT / "tests" / "store" / "schema" / f"{name}.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for dialect in ("postgres", "sqlite"):
            told = mayfly("schema", "check", "--file", str(path), "--dialect", dialect).splitlines()
            given = [json.loads(line)["decision"] for line in told]
            right = sum(decision == line[dialect] for decision, line in zip(given, lines, strict=True))
            rows.append((f"{name} statements, {dialect}", f"{right} of {len(lines)}"))
    rows += [("actions in a workspace, hostile and benign", _counted("tests/policy/rules"))]
    caption = "Lists of our own that the gates are held to in every test run: known lists, not blind ones."
    return [Table(title="Statements and actions decided right", caption=caption, head=("list", "right"), rows=rows)]


def measure_chaos(quick: bool) -> list[Table]:
    """Kill runs, sandboxes and sessions at random instants, and end the sessions of the database."""
    kills, rounds, jobs = ("5", "10", "50") if quick else ("50", "200", "10000")
    scripts = (
        ("tests/promise/chaos.py", "--kills", kills),
        ("tests/promise/storm.py", "--rounds", rounds),
        ("tests/sandbox/chaos.py", "--jobs", jobs),
        ("tests/session/storm.py", "--kills", kills),
        ("tests/market/storm.py", "--rounds", kills),
    )
    rows = []
    for script, *options in scripts:
        lines = [line for line in run(sys.executable, script, *options, allowed=(0,)).splitlines() if line.strip()]
        rows += [(script, line) for line in lines[-2:]]
    caption = "What the scripts counted in the world outside, not in our own books."
    return [Table(title="Killed at random instants", caption=caption, head=("script", "counted"), rows=rows)]


def measure_sizes(quick: bool) -> list[Table]:
    """Install into an empty environment, and count what came."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for extra in ("",) if quick else ("", "mcp", "all"):
            environment = Path(place) / (extra or "base")
            run(sys.executable, "-m", "venv", str(environment))
            python = str(environment / "bin" / "python")
            named = f".[{extra}]" if extra else "."
            run(python, "-m", "pip", "install", "--quiet", "--constraint", "constraints.txt", named, allowed=(0,))
            listed = json.loads(run(python, "-m", "pip", "list", "--format", "json", allowed=(0,)))
            # What every environment has before anything is installed is nobody's dependency.
            ours = [one["name"] for one in listed if one["name"] not in ("pip", "setuptools")]
            files = [path for path in environment.rglob("*") if path.is_file() and not path.is_symlink()]
            size = sum(path.stat().st_size for path in files)
            rows.append((named, str(len(ours)), f"{size / 1e6:,.0f} MB"))
    caption = "Distributions with Mayfly itself, and the size of the environment with its pip."
    head = ("install", "distributions", "size")
    return [Table(title="What an installation brings", caption=caption, head=head, rows=rows)]


def measure_lines(quick: bool) -> list[Table]:
    """Count the lines of the source and of its tests."""
    rows = []
    for name, folder in (("source", "src"), ("tests", "tests"), ("benchmarks", "bench")):
        files = list((ROOT / folder).rglob("*.py"))
        rows.append((name, str(len(files)), f"{sum(path.read_bytes().count(10) for path in files):,}"))
    return [Table(title="Size of the code", caption="Python files.", head=("what", "files", "lines"), rows=rows)]


def _counted(path: str) -> str:
    """Return how many tests of a file pass, as pytest says it."""
    told = run(sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", path)
    passed, failed = (re.search(rf"(\d+) {word}", told) for word in ("passed", "failed"))
    # Without a count of its own at the end (-q -q) every letter is a test.
    dots = sum(line.count(".") for line in told.splitlines() if re.fullmatch(r"[.sxXFE]+( +\[ *\d+%\])?", line.strip()))
    right = int(passed.group(1)) if passed else dots
    wrong = int(failed.group(1)) if failed else told.count("\nFAILED")
    return f"{right} of {right + wrong}"


def _one_row(title: str, what: str, right: str) -> Table:
    return Table(title=title, caption="", head=("what", "right"), rows=[(what, right)])


PARTS = (
    Part(
        name="wall",
        title="The wall",
        commands=("./mayfly doctor --attack", "./mayfly doctor --attack --level landlock"),
        measure=measure_wall,
    ),
    Part(
        name="rules",
        title="The rules",
        commands=("./mayfly schema check --file tests/store/schema/evil.jsonl --dialect postgres",),
        measure=measure_rules,
    ),
    Part(name="chaos", title="Kills", commands=("make chaos",), measure=measure_chaos),
    Part(name="sizes", title="What it takes along", commands=("make evidence",), measure=measure_sizes),
    Part(name="lines", title="How much there is to read", commands=("make evidence",), measure=measure_lines),
)


def main() -> None:
    """Measure what was asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run, for a first look")
    parser.add_argument("--only", choices=[part.name for part in PARTS], help="one part instead of all")
    parser.add_argument("--write", action="store_true", help="measure nothing, only write the page")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for part in () if chosen.write else PARTS:
        if chosen.only in (None, part.name):
            machine = machine_line(quick=chosen.quick)
            kept[part.name] = {"machine": machine, "tables": [one.markdown() for one in part.measure(chosen.quick)]}
            # Each part is kept at once: the next one may take an hour.
            KEPT.write_text(json.dumps(kept, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
            print(f"measured {part.name}", flush=True)
    PAGE.write_text(page(kept), encoding="utf-8")
    print(f"wrote {PAGE.name}")


def page(kept: dict[str, Any]) -> str:
    """Return EVIDENCE.md."""
    parts = [INTRODUCTION, _beside_others(), _truth(), _blind()]
    for part in PARTS:
        found = kept.get(part.name)
        if found is not None:
            commands = ", ".join(f"`{one}`" for one in part.commands)
            parts.append("\n\n".join([f"## {part.title}", f"{commands}. {found['machine']}", *found["tables"]]) + "\n")
    return "\n".join(parts)


def _sections() -> dict[str, str]:
    return sections(RESULTS.read_text(encoding="utf-8"))


def _tables(section: str) -> tuple[str, dict[str, str]]:
    """Return the line that names the machine, and each table of a section by its title."""
    head, *rest = re.split(r"^### (.+)\n", section, flags=re.MULTILINE)
    return head.strip(), dict(zip(rest[0::2], (text.strip() for text in rest[1::2]), strict=True))


def _beside_others() -> str:
    parts = ["## Speed, beside others\n", "`make bench`; every table with its peers is in bench/RESULTS.md.\n"]
    for name, section in _sections().items():
        machine, tables = _tables(section)
        telling = {title: text for title, text in tables.items() if _TELLING.match(title)}
        if telling and not name.startswith(_TRUTH):
            parts.append(f"### {name}\n\n{machine}\n")
            parts += [f"**{title}.** {text}\n" for title, text in telling.items()]
    return "\n".join(parts)


def _truth() -> str:
    parts = ["## How often it is right\n", "`make bench`; programs whose truth is known, and programs by example.\n"]
    for name, section in _sections().items():
        if name.startswith(_TRUTH):
            parts.append(f"### {name}\n\n{re.sub(r'^### ', '#### ', section.strip(), flags=re.MULTILINE)}\n")
    return "\n".join(parts)


def _blind() -> str:
    trials = tomllib.loads(BLIND.read_text(encoding="utf-8"))["trial"]
    table = Table(
        title="Blind trials",
        caption="Cases written down with their answers before the code was tried, by somebody who had not seen it. The "
        "first result is the one that counts; after mending it is tuned to the list (bench/blind.toml).",
        head=("what", "day", "first result", "after mending"),
        rows=[(one["what"], one["date"], one["first"], one.get("mended", "")) for one in trials],
    )
    return table.markdown().replace("### ", "## ", 1) + "\n"


if __name__ == "__main__":
    main()
