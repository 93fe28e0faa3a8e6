import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mayfly.core import MachineError, WorkbenchSettings
from mayfly.sandbox.workbench import Workbench

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
