"""The one-file trace: everything about a run in a page that loads nothing, runs nothing and holds no secret."""

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Settings
from mayfly.promise._events import Began, Collapsed, Planned, Resolved
from mayfly.promise._promise_json import to_json
from mayfly.serve.trace import trace_page
from mayfly.serve.trace._tree import MOST
from mayfly.store import Event, Ledger

from .conftest import Cli
from .trees import PROOF, RUN, interrupted, leaves, promise

VOID = {"meta", "rect", "br"}
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
SCRIPT = "<script>alert('x')</script><img src=http://example.com/x onerror=alert(1)>"


class Page(HTMLParser):
    """Read a page: its tags, its texts, and whether everything that was opened is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(text: str) -> Page:
    """Return a page after looking that it is whole and reaches nothing outside."""
    page = Page(text)
    assert not page.open
    assert not [tag for tag, _ in page.tags if tag in ("script", "img", "iframe", "object", "embed", "link", "form")]
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "action")]
        assert (attributes.get("href") or "#").startswith("#")
    policy = next(found["content"] for tag, found in page.tags if found.get("http-equiv"))
    assert "default-src 'none'" in (policy or "")
    assert not set("\x00\x07\x1b\u202e") & set(text)
    return page


def a_tree(root: Any, ended: Callable[[Any], object] | None = None) -> None:
    """Record a run of a tree, each promise resolved unless *ended* says otherwise."""
    with Ledger.open(Settings.load()) as ledger:
        address = ledger.put_blob(json.dumps(to_json(root)).encode())
        nodes = list(root.walk())
        events: list[Any] = [Planned(intent=root.intent, tree=address, nodes=len(nodes), by="x", seq=1, options={})]
        for found in reversed(nodes):
            kept = Resolved(node=found.id, key="", seq=3, evidence=PROOF.to_json(), seconds=0.01)
            events += [Began(node=found.id, by="x", seq=2), (ended and ended(found)) or kept]
        ledger.append_many([Event.of(event, subject=RUN) for event in events])


def test_a_tree_has_states_reasons_costs_and_its_timeline(cli: Cli, tmp_path: Path) -> None:
    interrupted()
    ran = cli("trace", RUN, "--html", "run.html")
    assert (ran.status, ran.out) == (0, "")
    assert "wrote run.html" in ran.err
    page = read((tmp_path / "run.html").read_text(encoding="utf-8"))
    ids = {found.get("id") for _, found in page.tags}
    assert {"why", "tree", "timeline"} <= ids
    for word in ("Fix the bug in auth module", "interrupted", f"mayfly resume {RUN}", "$0.0100", "effect.unknown"):
        assert word in page.text
    assert "nobody can tell whether it happened" in page.text
    assert "def login(): ..." in page.text
    assert "needs a \\x1b[31mmodel" in page.text


@pytest.mark.later
def test_a_run_without_a_tree_has_its_source_beside_its_tests(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text(json.dumps([{"input": n, "output": n + 1} for n in range(6)]))
    ran = cli("run", "add one", "--examples", "e.json", "--json", "--quiet")
    id = json.loads(ran.out)["id"]
    found = json.loads(cli("trace", id, "--html", "run.html", "--json").out)
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert found == {"id": id, "file": "run.html", "bytes": len(text.encode())}
    page = read(text)
    assert "def " in page.text
    assert "Evidence by kind" in page.text
    assert page.text.count("passed") > 2
    assert cli("run", "add one", "--examples", "e.json", "--json", "--quiet").status == ran.status
    again = json.loads(cli("runs", "--json").out)[0]["id"]
    assert "Evidence by kind" in read(cli("trace", again, "--html", "-").out).text, "a cached run shows it, too"


def test_script_and_control_sequences_are_text_wherever_they_come_from(cli: Cli) -> None:
    hostile = f"{SCRIPT}\x1b[2J\u202e$id</style></details>"
    root = promise(hostile)
    inner = root.add(promise(hostile, "capability", hostile, name="a'\"<b>"))
    refused = Collapsed(
        node=inner.id, intent=hostile, depth=1, reason=hostile, code="<b>", ground_value={hostile: hostile}, seq=4
    )
    a_tree(root, lambda found: refused if found is inner else None)
    text = cli("trace", RUN, "--html", "-").out
    page = read(text)
    assert SCRIPT in page.text
    assert "\\x1b[2J" in page.text
    assert "<script" not in text


def test_no_secret_reaches_the_file(cli: Cli) -> None:
    root = promise(f"use {SECRET}")
    root.add(promise(f"send {SECRET} on", "capability", "read_file", argument={"token": SECRET, "text": "x" * 100}))
    # The tree is a blob, which is kept as it was planned; the events are without secrets anyway.
    a_tree(root)
    text = cli("trace", RUN, "--html", "-").out
    assert SECRET not in text
    assert SECRET[:12] not in text
    assert "‹secret: " in text


@pytest.mark.later
def test_twenty_thousand_promises_are_cut_with_a_count_and_show_what_failed(state: Path) -> None:
    settings = Settings.load(environ={"MAYFLY_STATE_DIR": str(state)})
    root = leaves(20_000, each=100)
    last = [found for found in root.walk() if not found.children][-1]
    with Ledger.open(settings) as ledger:
        address = ledger.put_blob(json.dumps(to_json(root)).encode())
        planned = Planned(intent=root.intent, tree=address, nodes=20_201, by="x", seq=1, options={})
        refused = Collapsed(
            node=last.id, intent=last.intent, depth=2, reason="no such file", code="X", ground_value=0, seq=2
        )
        began = [Event.of(Began(node=found.id, by="x", seq=1), subject=RUN) for found in root.walk()]
        ledger.append_many([Event.of(planned, subject=RUN), *began, Event.of(refused, subject=RUN)])
        text = trace_page(ledger, RUN)
    page = read(text)
    assert len(text) < 4_000_000
    assert "20,201 promises" in page.text
    assert "no such file" in page.text
    assert last.intent in page.text
    assert "more below it" in page.text
    assert len([tag for tag, _ in page.tags if tag == "details"]) < MOST + 1000


def test_a_session_is_told_in_words(cli: Cli, tmp_path: Path) -> None:
    call = {"text": "", "calls": [{"name": "file_write", "arguments": {"path": "a.txt", "content": SCRIPT}}]}
    script = tmp_path.parent / f"{tmp_path.name}.jsonl"
    script.write_text("".join(json.dumps({"for": "chat", "answer": one}) + "\n" for one in (call, "it is written")))
    id = json.loads(cli("do", "Fix a.txt", "--model", f"scripted:{script}", "--json").out)["id"]
    page = read(cli("trace", id, "--html", "-").out)
    for words in (
        "Fix a.txt",
        "turn 1 done: it is written",
        "file_write ok, committed as",
        "rules: permit file_write a.txt",
    ):
        assert words in page.text
    assert "<h1>Fix a.txt</h1>" in cli("trace", id, "--html", "-").out


def test_one_promise_has_a_page_of_its_own(cli: Cli) -> None:
    interrupted()
    page = read(cli("trace", f"{RUN}/0.1.1", "--html", "-").out)
    assert "Read auth.py" in page.text
    assert "Find failing test" not in page.text


@pytest.mark.parametrize("place", [".", "no/such/run.html", ""])
def test_a_place_that_cannot_be_written_is_one_line(cli: Cli, place: str) -> None:
    interrupted()
    ran = cli("trace", RUN, "--html", place)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_an_unknown_run_leaves_the_file_that_was_there(cli: Cli, tmp_path: Path) -> None:
    interrupted()
    (tmp_path / "run.html").write_text("mine")
    ran = cli("trace", "r-00000000", "--html", "run.html")
    assert ran.status == 2
    assert "nothing is recorded under r-00000000" in ran.err
    assert (tmp_path / "run.html").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".run")] == []


def test_the_page_and_json_cannot_both_go_to_stdout(cli: Cli) -> None:
    interrupted()
    assert cli("trace", RUN, "--html", "-", "--json").status == 2
