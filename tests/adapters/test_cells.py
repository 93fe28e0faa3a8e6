"""Cells behind the wall: state between them, tools of the host, and cells that lie."""

from typing import Any

import pytest

from mayfly.adapters import Cells
from mayfly.adapters.cell import pack, unpack
from mayfly.core import InputError
from mayfly.runtime import Runtime


def cells(runtime: Runtime, **tools: Any) -> Cells:
    return Cells(runtime.parts.sandbox, tools=tools)


@pytest.mark.parametrize(
    "value", [None, True, 1.5, "x", [1, (2, {3})], {"a": {1: 2}}, b"\x00", frozenset({1}), {"": "tuple", "v": 1}, {}]
)
def test_plain_data_comes_back_as_it_was(value: object) -> None:
    assert unpack(pack(value)) == value


def test_functions_imports_classes_and_data_are_there_in_the_next_cell(runtime: Runtime) -> None:
    found = cells(runtime)
    first = "import math as m\nfrom string import *\nclass A:\n    n = 2\ndef f(x):\n    return x * A.n\n"
    first += "sq = lambda v: v * v\ny = (1,)"
    assert not found.run(first).error
    assert found.run("m.floor(f(2.5)), sq(3), y, digits[:2]").value == (5, 9, (1,), "01")


def test_what_is_deleted_is_gone(runtime: Runtime) -> None:
    found = cells(runtime)
    found.run("def f(): return 1\nx = 1")
    found.run("del f, x")
    assert "NameError" in found.run("f()").error
    assert "NameError" in found.run("x").error


def test_a_cell_that_fails_leaves_nothing_behind(runtime: Runtime) -> None:
    found = cells(runtime)
    found.run("x = 1")
    failed = found.run("x = 2\nprint('here')\n1 / 0")
    assert (failed.output, failed.error) == ("here\n", "ZeroDivisionError: division by zero (line 3)")
    assert found.run("x").value == 1


def test_what_cannot_be_kept_is_named(runtime: Runtime) -> None:
    assert "not kept for the next cell, since it is no plain data: g" in cells(runtime).run("g = iter([])").output


def test_tools_are_called_by_the_host_each_once(runtime: Runtime) -> None:
    called = []

    def add(a: int, b: int) -> int:
        called.append((a, b))
        return a + b

    assert cells(runtime, add=add).run("add(1, 2) + add(a=3, b=4)").value == 10
    assert called == [(1, 2), (3, 4)]


def test_an_error_of_a_tool_is_one_of_the_cell(runtime: Runtime) -> None:
    def broken() -> None:
        raise KeyError("no such\x1b[2J thing")

    ran = cells(runtime, broken=broken).run("try:\n    broken()\nexcept RuntimeError as e:\n    r = str(e)\nr")
    assert ran.value == "KeyError: 'no such\\x1b[2J thing'"


def test_a_cell_that_is_another_one_each_time_is_told_so(runtime: Runtime) -> None:
    ran = cells(runtime, see=lambda x: x).run("import os\nsee(os.urandom(8)) and see(1)")
    assert "has to do the same each time" in ran.error


def test_a_loop_over_tools_ends(runtime: Runtime) -> None:
    assert "more than 100 times" in cells(runtime, see=lambda x: x).run("[see(n) for n in range(200)]").error


@pytest.mark.parametrize(
    "lie",
    [
        "{'wanted': {'tool': 'rm', 'args': [], 'kwargs': {}}}",
        "{'wanted': 1}",
        "{'wanted': None, 'output': '', 'error': '', 'variables': {}, 'named': [], 'left': [], 'value': {'': 'os'}}",
        "{'wanted': None, 'output': '', 'error': '', 'variables': 7}",
        "{'wanted': None, 'output': '', 'error': '', 'variables': {}, 'named': 3, 'left': [], 'value': 1, 'final': 1}",
        "{}",
    ],
)
def test_a_cell_that_takes_the_harness_over_is_an_error_and_nothing_else(runtime: Runtime, lie: str) -> None:
    code = f"""
import sys
frame = sys._getframe()
while frame:
    if 'run_cell' in frame.f_globals:
        frame.f_globals['_short_trace'] = None
    told = frame.f_locals.get('told')
    if isinstance(told, dict):
        told.clear()
        told.update({lie})
        host = frame.f_locals['host']
        host.wanted = told.get('wanted')
        needs = frame.f_globals['NeedsTool']
    frame = frame.f_back
raise needs
"""
    ran = cells(runtime).run(code)
    assert ran.error
    assert ran.value is None


def test_variables_have_to_be_plain_data(runtime: Runtime) -> None:
    found = cells(runtime)
    found.put({"n": (1, 2)})
    assert found.run("n").value == (1, 2)
    with pytest.raises(InputError, match="plain data"):
        found.put({"f": print})


def test_the_time_of_a_cell_is_limited(runtime: Runtime) -> None:
    assert "timeout" in Cells(runtime.parts.sandbox, timeout=0.5).run("while True: pass").error
