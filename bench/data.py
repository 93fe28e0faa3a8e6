"""Questions about data of several sizes: ours, asked for the first time and again, beside the tools of the field."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench._table import Table, number

_MAYFLY = [sys.executable, "-m", "mayfly.cli", "run"]
_MEASURED = Path(__file__).with_name("_cpu.py")
_CITIES = "'Aarhus','Bergen','Cork','Delft','Evora','Faro','Ghent','Halle','Izmir','Jena','Kiel','Lyon'"
# One line is 65 bytes, so that 13 MB are 200,000 lines.
_CSV = f"""
    SELECT 1000000 + i AS order_id, DATE '2025-01-01' + ((i * 7919) % 365)::INT AS date,
        ([{_CITIES}])[1 + (i * 31) % 12] AS city, 'article number ' || (i * 17) % 900 AS product,
        1 + (i * 13) % 40 AS qty, round(1 + ((i * 101) % 9900) / 100, 2) AS price, 'open' AS state
    FROM range({{rows}}) AS t(i)
"""
_JSON = f"""
    SELECT 1000000 + i AS id,
        strftime(TIMESTAMP '2025-01-01' + INTERVAL (i % 31000000) SECOND, '%Y-%m-%dT%H:%M:%SZ') AS at,
        {{{{'city': ([{_CITIES}])[1 + (i * 31) % 12], 'zip': 1000 + (i * 3) % 9000}}}} AS address,
        1 + (i * 13) % 40 AS qty, 'a message about nothing in particular' AS note
    FROM range({{rows}}) AS t(i)
"""
_LOG = """
    SELECT '10.0.' || (i * 7) % 250 || '.' || (i * 3) % 250 || ' - - [' || strftime(TIMESTAMP '2025-01-01' +
        INTERVAL (i % 31000000) SECOND, '%d/%b/%Y:%H:%M:%S') || ' +0000] "GET /articles/' || (i * 17) % 900 ||
        ' HTTP/1.1" ' || ([200, 200, 200, 200, 304, 404, 500])[1 + i % 7] || ' ' || (i * 13) % 40000 ||
        ' "-" "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101"' AS line
    FROM range({rows}) AS t(i)
"""


@dataclass(frozen=True)
class _Input:
    """A generated file, the question about it, and how each tool of the field is asked the same."""

    name: str
    rows: int
    suffix: str
    select: str
    options: str
    question: str
    again: str
    tools: dict[str, list[str]]


def _python(source: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", source, *arguments]


def _duckdb(statement: str) -> list[str]:
    return _python("import duckdb, sys; print(duckdb.execute(sys.argv[1], [sys.argv[2]]).fetchall())", statement)


_CSV_TOOLS = {
    "duckdb": _duckdb("SELECT city, sum(qty) FROM read_csv($1) GROUP BY city"),
    "awk": ["awk", "-F,", "NR > 1 { s[$3] += $5 } END { for (c in s) print c, s[c] }"],
    "pandas": _python("import pandas, sys; print(pandas.read_csv(sys.argv[1]).groupby('city').qty.sum())"),
    "polars": _python(
        "import polars as pl, sys; print(pl.scan_csv(sys.argv[1]).group_by('city').agg(pl.col('qty').sum()).collect())"
    ),
}
_LOG_TOOLS = {
    "duckdb": _duckdb(
        'SELECT regexp_extract(line, \'"[A-Z]+ [^"]*" ([0-9]{3}) \', 1) AS status, count(*) FROM read_csv($1, '
        "columns = {'line': 'VARCHAR'}, delim = '\x01', quote = '', escape = '', header = false, auto_detect = false) "
        "GROUP BY status"
    ),
    "awk": ["awk", "{ s[$9]++ } END { for (c in s) print c, s[c] }"],
}
_JSON_TOOLS = {
    "duckdb": _duckdb(
        "SELECT address.city AS city, sum(qty) FROM read_json($1, format = 'newline_delimited') GROUP BY address.city"
    ),
    "polars": _python(
        "import polars as pl, sys; print(pl.scan_ndjson(sys.argv[1])"
        ".group_by(pl.col('address').struct.field('city')).agg(pl.col('qty').sum()).collect())"
    ),
}


def _csv(name: str, rows: int) -> _Input:
    asked = ("sum of qty by city", "average qty by city")
    return _Input(name, rows, ".csv", _CSV, "FORMAT csv, HEADER", *asked, _CSV_TOOLS)


_INPUTS = (
    _csv("13 MB of CSV", 200_000),
    _csv("130 MB of CSV", 2_000_000),
    _csv("1.3 GB of CSV", 20_000_000),
    _Input(
        "1 GB of nginx log",
        8_000_000,
        ".log",
        _LOG,
        "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01'",
        "count requests by status",
        "count requests by path",
        _LOG_TOOLS,
    ),
    _Input(
        "1 GB of JSON lines",
        6_000_000,
        ".jsonl",
        _JSON,
        "FORMAT json",
        "sum of qty by city",
        "average qty by city",
        _JSON_TOOLS,
    ),
)


def measure(*, quick: bool) -> list[Table]:
    """Return a table of processor time, time and memory for each input."""
    return [_measured(one, rounds=2 if quick else 3) for one in (_INPUTS[:2] if quick else _INPUTS)]


@dataclass
class _Taken:
    """The least that one contender took of each kind."""

    processor: float = float("inf")
    seconds: float = float("inf")
    megabytes: float = 0.0


def _measured(one: _Input, *, rounds: int) -> Table:
    with tempfile.TemporaryDirectory(prefix="mayfly-bench-") as scratch:
        path = Path(scratch) / f"input{one.suffix}"
        _generate(one, path)
        size = path.stat().st_size / 1e6
        taken: dict[str, _Taken] = {}
        for round_ in range(rounds + 1):
            # The first round fills what is kept between processes, and the page cache.
            for name, command in _contenders(one, path, Path(scratch) / "state", round_):
                found = _run(command(), Path(scratch) / "state")
                if found is not None and round_:
                    best = taken.setdefault(name, _Taken())
                    best.processor = min(best.processor, found["processor"])
                    best.seconds = min(best.seconds, found["seconds"])
                    best.megabytes = max(best.megabytes, found["megabytes"])
    alone = taken["duckdb"]
    return Table(
        title=one.name,
        caption=(
            f"{size:,.0f} MB, {one.rows:,} lines; '{one.question}'. The least of {rounds} rounds, interleaved; memory "
            "is the most that one process held."
        ),
        head=["what", "processor s", "wall s", "memory MB", "× duckdb (processor)"],
        rows=[
            [
                name,
                number(found.processor),
                number(found.seconds),
                f"{found.megabytes:,.0f}",
                number(found.processor / alone.processor),
            ]
            for name, found in taken.items()
        ],
    )


def _generate(one: _Input, path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"COPY ({one.select.format(rows=one.rows)}) TO '{path}' ({one.options})")


def _contenders(one: _Input, path: Path, state: Path, round_: int) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Yield the contenders in their order: what was never asked of this state directory is new in every round."""

    def new() -> list[str]:
        shutil.rmtree(state, ignore_errors=True) if not round_ else None
        subprocess.run(
            [sys.executable, "-m", "mayfly.cli", "cache", "clear"], check=True, capture_output=True, env=_environ(state)
        )
        return [*_MAYFLY, one.question, "--input", str(path), "--json"]

    yield "mayfly, a new question", new
    yield "mayfly, asked again", lambda: [*_MAYFLY, one.question, "--input", str(path), "--json"]
    yield "mayfly, another new question", lambda: [*_MAYFLY, one.again, "--input", str(path), "--json"]
    for name, command in one.tools.items():
        if command[0] != "awk" or shutil.which("awk"):
            yield name, lambda command=command: [*command, str(path)]  # type: ignore[misc]


def _run(command: list[str], state: Path) -> dict[str, float] | None:
    """Run a command and return what it took; None for a tool that is not installed here."""
    ended = subprocess.run(
        [sys.executable, str(_MEASURED), *command], capture_output=True, text=True, check=False, env=_environ(state)
    )
    if ended.returncode:
        if "ModuleNotFoundError" in ended.stderr:
            return None
        raise RuntimeError(f"{command[:4]}: {ended.stderr[-2000:]}")
    found: dict[str, float] = json.loads(ended.stdout)
    return found


def _environ(state: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "MAYFLY_STATE_DIR": str(state), "MAYFLY_DATABASE_URL": "", "COLUMNS": "100"}
