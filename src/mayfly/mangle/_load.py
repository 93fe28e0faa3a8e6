"""From sources to a program that can be evaluated, all checks passed; or everything that stands in the way."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mayfly.mangle._ast import Place, Symbol, Unit
from mayfly.mangle._checked import Declared
from mayfly.mangle._collector import paused
from mayfly.mangle._errors import MangleError, raise_all
from mayfly.mangle._parser import parse
from mayfly.mangle._source import read_source
from mayfly.mangle.check import check_program
from mayfly.mangle.engine import Program, compile_program


def load(units: Sequence[Unit], *, extra: Mapping[Symbol, Declared] | None = None) -> Program:
    """Check *units* as one program and compile it; what is wrong is a `MangleError` with its place."""
    try:
        with paused():
            return compile_program(check_program(units, extra=extra or {}))
    except MemoryError:
        place = Place(units[0].file, 1, 1) if units else None
        raise MangleError("there is not enough memory for the program", stage="analyze", place=place) from None


def load_files(paths: Sequence[Path]) -> Program:
    """Read files as one program; where it is plain what was meant, later checks are made all the same."""
    errors: list[MangleError] = []
    units: list[Unit | None] = []
    for path in paths:
        try:
            units.append(parse(read_source(path), file=str(path)))
        except MangleError as error:
            errors += error.all
            units.append(error.unit)
    known = [unit for unit in units if unit is not None]
    if not errors:
        return load(known)
    if len(known) == len(units):
        try:
            check_program(known)
        except MangleError as error:
            errors += error.all
    raise_all(errors)
    raise AssertionError("errors were raised")
