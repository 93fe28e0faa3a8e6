"""What commands do to git's own files: everyday work is kept, what git would run or trust is asked about or refused."""

from __future__ import annotations

import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mayfly.core import PolicySettings, Settings, WorkbenchSettings
from mayfly.runtime import Session
from mayfly.sandbox.workbench import commits, undo
from mayfly.world import Room, SettledChanges

Open = Callable[..., Room]


def git(place: Path, *words: str) -> str:
    """Run git as the person does."""
    who = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *words], cwd=place, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with three commits, a branch that was never checked out, a stash, a tag and a remote's branch."""
    workspace = tmp_path_factory.mktemp("template")
    git(workspace, "init", "-q", "-b", "main")
    git(workspace, "config", "user.name", "T")
    git(workspace, "config", "user.email", "t@example.com")
    for name, text in (("a.txt", "one\n"), ("b.txt", "two\n")):
        (workspace / name).write_text(text)
        git(workspace, "add", "-A")
        git(workspace, "commit", "-qm", name)
    lone = git(workspace, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "lone")
    git(workspace, "branch", "lone", lone)
    git(workspace, "branch", "merged", "HEAD~1")
    git(workspace, "tag", "-a", "v1", "-m", "first release")
    theirs = git(workspace, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "theirs")
    git(workspace, "update-ref", "refs/remotes/origin/main", theirs)
    (workspace / "a.txt").write_text("put away\n")
    (workspace / "new.txt").write_text("untracked\n")
    git(workspace, "stash", "push", "-q", "--include-untracked")
    (workspace / "c.txt").write_text("three\n")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-qm", "last")
    return workspace


@pytest.fixture
def repository(template: Path, workspace: Path) -> Path:
    """A copy of it to work in."""
    shutil.copytree(template, workspace, dirs_exist_ok=True)
    return workspace


@pytest.fixture
def open_room(tmp_path: Path, repository: Path) -> Iterator[Open]:
    """Return a function that opens the room of a session of its own, or goes on with one, by its name."""
    opened: list[Session] = []

    def build(name: str = "s-1", *, close: bool = False, **settings: object) -> Room:
        if close:
            opened.pop().close()
        chosen = Settings(state_dir=str(tmp_path / "state"), **settings)  # type: ignore[arg-type]
        session = Session(chosen, workspace=repository, id=name)
        opened.append(session)
        session.executor.room.kernel = lambda: session.desk.kernel(persona="coder", session=session.id)
        return session.executor.room

    yield build
    for session in opened:
        session.close()


class Commands:
    """Run commands in a room and say what became of the changes of each."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._number = 0

    def __call__(self, command: str) -> SettledChanges:
        self._number += 1
        ran, settled = self.room.run(command, key=f"1.1.{self._number}")
        assert ran.ok, ran.output
        return settled


@pytest.fixture
def run(open_room: Open) -> Commands:
    """Return a function that runs a command in the room of a session."""
    return Commands(open_room())


EVERYDAY = [
    "echo 2 >> a.txt && git add -A && git commit -qm second",
    "git commit -q --amend -m better",
    "git gc -q",
    "git repack -adq",
    "git pack-refs --all",
    "git stash pop -q",
    "git stash pop -q --index",
    "echo 3 > a.txt && git stash -q && git stash pop -q",
    "echo 3 > a.txt && git stash -q && git stash drop -q",
    "git switch -q merged && git switch -q -",
    "git switch -qc topic && echo 1 > t.txt && git add -A && git commit -qm t && git rebase -q merged",
    "git branch -d -q merged",
    "git checkout -q --detach && git commit -q --allow-empty -m x && git checkout -q main",
    "git merge -q --no-edit lone",
    "git cherry-pick lone --allow-empty",
    "git reset -q --hard HEAD~1",
    "git revert --no-edit HEAD",
    "git tag v2 && git tag -a v3 -m three && git tag -d v2 v3",
    "git branch own && git branch -m own mine && git branch -D mine",
    "git notes add -m note && git update-ref refs/heads/x HEAD && git symbolic-ref refs/heads/y refs/heads/x",
    "git fsck && git status && git log --oneline && git diff HEAD~1",
    "git init -q --bare /tmp/other && git push -q /tmp/other main && git fetch -q /tmp/other main",
    "git bisect start && git bisect bad HEAD && git bisect good HEAD~1 && git bisect reset",
    "git rm -q a.txt && git commit -qm gone",
    "git filter-branch -f --msg-filter cat HEAD 2>&1 || true",
    "git commit-graph write --reachable",
    "git branch feature/hooks && git branch feature/config && git branch refs",
    "git reflog expire --expire=90.days --all",
    "git checkout -q HEAD~1 -- b.txt 2>/dev/null || true; git add -N . && git reset -q",
    "rm -f .git/index.lock; echo '*.log' >> .git/info/exclude",
    "git worktree list; git config --get user.name; git describe",
    "printf 'fixup' > .git/COMMIT_EDITMSG",
]


@pytest.mark.first(8)
@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_with_git_asks_nobody(run: Commands, command: str) -> None:
    settled = run(command)
    assert settled.status in ("committed", "nothing"), settled.reasons
    git(run.room.workspace, "fsck")


LOSES = [
    "git branch -D -q lone",
    "git update-ref -d refs/heads/lone",
    "rm .git/refs/heads/lone",
    "git tag -d v1",
    "git stash drop -q",
    "git stash clear",
    "git stash pop -q && git checkout -q a.txt",
    "git update-ref -d refs/remotes/origin/main",
    "git reset -q --hard HEAD~1 && rm -rf .git/logs",
    "git reset -q --hard HEAD~1 && git reflog expire --expire=now --all",
    "git reset -q --hard HEAD~1 && git reflog expire --expire=now --all && git gc -q --prune=now",
    "h=$(git rev-parse HEAD~1) && echo $h > .git/refs/heads/main && rm -r .git/logs/refs && : > .git/logs/HEAD",
    "git update-ref refs/heads/main HEAD~1 && rm -r .git/logs/refs && sed -i -E 's/> [0-9]+ /> 10000 /' .git/logs/HEAD",
    "rm -rf .git/objects/??",
    "rm -rf .git/objects/?? .git/index .git/logs",
    "git gc -q && rm .git/objects/pack/*.pack",
    "git gc -q && rm .git/objects/pack/*.idx",
    "git gc -q && f=$(ls .git/objects/pack/*.pack) && chmod u+w $f && printf x | dd of=$f bs=1 seek=40 conv=notrunc",
    "o=$(git rev-parse HEAD:a.txt) && f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-) && rm -f $f"
    " && git cat-file blob HEAD:b.txt > /tmp/b && cp $(git rev-parse HEAD:b.txt | sed 's,^..,.git/objects/&/,') $f",
    "rm .git/refs/heads/* .git/HEAD",
    "git pack-refs --all && rm .git/packed-refs",
    "rm -rf .git",
    "mv .git elsewhere",
]


@pytest.mark.first(8)
@pytest.mark.parametrize("command", LOSES)
def test_lost_history_is_asked_about(run: Commands, command: str) -> None:
    settled = run(command)
    assert settled.status == "held", settled
    git(run.room.workspace, "fsck")


TRUSTED = [
    "echo '[core] fsmonitor = sh x' >> .git/config",
    "git config core.sshCommand 'sh x'",
    "git config --local include.path ../evil",
    "git remote add evil /tmp/x",
    "printf '#!/bin/sh\\n' > .git/hooks/pre-commit",
    "mkdir -p .git/hooks && cp .git/hooks/update.sample .git/hooks/update",
    "echo /tmp > .git/objects/info/alternates",
    "git replace HEAD HEAD~1",
    "git replace HEAD HEAD~1 && git pack-refs --all",
    "git rev-parse HEAD > .git/info/grafts",
    "git rev-parse HEAD > .git/shallow",
    "echo '* filter=x' > .git/info/attributes",
    "echo ../evil > .git/commondir",
    "git worktree add -q second merged",
    "mv .git real && ln -s real .git",
    "mv .git real && echo 'gitdir: real' > .git",
    "ln -s ../hooks .git/refs/heads/x",
    "ln -s refs/heads/main .git/x && mv .git/x .git/HEAD",
    "mkdir .git/rebase-merge && echo 'exec sh x' > .git/rebase-merge/git-rebase-todo",
    "mkdir .git/sequencer && echo 'exec sh x' > .git/sequencer/todo",
    "echo 'https://evil.example/x' > .git/FETCH_HEAD",
    "echo 'ref: ../../x' > .git/refs/heads/x",
    "echo 'ref: refs/remotes/origin/main' > .git/HEAD",
    "printf 'not a log\\n' >> .git/logs/HEAD",
    "echo x > .git/logs/x",
    "echo garbage > .git/refs/heads/x",
    "echo 'x y z' >> .git/packed-refs",
    "git pack-refs --all && tac .git/packed-refs > /tmp/p && cat /tmp/p > .git/packed-refs",
    "git repack -adq --write-bitmap-index",
    "echo x > .git/index",
    "rm .git/index",
    "mkdir -p .git/objects/ab && echo x > .git/objects/ab/$(printf '0%.0s' $(seq 38))",
    "echo x > .git/objects/pack/pack-00.pack",
    "mkdir .git/reftable && echo x > .git/reftable/tables.list",
    "git init -q sub",
    "git init -q --bare bare.git",
    "mkdir -p .git/modules/lib && echo x > .git/modules/lib/config",
    "mkdir -p .git/modules/lib/hooks && echo x > .git/modules/lib/hooks/update",
    "chmod 500 .git/hooks",
    "echo x > .git/config.worktree",
    "echo '/*' > .git/info/sparse-checkout",
    "git update-server-info && echo 'gitdir: x' > sub.git && mkdir m && mv sub.git m/.git",
    "printf \"x'; touch y'\\n\" > .git/BISECT_NAMES",
]


@pytest.mark.first(12)
@pytest.mark.parametrize("command", TRUSTED)
def test_what_git_runs_or_trusts_is_a_persons_to_change(run: Commands, command: str) -> None:
    settled = run(command)
    assert settled.status == "held", settled


def test_an_object_is_the_hash_of_what_it_holds(run: Commands, tmp_path: Path) -> None:
    """One that would fill the machine's memory is not looked into to its end."""
    bomb = tmp_path / "work" / "bomb"
    bomb.write_bytes(zlib.compress(b"blob 9999999999\0" + bytes(64 << 20), 9))
    assert run(f"mkdir -p .git/objects/00 && mv bomb .git/objects/00/{'1' * 38}").status == "held"
    assert run("git hash-object -w a.txt").status in ("committed", "nothing")


@pytest.fixture
def submodule(repository: Path, tmp_path: Path) -> Path:
    """A submodule in the repository, with a branch of its own."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    (other / "x.txt").write_text("x\n")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "first")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "libs/one")
    git(repository, "commit", "-qm", "submodule")
    place = repository / "libs" / "one"
    git(place, "branch", "lone", git(place, "commit-tree", "HEAD^{tree}", "-m", "lone"))
    return place


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("command", "status"),
    [
        (
            "cd libs/one && echo 1 > x.txt && git -c user.name=T -c user.email=t@e commit -qam x && git gc -q",
            "committed",
        ),
        ("cd libs/one && git branch -D -q lone", "held"),
        ("rm -rf .git/modules/libs/one/objects/??", "held"),
        ("echo '[core] fsmonitor = sh x' >> .git/modules/libs/one/config", "held"),
        ("printf 'x' > .git/modules/libs/one/hooks/post-checkout", "held"),
        ("git -C libs/one rev-parse HEAD > .git/modules/libs/one/info/grafts", "held"),
        ("mkdir -p .git/modules/libs/one/branches && echo x > .git/modules/libs/one/branches/y", "held"),
    ],
)
def test_the_repository_of_a_submodule_is_judged_as_any_other(
    submodule: Path, open_room: Open, command: str, status: str
) -> None:
    assert Commands(open_room())(command).status == status


NEVER = [
    "mkdir -p .git/branches && echo .git/refs/cache > .git/branches/upstream",
    "mkdir -p .git/remotes && echo 'URL: x' > .git/remotes/upstream",
    "git init -q --bare .git/refs/cache",
    "git init -q --bare .git/objects/info/x",
    "git init -q --bare .git/logs/refs/x",
    "git init -q .git/info/x",
    "mkdir -p .git/refs/x/hooks",
    "mkdir -p .git/objects/hooks && echo x > .git/objects/hooks/pre-receive",
    "mkdir -p .git/refs/heads/x/objects .git/refs/heads/x/refs && cp .git/HEAD .git/refs/heads/x/HEAD",
    "mkdir -p .git/refs/x && printf '[core]\\n' > .git/refs/x/config",
    "mkdir -p .git/info/x && echo 'gitdir: y' > .git/info/x/.git",
]


@pytest.mark.first(4)
@pytest.mark.parametrize("command", NEVER)
def test_no_repository_and_no_hooks_among_the_files_of_git(run: Commands, command: str) -> None:
    settled = run(command)
    assert settled.status == "refused", settled
    assert any("git keeps nothing like this" in reason for reason in settled.reasons)


def test_a_repository_is_not_put_together_from_several_commands(run: Commands) -> None:
    assert run("mkdir -p .git/refs/heads/x && cp .git/refs/heads/main .git/refs/heads/x/HEAD").status == "committed"
    run("mkdir .git/refs/heads/x/objects")
    assert run("mkdir .git/refs/heads/x/refs").status == "refused"


def test_commits_that_were_there_are_not_lost_in_small_steps(run: Commands) -> None:
    assert run("git reset -q --hard HEAD~1").status == "committed"
    assert run("git commit -q --allow-empty -m own").status == "committed"
    assert run("git reflog expire --expire=now --all").status == "held"
    assert run("git gc -q --prune=now").status == "committed"
    git(run.room.workspace, "cat-file", "-e", "main@{2}^{commit}")


def test_what_a_person_lost_is_not_asked_about_again(run: Commands, repository: Path) -> None:
    assert run("git commit -q --allow-empty -m own").status == "committed"
    git(repository, "branch", "-D", "-q", "lone")
    assert run("git commit -q --allow-empty -m more").status == "committed"


def test_tracked_is_what_the_session_began_with(run: Commands, repository: Path) -> None:
    (repository / "big").mkdir()
    for number in range(110):
        (repository / "big" / f"{number}").write_text(f"{number}\n")
    git(repository, "add", "-A")
    assert run("git rm -r -q --cached big").status == "committed"
    settled = run("rm -rf big")
    assert (settled.status, "110 files" in settled.reasons[0]) == ("held", True)


@pytest.mark.parametrize("piece", ["rm -f {}", "git rm -q {}", "mv {} keep{} && rm keep{}", "truncate -s 0 {}"])
def test_removals_add_up_over_a_session(open_room: Open, repository: Path, piece: str) -> None:
    for number in range(6):
        (repository / f"f{number}").write_text(f"{number}\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "files")
    run = Commands(open_room(policy=PolicySettings(removals=4)))
    told = [run(piece.replace("{}", f"f{number}")).status for number in range(3)]
    assert told == ["committed"] * 3
    run = Commands(open_room(policy=PolicySettings(removals=4), close=True))
    run._number = 10
    assert run(piece.replace("{}", "f3")).status == "committed"
    assert run(piece.replace("{}", "f4")).status == "held"
    undo(run.room.state, repository)
    assert run(piece.replace("{}", "f4")).status == "committed"


def test_what_is_moved_in_one_command_and_removed_in_the_next_is_removed(open_room: Open, repository: Path) -> None:
    run = Commands(open_room(policy=PolicySettings(removals=1)))
    assert run("mkdir build && mv a.txt b.txt build").status == "committed"
    assert run("rm -r build").status == "held"


def test_undo_keeps_all_that_the_running_session_did(open_room: Open, repository: Path) -> None:
    limits = {"workbench": WorkbenchSettings(undo_commits=2)}
    run = Commands(open_room(**limits))
    for number in range(5):
        run(f"echo {number} > a.txt")
    assert len(commits(run.room.state, repository)) == 5
    other = Commands(open_room("s-2", **limits))
    other("echo 6 > a.txt")
    assert len(commits(run.room.state, repository)) == 6
    for _ in range(6):
        undo(run.room.state, repository)
    assert (repository / "a.txt").read_text() == "one\n"


def test_undo_forgets_the_oldest_of_a_session_that_ended(open_room: Open, repository: Path) -> None:
    limits = {"workbench": WorkbenchSettings(undo_commits=2)}
    run = Commands(open_room(**limits))
    for number in range(5):
        run(f"echo {number} > a.txt")
    other = Commands(open_room("s-2", close=True, **limits))
    other("echo 6 > a.txt")
    assert len(commits(other.room.state, repository)) == 2


def test_what_undo_could_not_keep_is_held(open_room: Open, repository: Path) -> None:
    (repository / "large").write_bytes(b"x" * 3000)
    run = Commands(open_room(workbench=WorkbenchSettings(undo_size=5000)))
    assert run("echo > large").status == "committed"
    (repository / "large").write_bytes(b"y" * 3000)
    settled = run("rm large")
    assert settled.status == "held"
    assert "workbench.undo_size" in settled.reasons[0]
    assert run("echo 1 > small").status == "committed"
