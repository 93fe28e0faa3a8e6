"""Without an overlay a copy does, without namespaces Landlock; an ordinary user has the same as root."""

import os
import subprocess
from pathlib import Path

import pytest

from mayfly.core import InputError, MachineError
from mayfly.sandbox.workbench import Workbench
from mayfly.sandbox.workbench._launcher import NotLaunched

from .conftest import Make, as_somebody


@pytest.fixture
def alone(make: Make) -> Workbench:
    """A workbench at the level landlock."""
    found = make(level="landlock")
    try:
        found.run(["true"])
    except MachineError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    return found


@pytest.mark.first(6)
@pytest.mark.parametrize(
    "way",
    [
        "cat /etc/shadow",
        "echo x > /usr/evil",
        "echo x > /tmp/evil-4711",
        "cat {workspace}/a.txt",
        "echo x > {workspace}/evil",
        "cat {workspace}/.env",
        "ls {home}",
        "cat /proc/1/cmdline",
        "python3 -c 'import socket; socket.socket()'",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'",
        "kill -9 {host}",
        "unshare -Ur true",
        "chmod 777 {workspace}",
    ],
)
def test_landlock_alone_refuses(alone: Workbench, workspace: Path, way: str) -> None:
    mode = workspace.stat().st_mode
    home = os.path.expanduser("~")
    ran = alone.run(way.format(workspace=workspace, home=home, host=os.getpid()))
    assert ran.status == "failed"
    assert ran.level == "landlock"
    assert workspace.stat().st_mode == mode
    assert not (workspace / "evil").exists()


def test_landlock_alone_ends_all_that_was_started(alone: Workbench) -> None:
    ran = alone.run("(setsid sleep 4711 &); (setsid sh -c 'sleep 4711; true' &); sleep 4711", timeout=0.5)
    assert ran.status == "timeout"
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert "sleep 4711" not in [line.strip() for line in listed.splitlines()]


def test_hosts_cannot_be_granted_without_namespaces(alone: Workbench) -> None:
    with pytest.raises(InputError, match="landlock"):
        alone.run(["true"], grants=["net:example.org"])


def test_a_copy_follows_the_workspace_where_no_command_changed_it(alone: Workbench, workspace: Path) -> None:
    alone.run("echo mine >> a.txt")
    (workspace / "b.txt").write_text("newer\n")
    (workspace / "c.txt").write_text("new\n")
    (workspace / "src" / "main.py").unlink()
    ran = alone.run("cat a.txt b.txt c.txt; ls src")
    assert ran.output == "one\nmine\nnewer\nnew\n"
    assert [change.path for change in ran.changes] == ["a.txt"]


def test_a_workspace_that_no_overlay_can_cover_is_copied(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make()
    real = bench._seats.take

    def fail_once() -> object:
        monkeypatch.setattr(bench._seats, "take", real)
        raise NotLaunched("no overlay", number=22, where="build > mount_workspace > mount")

    monkeypatch.setattr(bench._seats, "take", fail_once)
    ran = bench.run("pwd; echo more >> a.txt")
    assert (ran.level, ran.output) == ("namespaces", f"{bench.workspace}\n")
    assert [change.path for change in ran.changes] == ["a.txt"]


def test_a_level_that_stood_is_never_left(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make()
    bench.run("true")

    def fail() -> object:
        raise NotLaunched("gone", number=1)

    monkeypatch.setattr(bench._seats, "take", fail)
    with pytest.raises(MachineError):
        bench.run("true")
    assert bench.level == "namespaces"


AS_USER = """
import os, sys
from pathlib import Path
from mayfly.sandbox.workbench import Workbench
place = Path(sys.argv[1])
work = place / "work"
(work / "dir" / "sub").mkdir(parents=True)
(work / "dir" / "sub" / "f").write_text("f")
(work / ".env").write_text("canary")
with Workbench(work, state=place / "state") as bench:
    ran = bench.run('''
        id -u; cat .env | tr -d '\\\\0'; stat -c %u dir
        git init -q . && git add -A && git -c user.name=A -c user.email=a@b commit -qm first && git mv dir new && ls new
        python3 -c "import os; os.rename('new/sub', 'moved'); os.rename('moved', 'again')"; cat again/f
        python3 -c "import os; os.rename('again', '.git')" 2>&1 | tail -1
        cat /etc/shadow; echo x > /usr/x
    ''')
    print(ran.level, ran.output)
    print(sorted((c.kind, c.path, c.old_path) for c in ran.changes if not c.path.startswith(".git")))
    bench.commit()
    print((work / "again" / "f").read_text(), (work / "dir").exists(), (work / ".env").read_text())
"""


def test_an_ordinary_user_renames_directories_too(library: str) -> None:
    with as_somebody("ordinary", library) as (start, place):
        done = subprocess.run([*start, "-c", AS_USER, place], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("namespaces"), done.stdout
    assert "sub" in lines
    assert "f" in done.stdout
    assert "Directory not empty" in done.stdout
    assert "Permission denied" in done.stdout
    assert "canary" not in "\n".join(lines[:-1])
    assert "('renamed', 'again/f', 'dir/sub/f')" in lines[-2]
    assert lines[-1] == "f False canary"


def test_modes_and_times_of_its_own_files(alone: Workbench) -> None:
    script = """
import os, pathlib, shutil
os.chmod("a.txt", 0o700); os.utime("a.txt", (1, 2)); shutil.copy2("a.txt", "copy.txt")
with open("b.txt") as file: os.fchmod(file.fileno(), 0o600)
print(oct(os.stat("copy.txt").st_mode & 0o777), os.stat("copy.txt").st_mtime, oct(os.stat("b.txt").st_mode & 0o777))
os.symlink("/etc/passwd", "out")
try: os.chmod("out", 0o777)
except PermissionError: print("refused")
"""
    assert alone.run(["python3", "-c", script]).output == "0o700 2.0 0o600\nrefused\n"
