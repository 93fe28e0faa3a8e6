"""What a command kept of its start serves the next one, and never in place of what is there now."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
RUN = """
import sys
from mayfly import _start
_start.begin(sys.argv[1])
import subject
print(subject.told, getattr(subject.__loader__, "known", None))
exec(sys.argv[2])
_start.keep()
"""
SUBJECT = '''
import re
from dataclasses import dataclass
from typing import NamedTuple

@dataclass(frozen=True, order=True)
class Point:
    """A point."""
    x: int
    y: int = 2

class Pair(NamedTuple):
    left: int
    right: str = "r"

PATTERN = re.compile(r"(?P<year>\\d+)-(x)?[äé]", re.IGNORECASE)
BYTES = re.compile(rb"a+(b)")
found = PATTERN.search("in 2024-É")
told = [Point(1), Point(1) < Point(3), hash(Point(1)) == hash(Point(1, 2)), Pair(1), Pair(1)._replace(right="q")]
told += [found.groupdict(), found.groups(), PATTERN.flags, PATTERN.groups, PATTERN.pattern, BYTES.match(b"aab").span(1)]
told += [PATTERN == re.compile(PATTERN.pattern, re.IGNORECASE)]
'''


class Place:
    """A path with one module on it, and a directory for images."""

    def __init__(self, folder: Path) -> None:
        self.images, self.first, self.library, self.here = (folder / name for name in ("images", "a", "b", "here"))
        for made in (self.images, self.first, self.library, self.here):
            made.mkdir()
        self.write(self.library / "subject.py", SUBJECT)

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def run(self, more: str = "", *, flags: tuple[str, ...] = ()) -> str:
        path = os.pathsep.join(map(str, (self.first, self.library, SOURCE)))
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, *flags, "-c", RUN, str(self.images), more]
        ran = subprocess.run(
            command, env={**environ, "PYTHONPATH": path}, cwd=self.here, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def settle(self) -> str:
        """Run until directories have their compiled files and the image has everything; return what is said then."""
        for _ in range(3):
            said = self.run()
        assert said.endswith("True")
        return said

    @property
    def image(self) -> Path:
        [found] = self.images.glob("*.image")
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_module_from_the_image_is_what_it_was(place: Place) -> None:
    first = place.run()
    assert first.endswith("False")
    assert place.settle().removesuffix("True") == first.removesuffix("False")


def test_nothing_is_written_again_when_all_is_known(place: Place) -> None:
    place.settle()
    before = place.image.stat()
    place.run()
    assert place.image.stat().st_ino == before.st_ino


def test_a_changed_file_is_read_again(place: Place) -> None:
    place.settle()
    place.write(place.library / "subject.py", "told = 'another'\n")
    assert place.run() == "another False"
    assert place.settle() == "another True"


def test_a_file_of_the_same_size_that_changed_is_read_again(place: Place) -> None:
    place.write(place.library / "subject.py", "told = 'one'\n")
    place.settle()
    place.write(place.library / "subject.py", "told = 'two'\n")
    later = place.image.stat().st_mtime + 2  # Python's own compiled files are told apart by whole seconds
    os.utime(place.library / "subject.py", (later, later))
    assert place.run().startswith("two")


def test_a_module_that_comes_earlier_on_the_path_is_taken(place: Place) -> None:
    place.settle()
    place.write(place.first / "subject.py", "told = 'earlier'\n")
    assert place.run().startswith("earlier")


def test_a_package_that_comes_beside_a_module_is_taken(place: Place) -> None:
    place.settle()
    place.write(place.library / "subject" / "__init__.py", "told = 'package'\n")
    assert place.run().startswith("package")


def test_a_module_of_this_directory_is_taken_and_never_kept(place: Place) -> None:
    place.settle()
    place.write(place.here / "subject.py", "told = 'here'\n")
    assert place.run() == "here None"
    (place.here / "subject.py").unlink()
    assert place.run().endswith("True")


def test_a_path_that_is_changed_later_is_searched(place: Place, tmp_path: Path) -> None:
    place.settle()
    place.write(tmp_path / "late" / "json.py", "told = 'late'\n")
    late = (
        f"sys.path.insert(0, {str(tmp_path / 'late')!r}); sys.modules.pop('json', None); import json; print(json.told)"
    )
    place.run("import json")
    assert place.run(late).endswith("late")


def test_a_file_that_is_gone_is_not_there(place: Place) -> None:
    place.settle()
    (place.library / "subject.py").unlink()
    with pytest.raises(AssertionError, match="No module named 'subject'"):
        place.run()


@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.9])
def test_a_damaged_image_is_made_again(place: Place, share: float) -> None:
    said = place.settle()
    whole = place.image.read_bytes()
    place.image.write_bytes(whole[: int(len(whole) * share)])
    assert place.run().rpartition(" ")[0] == said.rpartition(" ")[0]
    assert place.settle() == said


def test_an_image_of_another_python_is_left_alone(place: Place) -> None:
    place.settle()
    data = place.image.read_bytes()
    place.image.write_bytes(data.replace(sys.version.encode(), b"9" * len(sys.version)))
    assert place.run().endswith("False")


def test_who_wants_no_compiled_files_gets_no_image(place: Place) -> None:
    place.run(flags=("-B",))
    assert list(place.images.iterdir()) == []


def test_a_fork_writes_nothing(place: Place) -> None:
    place.run("import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n    os._exit(0)")
    assert list(place.images.iterdir()) == []


def test_a_module_that_compiles_something_else_each_time_is_kept_a_few_times_only(place: Place) -> None:
    varied = "import re, os\ntold = 'varied'\nre.compile(os.urandom(8).hex())\n"
    place.write(place.library / "subject.py", varied)
    seen = set()
    for _ in range(8):
        place.run()
        seen.add(place.image.stat().st_mtime_ns)
    assert len(seen) < 8


def test_a_module_loaded_by_another_thread_is_kept(place: Place) -> None:
    place.write(place.library / "other.py", "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n")
    threaded = "import threading\nt = threading.Thread(target=__import__, args=('other',)); t.start(); t.join()\n"
    for _ in range(3):
        said = place.run(threaded + "import other; print(other.A(1), other.__loader__.known)")
    assert said.endswith("A(x=1) True")


def test_halves_of_killed_writers_do_not_pile_up(place: Place) -> None:
    for number in range(20):
        (place.images / f"start.x.image.{number}").write_bytes(b"half")
    place.run()
    assert len(list(place.images.iterdir())) == 1


def test_a_shipped_table_is_kept_and_read_again_when_it_changes(place: Place) -> None:
    table = place.library / "table.toml"
    table.write_text("[words]\nmany = ['a', 'b']\n")
    said = (
        "from pathlib import Path; from mayfly.core import shipped_table; "
        f"found = shipped_table(Path({str(table)!r})); found['words']['many'].append('mine'); "
        f"print(shipped_table(Path({str(table)!r})), 'tomllib' in sys.modules)"
    )
    for _ in range(3):
        last = place.run(said)
    assert last.endswith("{'words': {'many': ['a', 'b']}} False")
    table.write_text("[words]\nmany = ['c']\n")
    assert place.run(said).endswith("{'words': {'many': ['c']}} True")


def test_a_class_without_a_docstring_is_described_all_the_same(place: Place) -> None:
    place.write(place.library / "bare.py", "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\n")
    said = "import bare, inspect; print(bare.A.__doc__, inspect.signature(bare.A), type(inspect).__name__)"
    assert place.run(said).endswith("A(x: int = 1) (x: int = 1) -> None module")


def test_a_package_that_is_an_extension_is_known_the_next_time(place: Place) -> None:
    found = "from importlib.util import find_spec; print(find_spec('mypy').submodule_search_locations)"
    said = [place.run(found) for _ in range(3)][-1]
    before = place.image.stat().st_mtime_ns
    assert place.run(found) == said
    assert place.image.stat().st_mtime_ns == before
