import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mayfly
from mayfly.core import MachineError, WorkbenchSettings
from mayfly.sandbox.workbench import Workbench
from mayfly.sandbox.workbench._files import remove_tree

Make = Callable[..., Workbench]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small workspace: two files, a directory with one, a link and a file with secrets."""
    place = tmp_path / "work"
    (place / "src").mkdir(parents=True)
    (place / "a.txt").write_text("one\n")
    (place / "b.txt").write_text("two\n")
    (place / "src" / "main.py").write_text("print('hello')\n")
    (place / "link").symlink_to("a.txt")
    (place / ".env").write_text("TOKEN=canary-4711\n")
    return place


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def make(workspace: Path, state: Path) -> Iterator[Make]:
    """Return a function that opens a workbench with other settings or at another level; all are closed in the end."""
    opened: list[Workbench] = []

    def build(place: Path | None = None, **options: object) -> Workbench:
        level = options.pop("level", None)
        settings = WorkbenchSettings(**options)  # type: ignore[arg-type]
        bench = Workbench(place or workspace, state=state, settings=settings, level=level)  # type: ignore[arg-type]
        opened.append(bench)
        return bench

    yield build
    for bench in opened:
        bench.close()


@pytest.fixture(params=["overlay", "copy", "landlock"])
def each(make: Make, request: pytest.FixtureRequest) -> Workbench:
    """A workbench in each way there is to see what changed."""
    found = make(level="landlock" if request.param == "landlock" else "namespaces")
    if request.param == "copy":
        found._use_copy()
    try:
        found.run(["true"])
    except MachineError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    return found


@pytest.fixture
def bench(make: Make) -> Workbench:
    """A workbench over the small workspace, at the level that stands."""
    found = make()
    try:
        found.run(["true"])
    except MachineError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    return found


@pytest.fixture(scope="session")
def library() -> Iterator[str]:
    """A copy of Mayfly that everybody may read, since the repository may lie where other users cannot enter."""
    place = tempfile.mkdtemp(prefix="mayfly-library-", dir="/tmp")
    os.chmod(place, 0o755)
    shutil.copytree(Path(mayfly.__file__).parent, f"{place}/mayfly", ignore=shutil.ignore_patterns("__pycache__"))
    yield place
    shutil.rmtree(place)


@contextlib.contextmanager
def as_somebody(who: str, library: str) -> Iterator[tuple[list[str], str]]:
    """Yield how a Python with Mayfly is started by this user or an ordinary one, and a directory for it."""
    user = 54321 if who == "ordinary" and os.getuid() == 0 else os.getuid()
    python = "/usr/bin/python3" if user != os.getuid() else sys.executable
    known = "import sys; sys.exit(sys.version_info < (3, 11))"
    if not os.path.exists(python) or subprocess.run([python, "-c", known]).returncode:
        pytest.skip("no interpreter that an ordinary user could run")
    place = tempfile.mkdtemp(prefix="mayfly-user-", dir="/tmp")
    try:
        switch = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user != os.getuid() else []
        if switch:
            os.chown(place, user, user)
        os.chmod(place, 0o755)  # where root's commands run as another user, they have to come in
        variables = ("PATH=/usr/bin:/bin", f"HOME={place}/home", f"PYTHONPATH={library}", f"TMPDIR={place}")
        yield ["env", "-i", "-C", "/", *variables, *switch, python, "-B"], place
    finally:
        remove_tree(place)
