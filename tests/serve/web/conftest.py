"""A real server in a process of its own, and a client that speaks HTTP to it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from serve.conftest import environment

TOKEN = "a-token-that-nobody-guesses-0123"
UPPER = [{"input": text, "output": text.upper()} for text in ("x", "yo", "hello world")]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A server that was started: where it is, what lets a browser in, and its process."""

    url: str
    link: str
    state: Path
    workspace: Path
    process: subprocess.Popen[str]

    def client(self, **options: Any) -> httpx.Client:
        """Return a client of this server."""
        return httpx.Client(base_url=self.url, timeout=60, **options)


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "mayfly.cli", "serve", "--json", *args]


@contextmanager
def web_server(state: Path, *args: str, **env: str) -> Iterator[Site]:
    """Start a server on a free port of loopback; end it with SIGTERM, which it has to obey."""
    workspace = state.parent / "workspace"
    workspace.mkdir(exist_ok=True)
    process = subprocess.Popen(
        command("--port", "0", *args),
        env=environment(state, **env),
        cwd=workspace,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        told = json.loads(line)
        yield Site(url=told["url"], link=told["link"], state=state, workspace=workspace, process=process)
    finally:
        process.terminate()
        process.wait(60)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory, made_library: Path) -> Iterator[Site]:
    """Yield a server over a library of its own, for tests that do not mind what others did there."""
    state = shutil.copytree(made_library, tmp_path_factory.mktemp("web") / "state", symlinks=True)
    with web_server(state) as served:
        yield served


@pytest.fixture
def web(site: Site) -> Iterator[httpx.Client]:
    """Yield a client of the server."""
    with site.client() as client:
        yield client


def told(answer: httpx.Response, status: int = 200) -> Any:
    """Return what an answer says, which has to have this status."""
    assert answer.status_code == status, answer.text
    return answer.json()


def wrong(answer: httpx.Response, status: int, *words: str) -> dict[str, Any]:
    """Return the error of an answer: one line, with what to do, and these words."""
    error = told(answer, status)["error"]
    assert set(error) >= {"code", "message", "fix"}
    assert "\n" not in error["message"]
    assert "Traceback" not in answer.text
    for word in words:
        assert word in f"{error['message']} {error['fix']}", error
    return dict(error)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One server-sent event."""

    kind: str
    id: int | None
    data: dict[str, Any]


def events_of(answer: httpx.Response) -> Iterator[Sent]:
    """Yield the events of a stream as they come."""
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
        else:
            if "data" in fields:
                number = int(fields["id"]) if "id" in fields else None
                yield Sent(kind=fields["event"], id=number, data=json.loads(fields["data"]))
            fields = {}
