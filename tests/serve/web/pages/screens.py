"""Take the pictures of docs/pages.md: every page on a desk, on a phone and in the dark. `make screens` runs it."""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serve.conftest import environment

from .conftest import find_browser, serving
from .scenes import SAMPLES, make_scene, permit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WHERE = Path(__file__).parents[4] / "docs" / "screens"
WINDOWS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1180, "height": 780}},
    "phone": {"viewport": {"width": 390, "height": 780}},
    "dark": {"viewport": {"width": 1180, "height": 780}, "color_scheme": "dark"},
}
# A picture is to be read, not measured: this much of it is enough, and all of them stay below a megabyte.
QUALITY = 72


def main() -> None:
    """Make a scene, walk through it, and take a picture of every page."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="mayfly-screens-") as folder, sync_playwright() as driver:
        state = _scene(Path(folder))
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        with serving(state, MAYFLY_MODELS_NAME=f"scripted:{state.parent / 'script.jsonl'}") as site:
            addresses = _walk(browser, site)
            for window, options in WINDOWS.items():
                _take_all(browser.new_context(**options).new_page(), site, addresses, window)
        browser.close()


def _scene(place: Path) -> Path:
    types, rules = place / "types", place / "rules"
    types.mkdir(mode=0o700)
    command = [sys.executable, "-m", "mayfly.cli", "route", "fix a.py", "--json"]
    subprocess.run(command, env=environment(rules), check=True, capture_output=True)
    state = make_scene(place, type_cache=types, compiled_rules=rules, hostile=False)
    permit(state, "write_file", "src/app.py")
    permit(state, "git_push", "origin")
    return state


def _walk(browser: Browser, site: str) -> dict[str, str]:
    """Do what people do, so that there is something to see; return the address of every page by its name."""
    page = browser.new_page()
    question = _ask(page, site, "sort it by magic of the sun", "Something has to be settled first")
    answer = _ask(page, site, "count requests by status", "Answer")
    page.goto(site)
    page.get_by_label("Your question").fill("calculate 17 * 23 and then calculate 4 + 5")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Answer").wait_for()
    tree = page.url
    page.goto(f"{site}/chat")
    page.get_by_label("Begin a conversation").fill("Write my notes down: water the plants, call Ada")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("I wrote your notes down.").wait_for()
    page.get_by_label("Say something").fill("Create .envrc")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("waits for you.").wait_for()
    named = {"chat": page.url, "question": question, "run": answer, "tree": tree}
    paths = ("runs", "library", "policy", "inbox", "market", "doctor")
    rest = {"home": "", "tool": "library/roman_to_int", **{name: name for name in paths}}
    return {**named, **{name: f"{site}/{path}" for name, path in rest.items()}}


def _ask(page: Page, site: str, intent: str, heading: str) -> str:
    page.goto(site)
    page.get_by_label("Your question").fill(intent)
    page.get_by_label("About a file").set_input_files(SAMPLES / "access.log")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name=heading).wait_for()
    return page.url


def _take_all(page: Page, site: str, addresses: dict[str, str], window: str) -> None:
    WHERE.mkdir(exist_ok=True)
    camera = page.context.new_cdp_session(page)
    for name, address in addresses.items():
        page.goto(address)
        if name == "chat":
            page.locator(".said .sheet").scroll_into_view_if_needed()
        taken = camera.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
        (WHERE / f"{name}-{window}.webp").write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    main()
