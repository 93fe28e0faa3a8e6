"""The site of the documents: built of all pages, every link followed, nothing loaded from elsewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script that builds it, writing somewhere else."""
    spec = importlib.util.spec_from_file_location("site_build", ROOT / "docs" / "site" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PAGES", tmp_path / "docs")
    monkeypatch.setattr(module, "SITE", tmp_path / "site")
    return module


def test_every_page_is_in_the_navigation(site: ModuleType) -> None:
    named = set(re.findall(r'"([\w-]+\.md)"', (ROOT / "docs" / "site" / "zensical.toml").read_text(encoding="utf-8")))
    site.gather()
    assert {page.name for page in site.PAGES.glob("*.md")} - {"license.md"} == named


def test_the_site_is_built_and_its_links_lead_somewhere(site: ModuleType) -> None:
    site.gather()
    site.build()
    assert site.problems() == []


def test_a_link_that_leads_nowhere_and_a_foreign_script_are_found(site: ModuleType) -> None:
    site.SITE.mkdir()
    (site.SITE / "a.html").write_text('<p id="x"><a href="b.html">b</a><a href="a.html#y">y</a><a href="#x">x</a></p>')
    (site.SITE / "c.html").write_text('<script src="https://example.com/x.js"></script><a href="a.html#x">a</a>')
    assert site.problems() == [
        "a.html: a.html#y names no place there",
        "a.html: b.html leads nowhere",
        "c.html loads https://example.com/x.js",
    ]
