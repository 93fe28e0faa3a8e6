"""What a job returns, prints and raises, and what bad input gets."""

import math
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.sandbox import EPHEMERAL_IMPORTS, MEMO_IMPORTS, Sandbox

DOUBLE = "def f(x):\n    return x * 2\n"


def served(box: Sandbox) -> bool:
    return box.run(DOUBLE, "f", 21).value == 42


def test_function_is_called_with_the_argument(box: Sandbox) -> None:
    result = box.run(DOUBLE, "f", [1, "a"])
    assert (result.status, result.value, result.error) == ("ok", [1, "a", 1, "a"], None)
    assert result.level in ("namespaces", "landlock")
    assert result.milliseconds > 0


def test_class_is_made_and_its_invoke_called(box: Sandbox) -> None:
    source = "class Agent:\n    def invoke(self, x):\n        return x + 1\n"
    assert box.run(source, "Agent", 1).value == 2


def test_async_invoke_is_awaited(box: Sandbox) -> None:
    source = (
        "import asyncio\nclass A:\n    async def invoke(self, x):\n        await asyncio.sleep(0)\n        return x\n"
    )
    assert box.run(source, "A", {"k": None}).value == {"k": None}


def test_only_candidate_is_found_without_a_name(best: Sandbox) -> None:
    assert best.run("def _helper(): pass\ndef f(x): return x", None, 3).value == 3
    assert best.run("class A:\n  def invoke(self, x): return 4\ndef g(x): return 5", None).value == 4


def test_two_candidate_classes_are_both_named(best: Sandbox) -> None:
    source = "class A:\n  def invoke(self, x): ...\nclass B:\n  def invoke(self, x): ...\n"
    result = best.run(source, None)
    assert result.status == "error"
    assert "A and B" in str(result.error)


def test_dataclass_with_postponed_annotations_becomes_an_object(box: Sandbox) -> None:
    source = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import Optional\n"
        "@dataclass\nclass P:\n    x: int\n    next: Optional[P] = None\n"
        "def f(n):\n    return P(n, P((n := n + 1)))\n"
    )
    for imports in (None, EPHEMERAL_IMPORTS):
        assert box.run(source, "f", 1, imports=imports).value == {"x": 1, "next": {"x": 2, "next": None}}


def test_tuples_become_lists_and_long_integers_survive(best: Sandbox) -> None:
    source = "import math\ndef f(n):\n    return (math.factorial(n), -(10 ** 5000), (1, 2))\n"
    value = best.run(source, "f", 2000).value
    assert value == [math.factorial(2000), -(10**5000), [1, 2]]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("{1, 2}", "set"),
        ("b'x'", "bytes"),
        ("float('nan')", "not JSON"),
        ("float('inf')", "not JSON"),
        ("(lambda a: (a.append(a), a)[1])([])", "Circular"),
        ("object()", "object"),
        ("{(1, 2): 3}", "keys"),
        ("'x' * (100 * 1024 * 1024)", "limit"),
        ("__import__('functools').reduce(lambda a, _: [a], range(101), 0)", "deeper than 100"),
        ("__import__('functools').reduce(lambda a, _: {'k': a}, range(5000), 0)", "nested"),
    ],
)
def test_results_that_are_no_json_are_errors(box: Sandbox, expression: str, said: str) -> None:
    result = box.run(f"def f(x):\n    return {expression}\n", "f")
    assert (result.status, result.value) == ("error", None)
    assert said in str(result.error)
    assert served(box)


def test_a_result_of_the_allowed_depth_passes(best: Sandbox) -> None:
    source = "def f(n):\n    v = 0\n    for _ in range(n):\n        v = [v]\n    return v\n"
    assert best.run(source, "f", 100).ok
    assert not best.run(source, "f", 101).ok


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(x):\n\0 return 1", "null"),
        ("def f(x): return '\ud800'", "surrogate"),
        ("def f(x) return", "line 1"),
        ("x = " + "(" * 10_000 + ")" * 10_000, "SyntaxError"),
        ("x = " + "-" * 100_000 + "1\ndef f(x): pass", "Error"),
        ("x = " + "[" * 199 + "]" * 199 + "\ndef g(x): pass", "'f' is not defined; the source defines g, x"),
        ("f = 3", "cannot be called"),
        ("class f: pass", "without an invoke"),
        ("def f(): pass", "TypeError"),
        ("1/0", "ZeroDivisionError: division by zero (line 1, in <module>)"),
        ("def f(x):\n    y = {}\n    return y['k']\n", "KeyError: 'k' (line 3, in f)"),
        ("import sys\ndef f(x): sys.exit(0)", "SystemExit"),
        ("def f(x): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(BaseException):\n def __str__(self): raise E\ndef f(x): raise E", "could not be read"),
    ],
)
def test_sources_that_cannot_run_are_errors_that_say_why(box: Sandbox, source: str, said: str) -> None:
    result = box.run(source, "f")
    assert result.status in ("error", "died")
    assert said in str(result.error) or result.status == "died"
    assert served(box)


def test_a_ten_megabyte_literal_is_fine(best: Sandbox) -> None:
    source = "text = '" + "x" * 10_000_000 + "'\ndef f(x):\n    return len(text)\n"
    assert best.run(source, "f").value == 10_000_000


def test_source_over_the_limit_is_an_error(best: Sandbox) -> None:
    result = best.run("#" * (17 * 1024 * 1024), "f")
    assert result.status == "error"
    assert "limit" in str(result.error)


@pytest.mark.parametrize("argument", [{1, 2}, b"x", float("nan"), object()])
def test_an_argument_that_is_no_json_is_an_error(best: Sandbox, argument: object) -> None:
    result = best.run(DOUBLE, "f", argument)
    assert result.status == "error"
    assert "argument" in str(result.error)


@pytest.mark.parametrize("timeout", [0, -1, math.inf, math.nan])
def test_a_timeout_that_is_no_positive_number_is_refused(best: Sandbox, timeout: float) -> None:
    with pytest.raises(InputError, match="timeout"):
        best.run(DOUBLE, "f", timeout=timeout)


def test_the_traceback_shows_the_jobs_own_lines(best: Sandbox) -> None:
    result = best.run("def g(x):\n    return 1 / x\ndef f(x):\n    return g(x)\n", "f", 0)
    assert result.traceback == (
        "  line 4, in f\n    return g(x)\n  line 2, in g\n    return 1 / x\nZeroDivisionError: division by zero"
    )


def test_what_is_printed_comes_back_also_when_it_is_more_than_a_pipe_holds(box: Sandbox) -> None:
    source = (
        "import os, sys\ndef f(n):\n    print('a' * n)\n    print('é', file=sys.stderr)\n"
        "    sys.stdout.flush(); os.write(1, b'raw')\n"
    )
    output = box.run(source, "f", 300_000).output
    assert sorted(output) == sorted("a" * 300_000 + "\né\nraw")


def test_what_was_printed_before_the_end_came_is_kept(box: Sandbox) -> None:
    source = "import os\ndef f(how):\n    print('so far', flush=True)\n    os._exit(0) if how else 1 / 0\n"
    for how in (True, False):
        assert box.run(source, "f", how).output == "so far\n"
    looping = "def f(x):\n    print('so far', flush=True)\n    while True: pass\n"
    late = box.run(looping, "f", timeout=2)
    assert (late.status, late.output) == ("timeout", "so far\n")


def test_more_output_than_allowed_is_an_error(box: Sandbox) -> None:
    for body in ("print('x' * 10_000)", "sys.stderr.write('x' * 10_000)"):
        result = box.run(f"import sys\ndef f(x):\n    for _ in range(200):\n        {body}\n", "f")
        assert result.status == "error"
        assert "printed more than 1000000 bytes" in str(result.error)
        assert len(result.output) <= 1_000_000
    quiet = "def f(x):\n    try:\n        while True: print('x' * 10_000)\n    except OSError:\n        return 'fine'\n"
    assert box.run(quiet, "f").status == "error"


def test_the_lines_of_a_file_are_the_argument(box: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"one\r\ntwo\n\xff\n")
    assert box.run("def f(lines): return list(lines)", "f", lines=file).value == ["one", "two", "�"]


def test_a_missing_lines_file_is_named(best: Sandbox) -> None:
    with pytest.raises(InputError, match="/nowhere/log"):
        best.run("def f(lines): return 1", "f", lines="/nowhere/log")
    assert served(best)


def test_importing_mayfly_is_refused_as_recursion(box: Sandbox) -> None:
    result = box.run("import mayfly\ndef f(x): return 1", "f")
    assert "JIT recursion forbidden" in str(result.error)


@pytest.mark.parametrize("name", ["open", "eval", "exec", "compile", "input", "globals", "locals"])
def test_builtins_that_reach_out_do_not_exist_at_tier_ephemeral(best: Sandbox, name: str) -> None:
    result = best.run(f"def f(x):\n    print({name})\n", "f", imports=EPHEMERAL_IMPORTS)
    assert f"NameError: name {name!r} is not defined" in str(result.error)


@pytest.mark.parametrize("statement", ["import os", "from os import path", "import csv as re", "from . import x"])
def test_imports_off_the_list_are_refused_at_tier_ephemeral(best: Sandbox, statement: str) -> None:
    result = best.run(f"{statement}\ndef f(x): return 1", "f", imports=EPHEMERAL_IMPORTS)
    assert "not allowed" in str(result.error)
    assert "dataclasses, datetime, json, math, re, typing" in str(result.error)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("import urllib.parse", "urllib.parse.quote('a b')"),
        ("from urllib import parse", "parse.quote('a b')"),
        ("from urllib.parse import quote", "quote('a b')"),
    ],
)
def test_a_part_of_a_package_is_allowed_by_its_full_name(best: Sandbox, statement: str, value: str) -> None:
    assert best.run(f"{statement}\ndef f(x): return {value}", "f", imports=MEMO_IMPORTS).value == "a%20b"


@pytest.mark.parametrize(
    "statement", ["import urllib", "import urllib.request", "from urllib import request", "from urllib import *"]
)
def test_the_rest_of_that_package_is_not(best: Sandbox, statement: str) -> None:
    result = best.run(f"{statement}\ndef f(x): return 1", "f", imports=MEMO_IMPORTS)
    assert "is not allowed here" in str(result.error)


def test_all_imports_of_tier_memo_are_there(box: Sandbox) -> None:
    source = f"import {', '.join(sorted(MEMO_IMPORTS))}\ndef f(x): return str(zoneinfo.ZoneInfo('Europe/Berlin'))"
    assert box.run(source, "f", imports=MEMO_IMPORTS).value == "Europe/Berlin"
    with Sandbox(brief=True) as brief:
        assert brief.run(source, "f", imports=MEMO_IMPORTS).value == "Europe/Berlin"


def test_an_empty_list_of_imports_means_none(best: Sandbox) -> None:
    assert "allowed: nothing" in str(best.run("import re\ndef f(x): return 1", "f", imports=[]).error)


def test_workers_do_not_share_their_randomness(box: Sandbox) -> None:
    source = (
        "import random, ssl, uuid, os\ndef f(x):\n"
        "    return [random.random(), ssl.RAND_bytes(8).hex(), str(uuid.uuid4()), os.urandom(8).hex()]\n"
    )
    first, second = box.run(source, "f").value, box.run(source, "f").value
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert not set(first) & set(second)


def test_a_job_may_be_given_less_memory(box: Sandbox) -> None:
    source = "def f(n): return len(bytearray(n))"
    assert box.run(source, "f", 150 * 2**20).ok
    assert box.run(source, "f", 150 * 2**20, memory=100 * 2**20).status == "memory"
    assert box.run(source, "f", 50 * 2**20, memory=100 * 2**20).ok


def test_modules_that_were_not_preloaded_can_be_imported(box: Sandbox) -> None:
    source = (
        "import fileinput, mailbox, multiprocessing.shared_memory, xml.dom.minidom\ndef f(x): return mailbox.__name__\n"
    )
    for _ in range(2):
        assert box.run(source, "f").value == "mailbox"


def test_a_job_may_recurse_as_deep_as_in_a_plain_interpreter(box: Sandbox) -> None:
    source = "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\n"
    assert box.run(source, "f", 990).value == 990
    assert "RecursionError" in str(box.run(source, "f", 2000).error)
