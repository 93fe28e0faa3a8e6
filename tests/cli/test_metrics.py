"""`mayfly metrics`: promises of trees besides what is counted of runs."""

import json
from pathlib import Path

from .conftest import Cli
from .trees import interrupted


def test_promises_are_counted_besides_runs(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    cli("run", "Count the lines in a.txt and hash the file b.txt", "--quiet")
    interrupted()
    found = json.loads(cli("metrics", "--json").out)
    assert (found["runs"], found["resolved"], found["compiled"]) == (1, 1, 0)
    assert found["promises"] == {
        "total": 9,
        "resolved": 4,
        "collapsed": 1,
        "failed": 0,
        "max_depth": 2,
        "success_rate": 0.8,
    }
    assert (found["unknown_effects"], found["dead_letters"]) == (1, 0)


def test_text_has_one_number_a_line(cli: Cli) -> None:
    interrupted()
    lines = cli("metrics").out.splitlines()
    assert "promises{total}  6" in lines
    assert "promises{success_rate}  0.5" in lines
    assert "unknown_effects  1" in lines
