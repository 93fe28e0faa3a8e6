"""One run over every face: the shell, the pages, the HTTP API and MCP say the same of it, in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from starlette.testclient import TestClient

from mayfly.cli._app import run as run_command
from mayfly.core import Outcome, Settings
from mayfly.runtime import Runtime
from mayfly.serve._asking import Asking
from mayfly.serve._listing import Resources, ToolListing
from mayfly.serve.web import WebOptions, make_app

# A run that ends in an answer, one that asks a person, and one that gives its fallback.
RESOLVED = "calculate 365 * 24 * 60"
ASKED = "initials"
FALLBACK = "make me happy for ever"


class Faces(NamedTuple):
    """One store with three runs, and every way to look at it."""

    outcomes: dict[str, Outcome[Any]]
    web: TestClient
    resources: Resources
    asking: Asking
    capsys: pytest.CaptureFixture[str]

    def shell(self, *words: str) -> Any:
        """Return what a command prints as JSON."""
        self.capsys.readouterr()
        run_command([*words, "--json"])
        return json.loads(self.capsys.readouterr().out)

    def words(self, *words: str) -> str:
        """Return what a command prints for people."""
        self.capsys.readouterr()
        run_command(list(words))
        ran = self.capsys.readouterr()
        return ran.out + ran.err

    def api(self, path: str) -> Any:
        """Return what the HTTP API answers."""
        answer = self.web.get(f"/api{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def page(self, path: str) -> str:
        """Return a page."""
        answer = self.web.get(path, headers={"accept": "text/html"})
        assert answer.status_code == 200, answer.text
        return answer.text

    def mcp(self, run: str) -> Any:
        """Return what the resource of a run holds."""
        return json.loads(self.resources.read(f"mayfly://runs/{run}").text)


@pytest.fixture
def faces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Faces]:
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    with Runtime(Settings.load()) as runtime:
        examples = [{"input": "Ada Lovelace", "output": "A.L."}]
        outcomes = {
            RESOLVED: runtime.run(RESOLVED),
            ASKED: runtime.run(ASKED, input="Barbara Liskov", examples=examples),
            FALLBACK: runtime.run(FALLBACK, input=3),
        }
        with TestClient(make_app(runtime, WebOptions()), base_url="http://localhost") as web:
            listing = ToolListing(runtime.tools, runtime.settings.mcp)
            yield Faces(outcomes, web, Resources(runtime, listing), Asking(runtime), capsys)


def test_every_face_has_the_same_words_and_fields_for_the_same_run(faces: Faces) -> None:
    shell = {row["id"]: row for row in faces.shell("runs")}
    api = {row["id"]: row for row in faces.api("/runs")["runs"]}
    assert shell == api
    endings = {intent: shell[outcome.id]["ending"] for intent, outcome in faces.outcomes.items()}
    assert endings == {RESOLVED: "resolved", ASKED: "asked", FALLBACK: "gave the fallback"}
    listed, table = faces.words("runs"), faces.page("/runs")
    named = {str(one.uri): one.description for one in faces.resources.all()}
    for intent, outcome in faces.outcomes.items():
        row, ending = shell[outcome.id], endings[intent]
        assert row["status"] == outcome.status
        assert outcome.ending == ending
        # One run by itself, over each face.
        assert faces.api(f"/runs/{outcome.id}")["run"] == row
        assert faces.shell("trace", outcome.id) == faces.mcp(outcome.id)
        assert faces.mcp(outcome.id)["run"] == row
        assert faces.mcp(outcome.id)["ending"] == ending
        # And as people read it.
        [line] = [line for line in listed.splitlines() if line.startswith(outcome.id)]
        assert f"  {ending}  " in line
        assert f'<span class="pill {row["status"]}">{ending}</span>' in table
        assert ending in faces.page(f"/runs/{outcome.id}") or ending == "resolved"
        assert named[f"mayfly://runs/{outcome.id}"] == f"{ending}: {intent}"
        assert f"{ending}: {outcome.reason[:40]}" in faces.words("why", outcome.id)


def test_every_face_has_the_same_reasons(faces: Faces) -> None:
    for outcome in faces.outcomes.values():
        shell, api = faces.shell("why", outcome.id), faces.api(f"/runs/{outcome.id}/why")
        mcp = faces.asking.why({"id": outcome.id}, None)  # type: ignore[arg-type]  # a look needs no client
        assert shell == dict(mcp.data)
        assert shell["steps"] == api["steps"]
        assert mcp.text.splitlines() == api["words"]


def test_every_face_has_the_same_inbox(faces: Faces) -> None:
    shell, api = faces.shell("inbox"), faces.api("/inbox")
    assert shell == [row for rows in api.values() for row in rows]
    [call] = [row for row in shell if row["kind"] == "call" and row["run"] == faces.outcomes[ASKED].id]
    assert call["asked"]["input"] == "Barbara Liskov"


@pytest.mark.parametrize(
    ("words", "path", "part"),
    [
        (("metrics",), "/metrics", ""),
        (("config", "show"), "/config", "settings"),
        (("doctor",), "/doctor", ""),
        (("tools", "list"), "/tools", "tools"),
        (("market", "pnl"), "/market", "pnl"),
    ],
)
def test_every_face_has_the_same_fields(faces: Faces, words: tuple[str, ...], path: str, part: str) -> None:
    shell, api = faces.shell(*words), faces.api(path)
    api = api[part] if part else api
    shell = shell["tools"] if part == "tools" else shell
    if part == "pnl":
        shell = {name: shell[name] for name in api}
    assert shell == api
