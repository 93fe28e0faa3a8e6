"""What the workbench costs: commands on 50,000 files against the same outside, `try`, bwrap over a copy; commits."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench._table import Table, number, spread
from mayfly.sandbox.workbench import Workbench, undo

FILES = 50_000
# Milliseconds that a command may take longer than outside, on so many files.
BAR = 50.0
# The script of binpash/try, where it is not in PATH.
TRY = os.environ.get("BENCH_TRY") or shutil.which("try") or ""
# Copies of the whole workspace that are made and measured for each command: each takes seconds or minutes.
COPIES = 1
_PER_DIRECTORY = 20
_TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"

Run = Callable[[Path, list[str]], None]


class Job(NamedTuple):
    """One command, and the directory of the workspace that it runs in."""

    name: str
    words: list[str]


def measure(*, quick: bool) -> list[Table]:
    """Return the tables of this part."""
    files = FILES // 10 if quick else FILES
    with tempfile.TemporaryDirectory(prefix="mayfly-bench-") as place:
        workspace = Path(place) / "work"
        fill(workspace, files)
        state = Path(place) / "state"
        return [_commands(workspace, state, files, quick=quick), _commits(Path(place), quick=quick)]


def fill(workspace: Path, files: int) -> None:
    """Make a repository of so many small files, with a little project that has tests among them."""
    for directory in range(files // _PER_DIRECTORY):
        place = workspace / f"part{directory // 50}" / f"d{directory}"
        place.mkdir(parents=True)
        for file in range(_PER_DIRECTORY):
            (place / f"f{file}.py").write_text(f"value = {directory * file}\n" * 5)
    (workspace / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    (workspace / "test_calc.py").write_text(_TEST)
    # Without the housekeeping that git would begin behind our back, in the middle of what is measured.
    for words in (
        ["init", "-q"],
        ["config", "gc.auto", "0"],
        ["add", "-A"],
        ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "all"],
    ):
        subprocess.run(["git", *words], cwd=workspace, check=True)


def jobs() -> list[Job]:
    """Return what is run."""
    return [
        Job("true", ["true"]),
        Job("git status", ["git", "status", "--short"]),
        Job("pytest", [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_calc.py"]),
        Job("grep -r", ["sh", "-c", "grep -r 'value = 77' . | wc -l"]),
    ]


def _outside(workspace: Path, words: list[str]) -> None:
    subprocess.run(words, cwd=workspace, check=True, capture_output=True)


def _try(workspace: Path, words: list[str]) -> None:
    done = subprocess.run(
        [TRY, "-n", shlex.join(words)], cwd=workspace, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    left = done.stdout.splitlines()[-1] if done.stdout else ""
    if "try-" not in left or done.returncode:
        raise RuntimeError(f"try: {done.stderr}")
    shutil.rmtree(left, ignore_errors=True)


def _bwrap(workspace: Path, words: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="bwrap-") as place:
        copy = f"{place}/copy"
        subprocess.run(["cp", "-a", "--reflink=auto", str(workspace), copy], check=True)
        wall = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
        wall += ["--bind", copy, str(workspace), "--unshare-all", "--die-with-parent", "--chdir", str(workspace)]
        subprocess.run([*wall, *words], check=True, capture_output=True)


@contextmanager
def _contenders(workspace: Path, state: Path) -> Iterator[dict[str, Run]]:
    with Workbench(workspace, state=state) as bench:

        def inside(_: Path, words: list[str]) -> None:
            ran = bench.run(words)
            assert ran.ok, ran.output

        found: dict[str, Run] = {"outside": _outside, "workbench": inside}
        if TRY:
            found["try"] = _try
        if shutil.which("bwrap"):
            found["bwrap + copy"] = _bwrap
        yield found


def _commands(workspace: Path, state: Path, files: int, *, quick: bool) -> Table:
    rows: list[list[str]] = []
    began = time.perf_counter()
    with Workbench(workspace, state=state) as bench:
        bench.run(["true"])
        very_first = (time.perf_counter() - began) * 1000
    began = time.perf_counter()
    with Workbench(workspace, state=state) as bench:
        bench.run(["true"])
        first = (time.perf_counter() - began) * 1000
    with _contenders(workspace, state) as contenders:
        for job in jobs():
            taken: dict[str, list[float]] = {name: [] for name in contenders}
            for turn in range(3 if quick else 5):
                for name, run in contenders.items():
                    if name.startswith("bwrap") and turn >= COPIES:
                        continue
                    time.sleep(0.2)  # as between two commands of an agent: what the last one left behind is gone
                    start = time.perf_counter()
                    run(workspace, job.words)
                    taken[name].append((time.perf_counter() - start) * 1000)
            rows += _rows(job.name, taken)
    caption = (
        f"Milliseconds (least / median) on a repository of {files:,} files, interleaved; × is of the medians, to the "
        f"same outside. The bar is that `true` takes {BAR:.0f} ms longer at most. The first command of a process takes "
        f"{number(first)} ms with its start, the first of all on this workspace {number(very_first)} ms, since every "
        "directory is looked at for secrets. `try` and bwrap are no peers in what they hold back: one shows effects "
        "without a wall, the other has a wall and shows none."
    )
    if not TRY:
        caption += " `try` was not at hand (BENCH_TRY=path)."
    head = ["command", "where", "ms", "×", "longer by"]
    return Table(title="A command", caption=caption, head=head, rows=rows, ours=("workbench",))


def _rows(name: str, taken: dict[str, list[float]]) -> list[list[str]]:
    spreads = {where: spread(sample) for where, sample in taken.items()}
    base = spreads["outside"]
    return [
        [
            name,
            where,
            f"{number(found.least)} / {number(found.middle)}",
            number(found.middle / base.middle),
            number(max(0.0, found.middle - base.middle)),
        ]
        for where, found in spreads.items()
    ]


def _commits(place: Path, *, quick: bool) -> Table:
    rows = []
    for count in (1000,) if quick else (1000, 10_000):
        workspace = place / f"commits{count}"
        workspace.mkdir()
        code = "import sys\nfor n in range(int(sys.argv[1])): open(f'{n}.txt', 'w').write(f'{n}\\n' * 50)"
        with Workbench(workspace, state=place / "commits") as bench:
            bench.run([sys.executable, "-c", code, str(count)])
            steps: dict[str, Callable[[], object]] = {
                "listed again": bench.changes,
                "committed": bench.commit,
                "taken back": lambda here=workspace: undo(place / "commits", here),  # type: ignore[misc]
            }
            cells = []
            for step in steps.values():
                start = time.perf_counter()
                step()
                cells.append(number((time.perf_counter() - start) * 1000))
            rows.append([f"{count:,} new files", *cells])
    caption = "Milliseconds; a commit is journalled and written to the disk before and after."
    return Table(title="Commits", caption=caption, head=["what", "listed again", "committed", "taken back"], rows=rows)
