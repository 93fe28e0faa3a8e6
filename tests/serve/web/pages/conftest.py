"""A browser for all tests of the pages, and a server with something of everything on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from serve.conftest import environment

from .scenes import make_scene, permit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOW = "apt-get install chromium && pip install playwright (make browser)"
# Milliseconds that a page has for what it says; a task that has to be written takes a few seconds on a busy machine.
PATIENCE = 20_000


def find_browser() -> str:
    """Return where a browser is that can be driven; nothing where there is none."""
    named = os.environ.get("MAYFLY_TEST_BROWSER", "")
    return named or next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), "")


def axe_source() -> str:
    """Return the script that looks for faults of accessibility; nothing where it was not brought."""
    places = [Path(sys.prefix), *(Path(one) for one in [os.environ.get("MAYFLY_TEST_NODE", "")] if one)]
    for place in places:
        found = place / "lib" / "node_modules" / "axe-core" / "axe.min.js"
        if found.exists():
            return found.read_text(encoding="utf-8")
    return ""


def serious_faults(page: Page, rules: str = "{ resultTypes: ['violations'] }") -> list[tuple[str, list[str]]]:
    """Return the serious faults of accessibility of the page that is open; none can be found without the script."""
    source = axe_source()
    if not source:
        return []
    page.evaluate(source)
    found: Any = page.evaluate(f"axe.run(document, {rules})")
    return [
        (one["id"], [node["html"][:160] for node in one["nodes"][:3]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Yield one browser for all tests of the pages; while it is there, no other test could start an event loop."""
    pytest.importorskip("playwright.sync_api", reason=f"no driver for a browser: {HOW}")
    from playwright.sync_api import sync_playwright

    found = find_browser()
    if not found:
        pytest.skip(f"there is no browser: {HOW}")
    with sync_playwright() as driver:
        # As root a browser has no sandbox of its own; it loads nothing but our pages.
        made = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


@contextmanager
def serving(state: Path, **env: str) -> Iterator[str]:
    """Serve a state on a free port of loopback, from a workspace beside it; yield the address."""
    work = state.parent / "work"
    work.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "mayfly.cli", "serve", "--json", "--port", "0"],
        env=environment(state, MAYFLY_WEB_RATE="2000", **env),
        cwd=work,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield str(json.loads(process.stdout.readline())["url"]).rstrip("/")
    finally:
        process.terminate()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory, type_cache: Path, compiled_rules: Path) -> Path:
    """Return a state directory in which there is something of everything."""
    place = tmp_path_factory.mktemp("pages")
    state = make_scene(place, type_cache=type_cache, compiled_rules=compiled_rules)
    permit(state, "write_file", "src/app.py")
    return state


@pytest.fixture(scope="session")
def site(scene: Path) -> Iterator[str]:
    """Yield the address of a server over the scene, with a scripted model to chat with."""
    with serving(scene, MAYFLY_MODELS_NAME=f"scripted:{scene.parent / 'script.jsonl'}") as address:
        yield address


@pytest.fixture(scope="session")
def bare_site(tmp_path_factory: pytest.TempPathFactory, compiled_rules: Path) -> Iterator[str]:
    """Yield the address of a server on which nothing has happened yet."""
    state = tmp_path_factory.mktemp("bare") / "state"
    state.mkdir(mode=0o700)
    shutil.copy2(compiled_rules / "seal.key", state)
    shutil.copytree(compiled_rules / "rules-cache", state / "rules-cache")
    with serving(state) as address:
        yield address


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return what opens a page in a window of its own; whatever its script complains about fails the test."""
    windows: list[Any] = []
    faults: list[str] = []

    def make(**options: Any) -> Page:
        window = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        windows.append(window)
        made = window.new_page()
        made.set_default_timeout(PATIENCE)
        made.on("pageerror", lambda error: faults.append(str(error)))
        # A resource that is refused, and anything that breaks the policy of the page, is said on its console.
        made.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        return made

    yield make
    for window in windows:
        window.close()
    assert not [one for one in faults if "status of 4" not in one], faults
