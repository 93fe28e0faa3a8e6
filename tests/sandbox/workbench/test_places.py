"""Programs, homes and workspaces below the directories that a command has of its own: /tmp, /var/tmp, /run."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.sandbox.workbench import Workbench, _programs

from .conftest import Make

OWN = [path for path in ("/tmp", "/var/tmp", "/run") if os.access(path, os.W_OK)]


@pytest.fixture(params=OWN)
def place(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory below one of them, with a blank in its name, a home, programs, a workspace and a file beside them."""
    found = Path(tempfile.mkdtemp(prefix="may fly-", dir=request.param))
    found.chmod(0o755)
    (found / "home" / "env" / "bin").mkdir(parents=True)
    (found / "home" / "env" / "pyvenv.cfg").touch()
    (found / "home" / "env" / "bin" / "greet").write_text("#!/bin/sh\necho hello\n")
    (found / "home" / "env" / "bin" / "greet").chmod(0o755)
    (found / "beside").write_text("canary-4711\n")
    (found / "home" / "work").mkdir()
    yield found
    shutil.rmtree(found)


@pytest.fixture
def at_home(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The place, whose home is that of this user."""
    monkeypatch.setenv("HOME", str(place / "home"))
    _programs.home_directory.cache_clear()
    yield place
    _programs.home_directory.cache_clear()


@pytest.mark.first(6)
@pytest.mark.parametrize("level", ["namespaces", "landlock"])
@pytest.mark.parametrize("there", ["home/work", "elsewhere"])
def test_programs_below_them_can_be_run_and_nothing_beside_is_seen(
    make: Make, at_home: Path, workspace: Path, level: str, there: str
) -> None:
    env = at_home / "home" / "env"
    bench = make(at_home / there if there == "home/work" else workspace, level=level, programs=str(env))
    for _ in range(2):  # the second finds what the first has left
        ran = bench.run([str(env / "bin" / "greet")])
        assert (ran.status, ran.output) == ("ok", "hello\n")
    assert bench.run(f"echo x > '{env}/bin/evil'").status == "failed"
    assert "beside" not in bench.run(f"ls '{at_home}' 2>&1").output
    assert "canary" not in bench.run(f"cat '{at_home}/beside' 2>&1").output
    assert bench.run("echo kept > ~/f && echo kept > $TMPDIR/f && cat ~/f $TMPDIR/f").output == "kept\nkept\n"
    assert sorted(os.listdir(at_home / "home")) == ["env", "work"]


def test_none_of_them_is_ever_shown_whole(workspace: Path) -> None:
    seen = _programs.look_around(str(workspace), ":".join(("/tmp", "/var/tmp", "/run", "/var", "/")))
    assert not {"/tmp", "/var/tmp", "/run", "/var", "/"} & set(seen.tools)


def test_a_link_on_the_way_to_a_mount_leads_nowhere(make: Make, place: Path, tmp_path: Path) -> None:
    """Directories to mount at are made anew where a command has put a link, not where that link leads to."""
    outside = tmp_path / "outside"
    outside.mkdir()
    bench = make(place / "home" / "work", level="namespaces")
    if bench.run(f"mv '{place}' {place.parent}/away && ln -s {outside} '{place}'").status == "failed":
        assert place.parent == Path("/run")  # nothing can be moved in what is not the command's own
    ran = bench.run("pwd; echo new > new")
    assert (ran.status, ran.output) == ("ok", f"{place}/home/work\n")
    assert [change.path for change in ran.changes] == ["new"]
    assert list(outside.iterdir()) == []


def test_a_link_in_the_workspace_on_the_way_to_a_mount_of_its_own_leads_nowhere(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (Path(bench.workspace) / "src" / "disk").mkdir()
    monkeypatch.setattr("mayfly.sandbox.workbench._request.mounts_below", lambda workspace: [f"{workspace}/src/disk"])
    assert bench.run("touch src/disk/x").status == "failed"  # it is mounted, to be read
    bench.run(f"mv src away; ln -s {outside} src")
    assert bench.run("ls away/disk").status == "ok"
    assert list(outside.iterdir()) == []
