"""The HTTP server: 200 clients at once call a known tool and run a known task; `--soak` does it for long."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

import httpx  # noqa: E402

from bench._memory import descendants  # noqa: E402
from bench._table import Table, number, spread  # noqa: E402
from mayfly.core import Settings  # noqa: E402
from mayfly.runtime import Runtime  # noqa: E402

CLIENTS = 200
# Requests of each client in a row, so that the first one, which opens the connection, is not all there is.
IN_A_ROW = 5
_SOURCE = '''
def roman(numeral: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    previous = 0
    for letter in reversed(numeral):
        value = values[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total
'''
_EXAMPLES = [{"input": "IV", "output": 4}, {"input": "XLII", "output": 42}, {"input": "MMXXVI", "output": 2026}]
_UPPER = [{"input": text, "output": text.upper()} for text in ("x", "yo", "hello world")]
# What is asked: its name, where, with what, and what has to come out.
ASKED: tuple[tuple[str, str, dict[str, Any], object], ...] = (
    ("a call of a known tool", "/api/tools/roman/call", {"arguments": {"numeral": "MCMXC"}}, 1990),
    ("a run of a known agent", "/api/runs", {"intent": "upper case", "input": "abc", "examples": _UPPER}, "ABC"),
)


class Load(NamedTuple):
    """What came of a load: milliseconds of each request, what went wrong, and the seconds all of it took."""

    milliseconds: list[float]
    errors: Counter[str]
    seconds: float


def measure(*, quick: bool) -> list[Table]:
    """Return one table of requests at once, for one process and for two."""
    rows = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as place, served(Path(place), workers=workers) as url:
            for name, path, body, expected in ASKED:
                load = asyncio.run(ask_at_once(url, path, body, expected, in_a_row=1 if quick else IN_A_ROW))
                found = spread(load.milliseconds)
                rate = len(load.milliseconds) / load.seconds
                times = [number(one) for one in found]
                for wrong, count in load.errors.most_common(5):
                    print(f"{count} × {wrong}", file=sys.stderr)
                rows.append((name, str(workers), *times, number(rate), str(load.errors.total())))
    return [
        Table(
            title=f"{CLIENTS} clients at once over HTTP",
            caption=(
                f"Milliseconds at clients that all ask at once, {IN_A_ROW} times each, on loopback; client and server "
                "share the machine. Each request is checked, decided, done behind the wall and recorded."
            ),
            head=("what", "processes", "min", "p50", "p99", "requests/s", "errors"),
            rows=rows,
        )
    ]


@contextmanager
def served(place: Path, *, workers: int) -> Iterator[str]:
    """Start a server over a library with one tool; yield its address."""
    with Runtime(Settings(state_dir=str(place / "state"))) as runtime:
        made = runtime.tools.write("convert a roman numeral", name="roman", source=_SOURCE, examples=_EXAMPLES)
        assert made.accepted, made.reason
    env = {**os.environ, "MAYFLY_STATE_DIR": str(place / "state"), "MAYFLY_WEB_RATE": "1000000"}
    command = [sys.executable, "-m", "mayfly.cli", "serve", "--port", "0", "--json", "--workers", str(workers)]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = str(json.loads(process.stdout.readline())["url"])
        # The first of each kind writes what the others find.
        for _, path, body, expected in ASKED:
            for _ in range(4 * workers):
                assert httpx.post(url + path, json=body, timeout=120).json()["value"] == expected
        yield url
    finally:
        process.terminate()
        process.wait(60)


async def ask_at_once(
    url: str, path: str, body: dict[str, Any], expected: object, *, in_a_row: int, seconds: float = 0.0
) -> Load:
    """Let all clients ask at once, so many times in a row or for so many seconds."""
    where = urlsplit(url)
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
    sent = f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data
    times: list[float] = []
    errors: Counter[str] = Counter()
    began = time.perf_counter()

    async def ask() -> None:
        left = in_a_row
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        try:
            while left > 0 if not seconds else time.perf_counter() - began < seconds:
                left -= 1
                started = time.perf_counter()
                writer.write(sent)
                status, said = await _read(reader)
                if status != 200 or json.loads(said)["value"] != expected:
                    errors[f"{status} {said[:200]!r}"] += 1
                times.append((time.perf_counter() - started) * 1000)
        finally:
            writer.close()

    for ended in await asyncio.gather(*(ask() for _ in range(CLIENTS)), return_exceptions=True):
        if isinstance(ended, BaseException):
            errors[repr(ended)] += 1
    return Load(times, errors, time.perf_counter() - began)


async def _read(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Read one answer: a client of its own, since libraries take more time for 200 connections than the server."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.partition("content-length:")[2].partition("\r\n")[0])
    return int(head.split()[1]), await reader.readexactly(length)


def soak(seconds: float, workers: int) -> None:
    """Ask for so long, and print the memory of the server and all it started as it goes."""
    parts = 10
    with tempfile.TemporaryDirectory() as place, served(Path(place), workers=workers) as url:
        asked, errors, memory = 0, Counter[str](), []
        for part in range(parts):
            for _, path, body, expected in ASKED:
                share = seconds / parts / len(ASKED)
                load = asyncio.run(ask_at_once(url, path, body, expected, in_a_row=0, seconds=share))
                asked += len(load.milliseconds)
                errors += load.errors
            memory.append(sum(one.proportional for one in descendants()) / 1024)
            print(f"{(part + 1) * seconds / parts:6.0f} s  {asked:9,} requests  {memory[-1]:8.1f} MiB", flush=True)
    growth = memory[-1] - memory[len(memory) // 5]
    print(f"{asked:,} requests, {errors.total()} errors, {growth:+.1f} MiB from a fifth of the time on")
    if errors:
        raise SystemExit(f"errors: {dict(errors.most_common(5))}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="ask for so long, and look at the memory")
    parser.add_argument("--workers", type=int, default=2, help="processes of the server")
    parser.add_argument("--quick", action="store_true", help="a short run, for a first look")
    chosen = parser.parse_args()
    if chosen.soak:
        soak(chosen.soak, chosen.workers)
    else:
        print(*(table.markdown() for table in measure(quick=chosen.quick)), sep="\n\n")
