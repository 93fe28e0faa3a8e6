"""`mayfly help`: the help of a command."""

import pytest

from .conftest import Cli


@pytest.mark.parametrize("path", [["run"], ["policy", "eval"], ["policy"], ["answer"]])
def test_it_prints_what_the_command_prints_with_its_option(cli: Cli, path: list[str]) -> None:
    ran = cli("help", *path)
    assert ran == cli(*path, "--help")
    assert ran.out.startswith(f"Usage: mayfly {' '.join(path)} ")


def test_without_a_name_it_lists_the_commands(cli: Cli) -> None:
    assert cli("help") == cli("--help")


@pytest.mark.parametrize("path", [["nonsense"], ["run", "nonsense"], ["policy", "nonsense"]])
def test_a_command_that_does_not_exist_is_one_line(cli: Cli, path: list[str]) -> None:
    assert cli("help", *path) == (2, "", f"mayfly: there is no command {' '.join(path)!r}; see: mayfly help\n")
