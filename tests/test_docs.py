"""The documents: what can be run is run, what is generated is fresh, what is linked is there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from generated import pages
from mayfly.cli._app import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FILES = [*PAGES, *(ROOT / name for name in ("mayfly", "Makefile", ".ci/run", "pyproject.toml", "constraints.txt"))]
# The wallet is a name of the sandbox's own: the proxy answers it, and it is looked up nowhere.
HOSTS = {"127.0.0.1", "localhost", "example.com", "HOST", "wallet.mayfly"}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    page: Path
    language: str
    text: str


BLOCKS = [Block(page, *found) for page in PAGES for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def label(block: Block) -> str:
    return f"{block.page.name}-{block.text.splitlines()[0][:30]}"


def blocks(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_generated_page_is_what_would_be_generated(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == pages()[page], "write it again with: make docs"


@pytest.mark.parametrize("block", blocks("python"), ids=label)
def test_python_in_the_documents_runs(block: Block, tmp_path: Path, state: Path) -> None:
    env = {**os.environ, "MAYFLY_STATE_DIR": str(state)}
    command = [sys.executable, "-c", block.text]
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=250)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("block", blocks("console"), ids=label)
def test_a_console_capture_is_what_is_printed(block: Block, tmp_path: Path, state: Path) -> None:
    for command, shown in steps(block.text):
        ran = shell(command, tmp_path, state)
        assert ran.returncode == 0, ran.stderr
        assert shape(ran.stdout) == shape(shown)


def steps(text: str) -> list[tuple[str, str]]:
    """Return each command of a capture with what it printed."""
    found = [part.partition("\n") for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in found]


def shell(command: str, directory: Path, state: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of the documents with `./mayfly` meaning the package under test."""
    here = directory / "mayfly"
    here.write_text(f'#!/bin/sh\nMAYFLY_COMMAND=$0 exec {shlex.quote(sys.executable)} -m mayfly.cli "$@"\n')
    here.chmod(0o755)
    env = {**os.environ, "MAYFLY_STATE_DIR": str(state)}
    return subprocess.run(command, shell=True, cwd=directory, env=env, capture_output=True, text=True, timeout=250)


def shape(text: str) -> list[str]:
    """Leave out what differs between runs and machines: times, and what the level had to say."""
    text = re.sub(r" *[\d.]+ (ms|µs)", r" N \1", text.replace("level landlock", "level namespaces"))
    lines = (re.sub(r"(contained N ms) .*", r"\1", line) for line in text.splitlines())
    return [line.rstrip() for line in lines if line.strip()]


@pytest.mark.parametrize("block", blocks("sh"), ids=label)
def test_a_shell_block_names_commands_and_targets_that_exist(block: Block) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in block.text.splitlines():
        command, *args = shlex.split(line, comments=True)
        assert command in ("./mayfly", "make"), line
        if command == "make":
            assert not args or re.search(rf"^{args[0]}:", makefile, re.MULTILINE), line
        else:
            assert args[0] in COMMANDS, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_file_names_a_host_to_download_from(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    # Addresses of our own resources lead to no host.
    assert set(re.findall(r"\b(?!mayfly:)\w+://([\w.-]+)", text)) <= HOSTS
    assert not re.findall(r"--(?:extra-)?index-url|--find-links", text)


def test_the_readme_says_it_in_few_words() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert "./mayfly demo" in text
    assert "make test" in text


def test_every_file_and_package_that_the_map_names_is_there() -> None:
    source = ROOT / "src" / "mayfly"
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", text))
    assert len(named) > 40
    missing = [name for name in sorted(named) if not (source / name).exists() and not (ROOT / name).exists()]
    assert not missing
    packages = {path.name for path in source.iterdir() if (path / "__init__.py").exists()}
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert packages == set(re.findall(r"^\| [\d–] \| `(\w+)` \|", contributing, re.MULTILINE))
