"""Lean workers: most jobs need few modules, and one that needs more is run where all are, as if it had begun there."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.sandbox import Sandbox
from mayfly.sandbox.jail._modules import is_lean

PLAIN = (
    "import re, json\nfrom datetime import date\n"
    "def f(x): return re.sub('a', 'b', json.dumps([x, str(date(2024, 1, 2))]))"
)
# What is imported is known only when it is run. An extension module of every Python: csv is built in where Debian is.
HIDDEN = "def f(name):\n    print('once')\n    return __import__(name).__name__"
CAUGHT = (
    "def f(x):\n    try:\n        __import__('_decimal')\n"
    "    except BaseException:\n        return 'caught'\n    return 'there'"
)


def outfits(box: Sandbox) -> list[bool]:
    return sorted(outfit.lean for outfit in box._pool._zygotes)


def test_most_jobs_need_nothing_more(own: Sandbox) -> None:
    with own:
        assert own.run(PLAIN, "f", "a").value == '["b", "2024-01-02"]'
        assert outfits(own) == [True]


@pytest.mark.parametrize("name", ["csv", "sqlite3", "decimal", "asyncio", "ssl", "hashlib", "xml.etree.ElementTree"])
def test_a_job_that_comes_to_need_more_gets_it(box: Sandbox, name: str) -> None:
    result = box.run(HIDDEN, "f", name)
    assert (result.value, result.output) == (name.partition(".")[0], "once\n")


def test_what_needed_more_once_does_not_begin_without_again(own: Sandbox) -> None:
    with own:
        assert own.run(HIDDEN, "f", "decimal").value == "decimal"
        lean = next(zygote for outfit, zygote in own._pool._zygotes.items() if outfit.lean)
        before = lean.taken
        assert own.run(HIDDEN, "f", "decimal").value == "decimal"
        assert lean.taken == before


def test_a_module_that_does_not_exist_is_missing_at_once(own: Sandbox) -> None:
    source = "def f(x):\n    try:\n        import numpy\n    except ImportError as error:\n        return str(error)\n"
    with own:
        assert own.run(source.replace("import numpy", "__import__('numpy')"), "f").value == "No module named 'numpy'"
        assert outfits(own) == [True]


def test_no_job_can_hold_on_to_a_lean_worker(box: Sandbox) -> None:
    assert box.run(CAUGHT, "f").value == "there"


def test_pinned_jobs_get_more_as_well(box: Sandbox) -> None:
    answers = [box.run(HIDDEN, "f", "decimal", lane="pinned", tenant="lean") for _ in range(3)]
    assert [answer.value for answer in answers] == ["decimal"] * 3
    assert [answer.output for answer in answers] == ["once\n"] * 3


def test_a_pinned_worker_that_needs_more_later_is_replaced(box: Sandbox) -> None:
    source = "def f(x):\n    return __import__('decimal').__name__ if x else 'no'"
    assert [box.run(source, "f", x, lane="pinned").value for x in (0, 0, 1, 0)] == ["no", "no", "decimal", "no"]


def test_a_stream_begins_again_before_its_first_item(box: Sandbox) -> None:
    source = "def f(x):\n    name = __import__('decimal').__name__\n    yield from [name, 2]\n"
    with box.stream(source, "f") as stream:
        assert list(stream) == ["decimal", 2]
    assert stream.result is not None
    assert stream.result.ok


def test_items_that_were_handed_out_are_not_handed_out_again(box: Sandbox) -> None:
    source = (
        "import time\ndef f(x):\n    yield 1\n    time.sleep(0.2)\n    yield 2\n"
        "    yield __import__('decimal').__name__\n"
    )
    for expected in ([1, 2], [1, 2, "decimal"]):  # the next time it is known what it needs
        with box.stream(source, "f") as stream:
            assert list(stream) == expected
        assert stream.result is not None
        assert stream.result.ok is (len(expected) == 3)
    assert box.run(source, "f").value == [1, 2, "decimal"]


def test_both_times_count(box: Sandbox) -> None:
    source = "import time\ndef f(x):\n    time.sleep(0.6)\n    return __import__('decimal').__name__\n"
    box.run("import decimal\ndef f(x): return 1", "f")  # what has all modules has started
    late = box.run(source, "f", timeout=1.0)
    assert (late.status, late.error) == ("timeout", "Sandbox timeout after 1000ms")
    assert box.run(source, "f", timeout=20.0).milliseconds > 600


def test_with_a_grant_nothing_is_begun_twice(tmp_path: Path) -> None:
    source = (
        "def f(x):\n    with open('seen', 'a') as file: file.write('x')\n    import csv\n    return open('seen').read()"
    )
    with Sandbox(workspace=tmp_path) as box:
        assert box.run(source, "f", grants=["fs:workspace:rw"]).value == "x"
        assert outfits(box) == [False]


@pytest.mark.parametrize(
    ("source", "lean"),
    [
        ("x = 1", True),
        ("import re", True),
        ("import re as r, json", True),
        ("from collections.abc import Iterable", True),
        ("import re, csv", False),
        ("    import csv  # late", False),
        ("from decimal import Decimal", False),
        ("# import csv", True),
        ("'from the start'", True),
        ("async def f(x): ...", False),
        ("import json; x = 1", True),
    ],
)
def test_what_looks_lean(source: str, lean: bool) -> None:
    assert is_lean(source.encode()) is lean
