"""`mayfly init`: the sample project, in an empty directory and in one that has things already."""

import json
import os
from pathlib import Path

import pytest

from .conftest import Cli

NAMES = [
    "mayfly.d/rules/releases.mg",
    "mayfly.d/rules/releases.test.toml",
    "mayfly.d/tools/slug.py",
    "mayfly.d/tools/slug_tests.py",
    "mayfly.toml",
]


def test_it_says_what_it_wrote_and_what_to_type_next(cli: Cli, tmp_path: Path) -> None:
    ran = cli("init", "project")
    assert ran.status == 0
    assert ran.out.splitlines() == [f"wrote  {name}" for name in NAMES]
    assert "next: cd project && mayfly policy test mayfly.d/rules" in ran.err
    assert all((tmp_path / "project" / name).is_file() for name in NAMES)


def test_what_is_there_stays_as_it_is(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mayfly.toml").write_text("[forge]\nattempts = 2\n")
    (tmp_path / "mayfly.d").mkdir()
    found = json.loads(cli("init", "--json").out)
    assert (found["kept"], len(found["wrote"])) == (["mayfly.toml"], 4)
    assert (tmp_path / "mayfly.toml").read_text() == "[forge]\nattempts = 2\n"
    again = cli("init")
    assert again.out.count("(it was there)") == 5
    assert "mayfly.toml needs: [policy]" in again.err
    assert not [name for _, _, names in os.walk(tmp_path / "mayfly.d") for name in names if name.startswith(".")]


def test_a_link_that_leads_nowhere_is_not_followed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mayfly.toml").symlink_to(tmp_path / "elsewhere")
    assert "mayfly.toml" in json.loads(cli("init", "--json").out)["kept"]
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_in_the_way_is_one_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mayfly.d").write_text("mine")
    ran = cli("init")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert (tmp_path / "mayfly.d").read_text() == "mine"


@pytest.mark.later
@pytest.mark.timeout(120)
def test_everything_it_names_works(cli: Cli) -> None:
    commands = json.loads(cli("init", "--json").out)["next"]
    rules, permit, tool = (line.removeprefix("mayfly ").split() for line in commands)
    assert cli(*rules) == (0, "", "2 passed, 0 failed\n")
    assert cli(*permit).out.startswith("deny\n  releases/ is not written by agents")
    assert cli("permit", "file_write", "src/a.py", "--persona", "coder").out.startswith("permit")
    assert cli(*tool).status == 0
    assert cli("tools", "call", "slug", "Hello, World!").out == '"hello-world"\n'
