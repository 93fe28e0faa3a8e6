"""Build the site: gather the pages, have them written as HTML, and follow every link in what came out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES, SITE = ROOT / "build" / "docs", ROOT / "build" / "site"
# Pages that lie beside docs/ in the repository, and what they are called in the site.
BESIDE = {
    "README.md": "overview.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "EVIDENCE.md": "evidence.md",
    "LICENSE": "license.md",
}
_LINK = re.compile(r"(\]\()([^)\s#]+)")
# Elements that load something by themselves; an address of another host in one of them is a fault.
_LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


def gather() -> None:
    """Lay all pages side by side, their links changed accordingly; what leads into the code leads nowhere in a site."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES, ignore=shutil.ignore_patterns("site", "*.py"))
    for name, called in BESIDE.items():
        shutil.copy(ROOT / name, PAGES / called)
    for page in PAGES.glob("*.md"):
        inside = page.name not in BESIDE.values()
        page.write_text(_relinked(page.read_text(encoding="utf-8"), inside=inside), encoding="utf-8")


def _relinked(text: str, *, inside: bool) -> str:
    def change(found: re.Match[str]) -> str:
        target = found[2].removeprefix("../") if inside else found[2].removeprefix("docs/")
        return found[1] + BESIDE.get(target, target)

    text = _LINK.sub(change, text)
    # A link to a file of the code is its name.
    return re.sub(r"\[([^\]]+)\]\(((?:src|tests|bench|examples)(?:/[^)]*)?)\)", r"\1", text)


def build() -> None:
    """Run the generator; what it says is shown where it fails."""
    shutil.rmtree(SITE, ignore_errors=True)
    # The generator writes below the place of its settings only.
    shutil.copy(HERE / "zensical.toml", SITE.parent)
    command = [sys.executable, "-m", "zensical", "build", "--clean"]
    done = subprocess.run(command, cwd=SITE.parent, capture_output=True, text=True, check=False)
    if done.returncode or not (SITE / "index.html").exists():
        raise SystemExit(f"the site could not be built:\n{done.stdout}\n{done.stderr}")


class Links(HTMLParser):
    """The links of one page, what it loads, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take one element in."""
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in _LOADING and _LOADING[tag] in given and given.get("rel") != "canonical":
            self.loads.append(given[_LOADING[tag]])


def problems() -> list[str]:
    """Return the links that lead nowhere, and what is loaded from other hosts."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in SITE.rglob("*.html")}
    found = []
    for path, page in pages.items():
        name = path.relative_to(SITE)
        found += [f"{name} loads {load}" for load in page.loads if urlsplit(load).netloc]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{name}: {link} names no place there")
    return sorted(set(found))


def main() -> int:
    """Build, and say what is wrong."""
    gather()
    build()
    wrong = problems()
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(list(SITE.rglob('*.html')))} pages in {SITE.relative_to(ROOT)}, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
