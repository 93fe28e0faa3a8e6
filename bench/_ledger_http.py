"""What a server takes for the pages and lists of a large ledger."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bench._table import number

# CPU seconds that one request may take on a million events, and MiB that the server may grow by over all of them: a
# page holds a hundred rows, so whatever reads the whole ledger is far beyond both.
REQUEST_BAR, GROWTH_BAR = 0.5, 100
# Requests of one path that are measured together: the clock of a process ticks a hundred times a second.
TIMES = 10


def ask_server(state: str, run: str) -> list[list[str]]:
    """Start a server over a ledger; return a row for each path, and one for the memory of the server."""
    import httpx

    paths = ("/api/runs", "/api/runs?status=collapsed", f"/api/runs/{run}/events", "/api/inbox", "/api/metrics", "/")
    environment = {**os.environ, "MAYFLY_STATE_DIR": state, "MAYFLY_WEB_RATE": "1000000"}
    command = [sys.executable, "-m", "mayfly.cli", "serve", "--port", "0", "--json"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        with httpx.Client(base_url=str(json.loads(server.stdout.readline())["url"]), timeout=120) as client:
            rows = []
            # The first request of all loads what answers it, which has nothing to do with the size of the ledger.
            client.get("/api/health")
            before = _memory(server.pid)
            for path in paths:
                first = _taken(client, server.pid, path, 1)
                again = _taken(client, server.pid, path, TIMES)
                shown = path.replace(run, "RUN")
                rows.append([f"GET {shown}, the first time", number(first), f"{REQUEST_BAR:g}"])
                rows.append([f"GET {shown}, again", number(again), f"{REQUEST_BAR:g}"])
            grown = _memory(server.pid) - before
        rows.append(["MiB the server grew by meanwhile", number(grown), str(GROWTH_BAR)])
        return rows
    finally:
        server.terminate()
        server.wait(60)


def _taken(client: object, pid: int, path: str, times: int) -> float:
    """Return the CPU seconds of the server for one request."""
    before = _cpu(pid)
    for _ in range(times):
        client.get(path).raise_for_status()  # type: ignore[attr-defined]
    return (_cpu(pid) - before) / times


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024
