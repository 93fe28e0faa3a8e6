"""A lean package gives every name that it gave before, and loads what is asked for."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
RUN = """
import sys
from mayfly import _start
_start.begin(sys.argv[1])
with _start.leanly("large", spare=("spared",)):
    exec(sys.argv[2])
_start.keep()
"""


class Package:
    """A package on the path, and a directory for images."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "images").mkdir()
        self.write(one="first = 1\nsecond = 2\n", two="class Two: ...\n", three="three = 3\nother = 4\n")
        self.write("from .one import first as first, second as zweite\nfrom .two import Two\n")

    def write(self, face: str | None = None, **modules: str) -> None:
        made = self.folder / "library" / "large"
        made.mkdir(parents=True, exist_ok=True)
        for name, text in {**({} if face is None else {"__init__": face}), **modules}.items():
            (made / f"{name}.py").write_text(textwrap.dedent(text))

    def run(self, script: str) -> str:
        """Run *script* three times: without an image, with a young one, with all in it; all have to say the same."""
        path = f"{self.folder / 'library'}:{SOURCE}"
        said = set()
        for _ in range(3):
            command = [sys.executable, "-c", RUN, str(self.folder / "images"), script]
            ran = subprocess.run(command, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stderr
            said.add(ran.stdout.strip())
        [one] = said
        return one


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


LOADED = "; print(sorted(name for name in sys.modules if name.startswith('large.')))"


def test_only_what_is_asked_for_is_loaded(package: Package) -> None:
    assert package.run("import large; print(large.zweite)" + LOADED).split("\n") == ["2", "['large.one']"]
    assert package.run("from large import Two" + LOADED) == "['large.two']"


def test_a_module_beneath_is_an_attribute_as_before(package: Package) -> None:
    assert package.run("import large; print(large.two.Two is large.Two)") == "True"


def test_a_name_that_is_not_there_is_not_there(package: Package) -> None:
    assert package.run("import large; print(hasattr(large, 'nothing'), hasattr(large, 'second'))") == "False False"


def test_everything_is_taken_by_a_star(package: Package) -> None:
    assert package.run("from large import *; print(first, zweite, Two.__name__)") == "1 2 Two"
    package.write("from .one import first\nfrom .two import Two\n__all__ = ['first']\n")
    assert package.run("from large import *; print(first, 'Two' in dir())") == "1 False"


def test_a_name_that_is_also_a_modules_stays_the_name(package: Package) -> None:
    package.write("from .three import three, other\n")
    assert package.run("import large.three; from large import three; print(three, large.other)") == "3 4"


def test_a_module_of_the_package_itself_can_be_put_off(package: Package) -> None:
    package.write("from . import one, two as zwei\n")
    assert package.run("import large; print(large.zwei.Two.__name__)" + LOADED).split("\n") == ["Two", "['large.two']"]


def test_what_the_face_uses_itself_is_there(package: Package) -> None:
    package.write("from .one import first\nfrom .two import Two\ntwice = first * 2\n")
    assert package.run("import large; print(large.twice)" + LOADED).split("\n") == ["2", "['large.one']"]


@pytest.mark.parametrize(
    "face",
    [
        "from .one import *\nfrom .two import Two\n",
        "from .one import first\nfrom .two import Two\nnames = list(locals())\n",
        "from .one import first\nfrom .two import Two\nclass Mine: ...\n",
        "from .one import first\nfrom .two import Two\nfor name in (1, 2): ...\n",
        "from .one import first\nfrom .two import Two\ndef __getattr__(name): raise AttributeError(name)\n",
        "from .one import first\ntry:\n    from .two import Two\nexcept ImportError:\n    Two = None\n",
    ],
)
def test_a_face_that_does_more_than_import_is_left_alone(package: Package, face: str) -> None:
    package.write(face)
    assert package.run("import large" + LOADED) == "['large.one', 'large.two']"


def test_what_is_spared_is_missing_meanwhile_and_there_afterwards(package: Package) -> None:
    (package.folder / "library" / "spared.py").write_text("here = True\n")
    package.write("try:\n    import spared\nexcept ImportError:\n    spared = None\n")
    assert package.run("import large; print(large.spared)") == "None"
    outside = "import threading, large\nt = threading.Thread(target=lambda: print(__import__('spared').here))\n"
    assert package.run(outside + "t.start(); t.join()") == "True"


def test_without_an_image_nothing_is_lean() -> None:
    script = (
        "from mayfly import _start\nwith _start.leanly('json', spare=('json',)):\n    import json\nprint(json.dumps(1))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "1\n"
