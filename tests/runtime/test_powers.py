"""What written code may use: the imports of its tier, and later what it was granted."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Settings
from mayfly.runtime import Runtime, prove_again
from popcount import fenced

from .conftest import Script

EXACT = '''"""Prices."""

from decimal import Decimal
from urllib.parse import quote


class Adder:
    """Add prices without rounding."""

    def invoke(self, input: list[str]) -> str:
        """Return the exact sum, quoted."""
        return quote(str(sum((Decimal(price) for price in input), Decimal(0))))
'''
PRICES: list[dict[str, Any]] = [
    {"input": ["0.1", "0.2"], "output": "0.3"},
    {"input": [], "output": "0"},
    {"input": ["1.10"], "output": "1.10"},
    {"input": ["-2.5", "1"], "output": "-1.5"},
    {"input": ["3", "4", "5.55"], "output": "12.55"},
    {"input": ["0.001"], "output": "0.001"},
]
ADD: dict[str, Any] = {"input": ["0.7", "0.1"], "examples": PRICES, "accept_weak": True}


def test_sums_that_have_to_be_exact_may_use_decimal(runtime: Runtime, script: Script) -> None:
    outcome = runtime.run("add the prices exactly", model=script(("architect", fenced(EXACT))), **ADD)
    assert (outcome.status, outcome.value) == ("resolved", "0.8"), outcome.reason


def test_at_tier_ephemeral_they_may_not(runtime: Runtime, script: Script) -> None:
    outcome = runtime.run("add the prices", model=script(("architect", fenced(EXACT))), tier="ephemeral", **ADD)
    assert outcome.status == "collapsed"
    assert "decimal is not on the list" in outcome.reason


@pytest.mark.parametrize("line", ["import uuid\n\nmade = uuid.uuid4()", "import random\n\nmade = random.random()"])
def test_chance_is_refused_before_anything_runs(runtime: Runtime, script: Script, line: str) -> None:
    source = EXACT.replace("\n\n\nclass", f"\n{line}\n\n\nclass")
    outcome = runtime.run("add the prices", model=script(("architect", fenced(source))), **ADD)
    assert outcome.status == "collapsed"
    assert "gives another value in every run" in outcome.reason


READER = '''"""Prices."""

from pathlib import Path


class Reader:
    """Look prices up in a file."""

    def invoke(self, input: str) -> int:
        """Return the price of what is named."""
        rows = [line.split(",") for line in Path("prices.csv").read_text().splitlines()]
        return next((int(price) for name, price in rows if name == input), -1)
'''
ASKED = [{"input": name, "output": price} for name, price in {"apple": 2, "pear": 3, "fig": 5, "kiwi": -1}.items()]
LOOK_UP: dict[str, Any] = {"input": "fig", "examples": ASKED, "accept_weak": True}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    place.mkdir()
    (place / "prices.csv").write_text("apple,2\npear,3\nfig,5\n")
    return place


@pytest.fixture
def keeper(shop: Path, state: Path) -> Iterator[Runtime]:
    """A runtime whose workspace is the shop."""
    with Runtime(Settings(state_dir=str(state)), workspace=shop) as runtime:
        yield runtime


def test_a_grant_changes_what_the_same_source_may_do(keeper: Runtime, script: Script, shop: Path) -> None:
    model = script(("architect", fenced(READER)))
    refused = keeper.run("look the price up", model=model, **LOOK_UP)
    assert refused.status == "collapsed"
    assert "pathlib is not on the list" in refused.reason
    outcome = keeper.run("look the price up", model=model, grants=["fs:workspace"], **LOOK_UP)
    assert (outcome.status, outcome.value) == ("resolved", 5), outcome.reason
    (shop / "prices.csv").write_text("fig,7\n")
    again = keeper.run("look the price up", model=model, grants=["fs:workspace", "fs:workspace"], **LOOK_UP)
    assert (again.value, again.cached) == (7, True)
    [began] = keeper.ledger.read(subject=outcome.id, kind="run.began")
    assert (began.payload["grants"], began.payload["tier"]) == (["fs:workspace"], "authored")


def test_a_proof_with_a_workspace_is_run_again_with_it(keeper: Runtime, script: Script, shop: Path) -> None:
    model = script(("architect", fenced(READER)))
    id = keeper.run("look the price up", model=model, grants=["fs:workspace"], **LOOK_UP).id
    assert prove_again(keeper, id).holds
    (shop / "prices.csv").write_text("fig,7\n")
    assert not prove_again(keeper, id).holds


@pytest.mark.parametrize("tier", ["memo", "ephemeral"])
@pytest.mark.parametrize("grant", ["fs:workspace", "net:example.org", "package"])
def test_the_rules_allow_no_grants_below_tier_authored(keeper: Runtime, script: Script, tier: str, grant: str) -> None:
    model = script(("architect", fenced(READER)))
    outcome = keeper.run("look the price up", model=model, grants=[grant], tier=tier, **LOOK_UP)
    assert (outcome.status, outcome.code, outcome.cost.model_calls) == ("collapsed", "REFUSED", 0)
    assert f"grant {grant} is refused: the rules allow" in outcome.reason
    assert f"to no code of tier {tier}" in outcome.reason
    assert "--tier authored" in outcome.reason
    [began] = keeper.ledger.read(subject=outcome.id, kind="run.began")
    assert began.payload["grants"] == [grant]


@pytest.mark.parametrize("grant", ["everything", "net:", "fs:home"])
def test_a_grant_that_is_none_is_named(keeper: Runtime, grant: str) -> None:
    outcome = keeper.run("look the price up", grants=[grant], **LOOK_UP)
    assert (outcome.status, outcome.code) == ("collapsed", "INPUT")
    assert grant in outcome.reason


@pytest.mark.parametrize("inside", ["", "sub"])
def test_no_agent_sees_our_own_state(state: Path, inside: str) -> None:
    workspace = state / inside if inside else state.parent
    workspace.mkdir(exist_ok=True)
    with Runtime(Settings(state_dir=str(state)), workspace=workspace) as runtime:
        outcome = runtime.run("look the price up", grants=["fs:workspace"], **LOOK_UP)
    assert (outcome.code, "no agent may see the state" in outcome.reason) == ("INPUT", True)


WRITER = READER.replace("        return next", '        Path("asked").open("a").write(input)\n        return next')


def test_the_proof_never_writes(keeper: Runtime, script: Script, shop: Path) -> None:
    model = script(("architect", fenced(WRITER)))
    outcome = keeper.run("look the price up", model=model, grants=["fs:workspace:rw"], **LOOK_UP)
    assert outcome.status == "collapsed"
    assert not (shop / "asked").exists()


PACKAGED = '''"""Versions."""

from packaging.version import Version


class Newest:
    """Find the newest version."""

    def invoke(self, input: list[str]) -> str:
        """Return the newest of some versions."""
        return str(max(Version(text) for text in input))
'''
VERSIONS = [
    {"input": ["1.2", "1.10"], "output": "1.10"},
    {"input": ["2.0"], "output": "2.0"},
    {"input": ["3.0rc1", "3.0"], "output": "3.0"},
    {"input": ["1.0.post1", "1.0"], "output": "1.0.post1"},
]


@pytest.mark.later
def test_installed_packages_are_there_with_the_grant(runtime: Runtime, script: Script) -> None:
    model = script(("architect", fenced(PACKAGED)))
    task: dict[str, Any] = {"input": ["9.9", "9.10"], "examples": VERSIONS}
    assert runtime.run("newest version", model=model, accept_weak=True, **task).status == "collapsed"
    outcome = runtime.run("newest version", model=model, grants=["package"], accept_weak=True, **task)
    assert (outcome.status, outcome.value) == ("resolved", "9.10"), outcome.reason


FETCHER = '''"""Pages."""

from urllib.request import urlopen


class Fetcher:
    """Fetch pages."""

    def invoke(self, input: str) -> str:
        """Return the page at an address, and any other text in capitals."""
        if not input.startswith("http://"):
            return input.upper()
        with urlopen(input, timeout=5) as page:
            return str(page.read().decode())
'''
TEXTS = [{"input": text, "output": text.upper()} for text in ("", "a", "Bc", "d e", "http")]


class _Page(http.server.BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def page() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.later
def test_a_granted_host_is_reached_by_the_run_and_not_by_the_proof(runtime: Runtime, script: Script, page: str) -> None:
    model = script(("architect", fenced(FETCHER)))
    task: dict[str, Any] = {"input": f"http://{page}/", "examples": TEXTS, "model": model, "accept_weak": True}
    assert "urllib is not on the list" in runtime.run("fetch it", tier="authored", **task).reason
    assert "it failed" in runtime.run("fetch it", grants=["net:example.org"], **task).reason
    _Page.asked = 0
    outcome = runtime.run("fetch it", grants=[f"net:{page}"], **task)
    assert (outcome.status, outcome.value) == ("resolved", "hello"), outcome.reason
    assert _Page.asked == 1
