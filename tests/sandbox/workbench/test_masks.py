"""Files with secrets are there, and cannot be read; git is not led astray by it."""

import os
import subprocess
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.sandbox.workbench import Workbench

from .conftest import Make

CANARY = "canary-4711"


def git(place: Path, *words: str) -> str:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *settings, *words], cwd=place, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(workspace: Path) -> Path:
    (workspace / "deploy").mkdir()
    (workspace / "deploy" / "server key.pem").write_text(CANARY)
    git(workspace, "init", "-q")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-qm", "first")
    (workspace / "untracked.key").write_text(CANARY)
    return workspace


def test_a_masked_file_keeps_its_size_and_time_and_loses_its_contents(bench: Workbench, workspace: Path) -> None:
    ran = bench.run("cat .env; stat -c '%s %Y %a' .env; grep -r canary . ; echo $?")
    status = (workspace / ".env").stat()
    assert CANARY not in ran.output
    assert f"{status.st_size} {int(status.st_mtime)} 644\n1\n" in ran.output
    assert len(ran.changes) == 0
    assert (workspace / ".env").read_text() == f"TOKEN={CANARY}\n"


@pytest.mark.first(6)
@pytest.mark.parametrize(
    "way",
    [
        "cp .env x && cat x",
        "mv .env x && cat x",
        "ln .env x && cat x",
        "ln -s .env x && cat x",
        "chmod 777 .env && cat .env",
        "cat src/../.env",
        "tar cf - .env",
        "cat /proc/self/cwd/.env",
        "cat /proc/1/root$PWD/.env",
        "cat $PWD/../*/.env",
        "dd if=.env",
        "find / -name '.env' -xdev -exec cat {} +",
    ],
)
def test_no_way_leads_to_the_contents(bench: Workbench, way: str) -> None:
    ran = bench.run(way)
    assert CANARY not in ran.output
    assert CANARY not in ran.changes.diff()


def test_a_secret_that_appears_between_two_commands_is_masked(bench: Workbench, workspace: Path) -> None:
    bench.run("true")
    (workspace / "src" / ".env.local").write_text(CANARY)
    (workspace / "new" / "deep").mkdir(parents=True)
    (workspace / "new" / "deep" / "id_rsa").write_text(CANARY)
    assert CANARY not in bench.run("cat src/.env.local new/deep/id_rsa").output


def test_what_was_known_is_kept_for_the_next_process(make: Make, workspace: Path, state: Path) -> None:
    old = 1_000_000_000
    for directory in (workspace, workspace / "src"):
        os.utime(directory, (old, old))
    first = make()
    first.run("true")
    first.close()
    (workspace / "src" / "server.key").write_text(CANARY)
    assert CANARY not in make().run("cat .env src/server.key").output


def test_a_file_that_is_moved_unread_moves_with_its_contents(bench: Workbench, workspace: Path) -> None:
    ran = bench.run("mkdir conf; mv .env conf/.env")
    assert ("renamed", "conf/.env") in [(change.kind, change.path) for change in ran.changes]
    bench.commit()
    assert (workspace / "conf" / ".env").read_text() == f"TOKEN={CANARY}\n"


def test_a_directory_that_is_moved_takes_its_secrets_along(bench: Workbench, workspace: Path, state: Path) -> None:
    (workspace / "src" / "x.pem").write_text(CANARY)
    bench.run("mv src lib; echo 1 >> lib/main.py")
    assert CANARY not in bench.run("cat lib/x.pem").output
    bench.commit()
    assert (workspace / "lib" / "x.pem").read_text() == CANARY


def test_a_masked_file_that_is_replaced_is_a_change_without_its_old_contents(bench: Workbench) -> None:
    ran = bench.run("echo TOKEN=mine > .env")
    assert [(change.kind, change.path) for change in ran.changes] == [("changed", ".env")]
    assert CANARY not in ran.changes.diff()


def test_reading_and_writing_without_a_command(bench: Workbench) -> None:
    with pytest.raises(InputError, match="masked"):
        bench.read(".env")
    bench.run("ln -s .env open")
    with pytest.raises(InputError, match="masked"):
        bench.read("open")


def test_git_sees_a_clean_tree_and_leaves_its_index_alone(make: Make, repository: Path) -> None:
    ran = make().run("git status --porcelain; git diff --stat")
    assert ran.output == ""


def test_git_never_stores_what_stands_in_the_place_of_a_secret(make: Make, repository: Path) -> None:
    bench = make()
    script = (
        "echo new > c.txt; git add -A && git -c user.name=A -c user.email=a@b commit -qam second && git show --stat"
    )
    ran = bench.run(script)
    assert ran.status == "ok", ran.output
    assert ".env" not in ran.output
    assert "untracked" not in ran.output
    bench.commit()
    assert git(repository, "show", "HEAD:.env") == f"TOKEN={CANARY}\n"
    assert git(repository, "show", "HEAD:deploy/server key.pem") == CANARY
    assert git(repository, "show", "HEAD:c.txt") == "new\n"
    assert git(repository, "status", "--porcelain") == "?? untracked.key\n"


def test_git_add_of_a_secret_fails_rather_than_lies(make: Make, repository: Path) -> None:
    assert make().run("git add -f untracked.key").status == "failed"


def test_git_moves_a_directory(make: Make, repository: Path) -> None:
    bench = make()
    ran = bench.run("git mv src lib && git -c user.name=A -c user.email=a@b commit -qm moved && git status --porcelain")
    assert (ran.status, ran.output) == ("ok", "")
    bench.commit()
    assert git(repository, "ls-files", "lib") == "lib/main.py\n"
