"""How the pages look to whoever cannot see them, and to whoever means them harm."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="make browser")

from .conftest import axe_source, serious_faults
from .test_walks import api, run_with

if TYPE_CHECKING:
    from playwright.sync_api import Page

NewPage = Callable[..., "Page"]
PHONE = {"width": 390, "height": 844}


def addresses(site: str) -> dict[str, str]:
    """Return every page of the site by a name."""
    decision = api(site, "/policy/decisions")["decisions"][0]["id"]
    return {
        "home": "/",
        "runs": "/runs",
        "run": f"/runs/{run_with(site, 'count requests by status')}",
        "refused": f"/runs/{run_with(site, 'magic of the sun')}",
        "hostile": f"/runs/{run_with(site, 'Klingon')}",
        "chats": "/chat",
        "library": "/library",
        "make": "/make",
        "tool": "/library/roman_to_int",
        "policy": "/policy?goal=permitted",
        "rules": "/policy?search=deny",
        "decision": f"/policy/decisions/{decision}",
        "inbox": "/inbox?all=true",
        "market": "/market",
        "doctor": "/doctor",
        "nothing": "/runs/r-none",
    }


@pytest.mark.parametrize(
    ("scheme", "rules"),
    # What is dark differs in its colours alone.
    [("light", "{ resultTypes: ['violations'] }"), ("dark", "{ runOnly: ['color-contrast'] }")],
)
def test_no_page_has_a_serious_fault_of_accessibility(site: str, new_page: NewPage, scheme: str, rules: str) -> None:
    if not axe_source():
        pytest.skip("axe-core is not there: make browser")
    page, faults = new_page(color_scheme=scheme), []
    for name, path in addresses(site).items():
        page.goto(site + path)
        faults += [(name, *fault) for fault in serious_faults(page, rules)]
    assert not faults


def test_every_page_fits_a_phone(site: str, new_page: NewPage) -> None:
    page, wide = new_page(viewport=PHONE), []
    for name, path in addresses(site).items():
        page.goto(site + path)
        if page.evaluate("document.documentElement.scrollWidth") > PHONE["width"]:
            wide.append(name)
    assert not wide


def test_the_keyboard_reaches_everything_and_skips_the_menu(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/library")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "find"


def test_what_came_from_outside_is_text_on_every_page_and_nothing_is_loaded_from_there(
    site: str, new_page: NewPage
) -> None:
    page, asked = new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    for path in addresses(site).values():
        answer = page.goto(site + path)
        assert answer is not None
        text = answer.text()
        assert "<script>window" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert page.evaluate("window.owned") is None
    assert {one for one in asked if not one.startswith(site)} == set()


def status_of(address: str, **fields: str) -> int:
    data = "&".join(f"{name}={value}" for name, value in fields.items()).encode() if fields else None
    request = urllib.request.Request(address, data=data, headers={"Accept": "text/html"})
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return int(error.code)


@pytest.mark.parametrize(
    "path",
    ["/static/../_frame.py", "/static/..%2f_frame.py", "/static/%2e%2e%2ftemplates%2fbase.html", "/static/none.css"],
)
def test_nothing_but_our_files_is_static(site: str, path: str) -> None:
    assert status_of(site + path) == 404


@pytest.mark.parametrize(
    "path",
    [
        "/ask",
        "/runs/r-1/answer",
        "/runs/r-1/again",
        "/runs/r-1/cancel",
        "/runs/r-1/resume",
        "/chat",
        "/chat/s-1/say",
        "/chat/s-1/stop",
        "/chat/s-1/undo",
        "/inbox/a-1/approval",
        "/inbox/effects/r-1/0",
        "/library/roman_to_int/call",
        "/library/roman_to_int/verify",
        "/library/roman_to_int/rollback",
        "/policy/permit",
        "/policy/simulate",
        "/market/abc/vote",
    ],
)
def test_a_form_that_this_browser_was_not_given_is_refused(site: str, path: str) -> None:
    before = api(site, "/runs?limit=1")
    assert status_of(site + path, form_token="guessed", intent="x", text="x", to="1", sample="statuses") == 403
    assert api(site, "/runs?limit=1") == before


@pytest.mark.parametrize(
    "path",
    [
        "/runs/r-none",
        "/runs/r-none/promises/0",
        "/chat/s-none",
        "/library/none",
        "/library/roman_to_int?version=99",
        "/policy/decisions/d-none",
        "/policy/rules/none.mg",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(site: str, path: str) -> None:
    assert status_of(site + path) == 404
