"""`%%mayfly` for Jupyter and IPython: `%load_ext mayfly.adapters.jupyter`, then a cell that says what to do.

    %%mayfly --input orders -o totals
    sum amount by customer

The outcome is shown and, with `-o`, kept under a name; its value is `totals.value`.
"""

from __future__ import annotations

import shlex
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mayfly.core import InputError, MayflyError, Outcome, one_line

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from mayfly.runtime import Runtime

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


class _Options(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"%%mayfly: {message}", fix=self.format_usage().strip())


def _options() -> _Options:
    parser = _Options(prog="%%mayfly", add_help=False)
    parser.add_argument("--input", metavar="NAME|FILE", help="a variable, or a file of lines")
    parser.add_argument("--examples", metavar="NAME", help="a variable: a list of {'input': …, 'output': …}")
    parser.add_argument("--ground", metavar="NAME", help="a variable: what is given where nothing is proven")
    parser.add_argument("--model", metavar="M")
    parser.add_argument("-o", "--out", metavar="NAME", help="keep the outcome under this name")
    return parser


class CellMagic:
    """Run the intents of cells with one runtime."""

    def __init__(self, shell: InteractiveShell, runtime: Runtime | None = None) -> None:
        self._shell = shell
        self._runtime = runtime

    @property
    def runtime(self) -> Runtime:
        """The runtime, made with the first cell."""
        if self._runtime is None:
            from mayfly.runtime import Runtime

            self._runtime = Runtime()
        return self._runtime

    def run(self, line: str, cell: str) -> Outcome[Any] | None:
        """Run a cell; a mistake in it is one line, not a traceback."""
        try:
            given = _options().parse_args(shlex.split(line))
            outcome = self.runtime.run(cell.strip(), **self._given(given))
        except (MayflyError, ValueError) as error:
            print(f"mayfly: {one_line(str(error))}")
            return None
        if given.out:
            self._shell.user_ns[given.out] = outcome
        return outcome

    def _given(self, given: Any) -> dict[str, Any]:
        options: dict[str, Any] = {"model": given.model}
        if given.input:
            space = self._shell.user_ns
            if given.input in space:
                options["input"] = space[given.input]
            elif Path(given.input).is_file():
                options["lines"] = Path(given.input)
            else:
                raise InputError(f"--input {one_line(given.input)}: there is no such variable or file")
        if given.examples:
            options["examples"] = self._variable(given.examples)
        if given.ground:
            options["ground"] = self._variable(given.ground)
        return options

    def _variable(self, name: str) -> Any:
        if name not in self._shell.user_ns:
            raise InputError(f"there is no variable {one_line(name)}")
        return self._shell.user_ns[name]

    def close(self) -> None:
        """End what was begun."""
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = None


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Add the magic to a shell."""
    magic = CellMagic(shell)
    register: Any = shell.register_magic_function  # its types are those of the function before it was decorated
    register(magic.run, "cell", "mayfly")
    shell.user_ns_hidden["_mayfly_magic"] = magic


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take it back and end its runtime."""
    magic = shell.user_ns_hidden.pop("_mayfly_magic", None)
    if magic is not None:
        shell.magics_manager.magics["cell"].pop("mayfly", None)
        magic.close()
