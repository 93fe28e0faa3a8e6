"""`--grant` on `mayfly run` and `mayfly compile`: asked of the rules, shown, and gone with the run."""

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.testing import write_script

from .conftest import Cli

READER = '''"""Prices."""

from pathlib import Path


class Reader:
    """Look prices up in a file."""

    def invoke(self, input: str) -> int:
        """Return the price of what is named."""
        rows = [line.split(",") for line in Path("prices.csv").read_text().splitlines()]
        return next((int(price) for name, price in rows if name == input), -1)
'''


@pytest.fixture
def reader(tmp_path: Path) -> list[str]:
    """Write what looks prices up in the directory shop, and return the options that every command takes."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "prices.csv").write_text("apple,2\npear,3\nfig,5\n")
    asked = {"apple": 2, "pear": 3, "fig": 5, "kiwi": -1}
    pairs = [{"input": name, "output": price} for name, price in asked.items()]
    (tmp_path / "examples.json").write_text(json.dumps(pairs))
    (tmp_path / "input.json").write_text('"fig"')
    (tmp_path / "reader.py").write_text(READER)
    return ["--examples", "examples.json", "--workspace", "shop"]


def data(ran: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_a_run_with_a_grant_shows_it_everywhere(cli: Cli, tmp_path: Path, reader: list[str]) -> None:
    model = write_script(tmp_path / "script.jsonl", ("architect", READER))
    task = ["run", "look the price up", "--input", "input.json", "--model", model, "--accept-weak", *reader]
    ran = cli(*task, "--grant", "fs:workspace", "--json")
    assert (ran.status, data(ran)["value"]) == (0, 5), ran.err
    assert data(ran)["grants"] == ["fs:workspace"]
    assert "tier authored, depth 0, granted fs:workspace" in cli("why", data(ran)["id"]).out
    assert "granted   fs:workspace\n" in cli(*task, "--grant", "fs:workspace").err
    without = cli(*task, "--json")
    assert data(without)["grants"] == []
    assert "pathlib is not on the list" in data(without)["reason"]


def test_the_same_source_is_admitted_with_the_grant_only(cli: Cli, reader: list[str]) -> None:
    task = ["compile", "look the price up", "--source", "reader.py", *reader, "--json"]
    without = data(cli(*task))
    assert (without["decision"], without["grants"]) == ("reject", [])
    granted = data(cli(*task, "--grant", "fs:workspace"))
    assert (granted["decision"], granted["grants"]) == ("accept", ["fs:workspace"]), granted["verdicts"]


@pytest.mark.parametrize("command", ["run", "compile"])
def test_a_grant_that_the_rules_do_not_allow_is_refused_with_the_reason(
    cli: Cli, reader: list[str], command: str
) -> None:
    ran = cli(command, "look the price up", *reader, "--tier", "memo", "--grant", "package", "--grant", "net:*")
    assert ran.status == 1
    assert "grant net:* is refused: the rules allow net to no code of tier memo" in ran.err
    assert "--tier authored" in ran.err


def test_a_refused_grant_is_a_verdict_for_programs(cli: Cli, reader: list[str]) -> None:
    ran = cli("compile", "look it up", *reader, "--tier", "memo", "--grant", "package", "--json")
    assert (ran.status, data(ran)["decision"], data(ran)["verdicts"][0]["code"]) == (1, "reject", "GRANT")


@pytest.mark.parametrize("command", ["run", "compile"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--grant", "everything"], "unknown grant 'everything'"),
        (["--grant", "net:"], "unknown grant 'net:'"),
        (["--grant", "fs:workspace", "--workspace", "nowhere"], "--workspace nowhere is not a directory"),
    ],
)
def test_a_grant_that_cannot_be_meant_is_one_line_and_status_2(
    cli: Cli, reader: list[str], command: str, options: list[str], words: str
) -> None:
    ran = cli(command, "look it up", *reader, *options)
    assert ran.status == 2
    [line] = [line for line in ran.err.splitlines() if line.startswith("mayfly: ")]
    assert words in line
