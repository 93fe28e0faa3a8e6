"""`pytest -p mayfly.adapters.pytest_plugin --mayfly`: functions under `@mayfly.jit` are tests that pass once proven.

Without the option nothing of Mayfly is loaded. Modules are read, never imported. It is named and not loaded by itself:
behind the wall, where tests of projects run, Mayfly cannot be imported, and no pytest there could start.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mayfly.runtime import Runtime

__all__ = ["pytest_addoption", "pytest_collect_file", "pytest_unconfigure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("mayfly", "functions that are written on demand")
    group.addoption("--mayfly", action="store_true", help="prove every function under @mayfly.jit")
    group.addoption("--mayfly-model", default=None, metavar="M", help="the model that writes what is not known yet")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> JitModule | None:
    """Collect the modules that have such functions; those of a test run are read as they are."""
    if not parent.config.getoption("--mayfly") or file_path.suffix != ".py":
        return None
    try:
        # Nothing of Mayfly is loaded for modules that do not speak of it.
        if "jit" not in file_path.read_text(encoding="utf-8"):
            return None
    except (OSError, UnicodeDecodeError):
        return None
    found: JitModule = JitModule.from_parent(parent, path=file_path)
    return found


class JitModule(pytest.File):
    """A module with functions that are written on demand."""

    def collect(self) -> Iterator[JitItem]:
        """Yield one test for each such function."""
        from mayfly.core import InputError
        from mayfly.runtime import jit_functions

        try:
            found = jit_functions(self.path)
        except InputError:
            return  # whatever is wrong with the module, pytest itself says it
        for name, line in found.items():
            yield JitItem.from_parent(self, name=f"jit:{name}", function=name, line=line)


class JitItem(pytest.Item):
    """The proof of one function."""

    def __init__(self, *, function: str, line: int, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]
        self._function = function
        self._line = line

    def runtest(self) -> None:
        """Prove the function."""
        from mayfly.runtime import prove_function

        model = self.config.getoption("--mayfly-model")
        proof = prove_function(_runtime(self.config), self.path, self._function, model=model)
        said = "; ".join(map(str, proof.evidence)) or f"{proof.tests} tests"
        self.add_report_section("call", "mayfly", f"proof {proof.strength}: {said}")
        self.user_properties.append(("mayfly.proof", proof.strength))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Say in one line why there is no proof."""
        from mayfly.core import MayflyError, one_line

        error = excinfo.value
        if isinstance(error, MayflyError):
            return one_line(error.message) + (f"; {error.fix}" if error.fix else "")
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say where the function stands."""
        return self.path, self._line - 1, f"jit: {self._function}"


_KEY = pytest.StashKey["Runtime"]()


def _runtime(config: pytest.Config) -> Runtime:
    """Return the one runtime of this test run."""
    from mayfly.runtime import Runtime

    if _KEY not in config.stash:
        config.stash[_KEY] = Runtime()
    return config.stash[_KEY]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what was begun."""
    if _KEY in config.stash:
        config.stash[_KEY].close()
        del config.stash[_KEY]
