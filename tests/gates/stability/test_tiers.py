"""Imports by tier: what only computes from memo on, nothing by chance, nothing that reaches outside by another name."""

from importlib import import_module
from inspect import ismodule

import pytest

from mayfly.core import GateSettings, Tier
from mayfly.gates._profile import Profile
from mayfly.sandbox import EPHEMERAL_IMPORTS, MEMO_IMPORTS

from .test_stability import codes, report

EPHEMERAL, MEMO, AUTHORED = (
    Profile.of(GateSettings(), tier=tier, depth=0) for tier in (Tier.EPHEMERAL, Tier.MEMO, Tier.AUTHORED)
)
RANDOM = "import random\n"


def test_each_tier_has_its_imports() -> None:
    assert EPHEMERAL.imports == EPHEMERAL_IMPORTS
    assert MEMO.imports == AUTHORED.imports == MEMO_IMPORTS
    assert EPHEMERAL_IMPORTS < MEMO_IMPORTS


def test_imports_that_are_named_stand_instead_of_those_of_the_tier() -> None:
    assert Profile.of(GateSettings(), imports=frozenset({"re"})).imports == {"re"}


@pytest.mark.parametrize("module", sorted(MEMO_IMPORTS))
def test_what_only_computes_may_be_imported_at_tier_memo(module: str) -> None:
    assert codes(f"import {module}", MEMO) == []
    if module not in EPHEMERAL_IMPORTS:
        assert codes(f"import {module}", EPHEMERAL) == [("reject", "IMPORT")]


def test_a_dozen_modules_that_only_compute_fit_into_the_budget() -> None:
    more = "collections, itertools, functools, decimal, csv, io, statistics, string, hashlib"
    assert codes(f"import re, json, datetime, math, {more}", MEMO) == []


OUTSIDE = """
    asyncio bz2 code codecs configparser ctypes email fileinput gc glob gzip importlib inspect locale logging lzma
    marshal mmap multiprocessing os pathlib pickle platform queue sched secrets select shelve shutil signal socket
    sqlite3 ssl subprocess sys tempfile threading time timeit types urllib urllib.request urllib.error weakref
    xml.etree.ElementTree
"""


@pytest.mark.parametrize("module", OUTSIDE.split())
def test_what_reaches_outside_or_changes_by_itself_may_not(module: str) -> None:
    assert ("reject", "IMPORT") in codes(f"import {module}", MEMO)


@pytest.mark.parametrize(
    "source",
    [
        "import urllib.parse\nurllib.parse.urlsplit('x')",
        "import urllib.parse as u\nu.quote('x')",
        "from urllib import parse\nparse.quote('x')",
        "from urllib.parse import urlsplit",
    ],
)
def test_addresses_are_taken_apart(source: str) -> None:
    assert codes(source, MEMO) == []
    assert ("reject", "IMPORT") in codes(source, EPHEMERAL)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("import urllib", "IMPORT"),
        ("from urllib import request", "IMPORT"),
        ("from urllib import parse, request", "IMPORT"),
        ("from urllib.request import urlopen", "IMPORT"),
        ("import urllib.parse\nurllib.request.urlopen('x')", "MODULE_ATTRIBUTE"),
        ("import urllib.parse\nu = urllib\nu.error", "MODULE_ATTRIBUTE"),
        ("import urllib.parse\ngetattr(urllib, 'request')", "MODULE_ATTRIBUTE"),
    ],
)
def test_nothing_else_of_urllib_comes_with_them(source: str, code: str) -> None:
    assert ("reject", code) in codes(source, MEMO)


@pytest.mark.parametrize("module", sorted(MEMO_IMPORTS))
def test_no_module_lends_one_that_is_not_listed(module: str) -> None:
    inner = {name: found.__name__ for name, found in vars(import_module(module)).items() if ismodule(found)}
    for name, reached in inner.items():
        listed = any(reached == known or reached.startswith(f"{known}.") for known in MEMO_IMPORTS)
        refused = {"MODULE_ATTRIBUTE", "CHANCE"} & {code for _, code in codes(f"import {module} as m\nm.{name}", MEMO)}
        assert refused or (listed and module != "random"), f"{module}.{name} is {reached}"


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("import uuid\nuuid.uuid4()", "uuid.uuid4"),
        ("import uuid\nuuid.uuid1()", "uuid.uuid1"),
        ("from uuid import uuid4", "uuid.uuid4"),
        ("from uuid import uuid4 as make", "uuid.uuid4"),
        ("import uuid as u\nv = u\nv.uuid4()", "uuid.uuid4"),
        ("import uuid\ngetattr(uuid, 'uuid4')()", "uuid.uuid4"),
        ("import uuid\nuuid.getnode()", "uuid.getnode"),
        (RANDOM + "random.random()", "random.random"),
        (RANDOM + "random.seed(7)\nrandom.shuffle([1, 2])", "random.seed"),
        (RANDOM + "random.SystemRandom()", "random.SystemRandom"),
        (RANDOM + "random._inst.random()", "random._inst"),
        ("from random import choice", "random.choice"),
        (RANDOM + "random.Random()", "random.Random"),
        (RANDOM + "random.Random(None)", "random.Random"),
        (RANDOM + "random.Random(x=None)", "random.Random"),
        ("from random import Random as R\nR()", "random.Random"),
        (RANDOM + "make = random.Random\nmake()", "random.Random"),
        (RANDOM + "class A(random.Random):\n    pass", "random.Random"),
        (RANDOM + "r = random.Random(1)\nr.seed()", "seed"),
        ("import statistics\nstatistics.NormalDist(0, 1).samples(3)", "samples"),
        ("from statistics import NormalDist\nNormalDist().samples(3)", "samples"),
    ],
)
def test_chance_is_refused_by_name(source: str, named: str) -> None:
    found = [verdict for verdict in report(source, MEMO).verdicts if verdict.code == "CHANCE"]
    assert [(verdict.decision, verdict.measured) for verdict in found][:1] == [("reject", named)]
    assert found[0].fix
    assert not [one for one in report(source, AUTHORED).verdicts if one.code == "CHANCE"]


@pytest.mark.parametrize(
    "source",
    [
        RANDOM + "random.Random(7).random()",
        RANDOM + "def f(seed: int, rng: random.Random) -> random.Random:\n    return random.Random(seed)",
        RANDOM + "from typing import Callable\nmake: Callable[[random.Random], int]",
        "from random import Random\nr: Random = Random('x')\nr.shuffle([1])\nr.seed(3)",
        "import uuid\nuuid.UUID(int=3), uuid.uuid5(uuid.NAMESPACE_DNS, 'x'), uuid.uuid3(uuid.NAMESPACE_URL, 'y')",
        "import statistics\nstatistics.NormalDist(0, 1).samples(3, seed=1), statistics.mean([1])",
        "import statistics\nclass A:\n    def samples(self) -> int:\n        return 1\nA().samples()",
    ],
)
def test_what_has_a_seed_or_a_name_may_be_used(source: str) -> None:
    assert codes(source, MEMO) == []


@pytest.mark.parametrize(
    "source",
    [
        "import io\nio.open('x')",
        "from io import open",
        "import io\nio.FileIO('x')",
        "import io\nio.open_code('x')",
        "import hashlib\nhashlib.file_digest(None, 'md5')",
        "import contextlib\ncontextlib.chdir('/')",
        "import zoneinfo\nzoneinfo.reset_tzpath(['/'])",
        "import zoneinfo\nzoneinfo.available_timezones()",
    ],
)
def test_what_reaches_files_is_refused_by_name(source: str) -> None:
    assert ("reject", "NAME") in codes(source, MEMO)
    assert ("reject", "NAME") in codes(source, AUTHORED)
    granted = Profile.of(GateSettings(), tier=Tier.AUTHORED, depth=0, grants=("fs:workspace",))
    assert codes(source, granted) == []


@pytest.mark.parametrize(
    "source",
    [
        "import io\nio.StringIO('x').read(), io.BytesIO(b'x')",
        "import hashlib\nhashlib.sha256(b'x').hexdigest()",
        "from zoneinfo import ZoneInfo\nZoneInfo('Europe/Berlin')",
        "import csv, io\ncsv.reader(io.StringIO('a,b'))",
        "from collections.abc import Iterator\nfrom html.parser import HTMLParser",
    ],
)
def test_what_works_in_memory_may_be_used(source: str) -> None:
    assert codes(source, MEMO) == []
