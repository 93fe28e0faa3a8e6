"""The stability gate on imports: the list decides, real names count, and modules are not reached through modules."""

import dataclasses
import datetime

import pytest

from mayfly.core import GateSettings, Tier
from mayfly.gates._profile import Profile
from mayfly.gates.stability import importable
from mayfly.sandbox import EPHEMERAL_IMPORTS as SIX_IMPORTS
from mayfly.sandbox import MEMO_IMPORTS

from .test_stability import codes, report

WIDE = SIX_IMPORTS | {"collections", "itertools", "functools", "asyncio", "enum", "pathlib", "hashlib"}
KEPT = Profile(tier=Tier.AUTHORED, imports=WIDE)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("import os", "import os"),
        ("from os import path", "from os import path"),
        ("import os.path as p", "import os.path as p"),
        ("import re as os", "import re as os"),
        ("from re import compile as sys", "from re import compile as sys"),
        ("from . import x", "from . import x"),
        ("from .os import path", "from .os import path"),
        ("from ..a.b import c", "from ..a.b import c"),
        ("import pathlib", "import pathlib"),
        ("import csv", "import csv"),
        ("import numpy.linalg", "import numpy.linalg"),
        ("from re import *", "from re import *"),
        ("import re, csv", "import re, csv"),
        ("def f():\n    import subprocess", "import subprocess"),
        ("try:\n    import requests\nexcept ImportError: pass", "import requests"),
    ],
)
def test_an_import_that_is_not_allowed_is_named(source: str, named: str) -> None:
    (verdict,) = (verdict for verdict in report(source, Profile(depth=0)).verdicts if verdict.code == "IMPORT")
    assert verdict.decision == "reject"
    assert named in verdict.message
    assert verdict.fix


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations\nimport re",
        "import re as regex",
        "import re as re",
        "from typing import Optional as Maybe",
        "import json.decoder",
        "from datetime import datetime, timezone",
    ],
)
def test_what_is_on_the_list_may_be_imported_in_any_way(source: str) -> None:
    assert codes(source) == []


def test_the_grant_for_data_admits_duckdb_alone() -> None:
    granted = Profile.of(GateSettings(), tier=Tier.MEMO, grants=("data",))
    assert codes("import csv, decimal, duckdb, json, math, re", granted) == []
    assert importable(granted) == MEMO_IMPORTS | {"duckdb"}
    assert codes("import duckdb", Profile.of(GateSettings(), tier=Tier.MEMO)) == [("reject", "IMPORT")]
    for other in ("numpy", "pyarrow", "_duckdb", "pytz", "os"):
        assert ("reject", "IMPORT") in codes(f"import {other}", granted), other


@pytest.mark.parametrize("tier", [Tier.EPHEMERAL, Tier.MEMO])
@pytest.mark.parametrize("module", ["os", "subprocess", "sys", "shutil", "socket", "ctypes", "importlib", "builtins"])
def test_some_modules_are_forbidden_even_if_they_are_listed(tier: Tier, module: str) -> None:
    profile = Profile(tier=tier, depth=0, imports=SIX_IMPORTS | {module})
    assert ("reject", "IMPORT") in codes(f"import {module}", profile)


def test_a_listed_package_brings_its_parts() -> None:
    assert codes("from collections.abc import Iterator", Profile(imports=WIDE)) == []
    assert codes("import xml.etree.ElementTree", Profile(imports=SIX_IMPORTS | {"xml.etree"})) == []


@pytest.mark.parametrize(
    ("source", "depth", "fits"),
    [
        ("import re, json", 1, True),
        ("import re, json, math", 1, False),
        ("import re, json, math, datetime", 0, True),
        ("import typing, dataclasses", 3, True),
        ("import re, json", 3, False),
        ("import re\nimport re\nfrom re import compile", 2, True),
    ],
)
def test_the_risks_have_to_fit_into_the_budget(source: str, depth: int, fits: bool) -> None:
    assert codes(source, Profile(depth=depth)) == ([] if fits else [("reject", "IMPORT_RISK")])


def test_a_risk_verdict_has_its_numbers() -> None:
    (verdict,) = report("import re, json, math").verdicts
    assert verdict.message == "import risk 0.3 > 0.25 (budget 0.50)"
    assert (verdict.measured, verdict.limit) == (0.3, 0.25)


@pytest.mark.parametrize(
    "source", ["import mayfly", "from mayfly.forge import MetaArchitect", "import mayfly.gates as g"]
)
@pytest.mark.parametrize("grants", [(), ("package",)])
@pytest.mark.parametrize("tier", [Tier.EPHEMERAL, Tier.MEMO, Tier.AUTHORED, Tier.PROMOTED])
def test_compiled_code_cannot_compile(source: str, grants: tuple[str, ...], tier: Tier) -> None:
    profile = Profile(tier=tier, imports=SIX_IMPORTS | {"mayfly"}, grants=grants)
    found = [verdict for verdict in report(source, profile).verdicts if verdict.code == "JIT_RECURSION"]
    assert "JIT recursion forbidden" in found[0].message


def test_built_in_code_is_part_of_mayfly_and_may_use_it() -> None:
    assert codes("import mayfly", Profile(tier=Tier.BUILTIN)) == []


@pytest.mark.parametrize(
    ("source", "grants"),
    [
        ("import requests, httpx, urllib.request", ("net:example.org",)),
        ("import socket", ("net:*",)),
        ("from pathlib import Path\nopen('x')", ("fs:workspace",)),
        ("import numpy, pandas, os", ("package",)),
    ],
)
def test_a_grant_makes_its_modules_importable(source: str, grants: tuple[str, ...]) -> None:
    assert ("reject", "IMPORT") in codes(source, Profile(tier=Tier.AUTHORED))
    found = codes(source, Profile(tier=Tier.AUTHORED, grants=grants))
    assert not [code for code in found if code[0] == "reject"]


def test_a_net_grant_does_not_open_the_file_system() -> None:
    assert ("reject", "IMPORT") in codes("import pathlib", Profile(tier=Tier.AUTHORED, grants=("net:*",)))


@pytest.mark.parametrize(
    ("source", "reached"),
    [
        ("import re\nre.enum.sys", "enum"),
        ("import json\njson.decoder.scanner", "json.scanner"),
        ("import json\njson.codecs", "codecs"),
        ("import typing\ntyping.sys.modules", "sys"),
        ("import typing as t\nt.sys", "sys"),
        ("import dataclasses\ndataclasses.inspect.os", "inspect"),
        ("from dataclasses import sys", "sys"),
        ("from dataclasses import sys as harmless", "sys"),
        ("from json.tool import sys", "sys"),
        ("import json.tool\njson.tool.argparse", "argparse"),
        ("import re\nr = re\nr.enum", "enum"),
        ("import re\nr = s = re\nt = s\nt.enum", "enum"),
        ("import re\nr: object = re\nr.enum", "enum"),
        ("import re, json\nr, j = re, json\nr.enum", "enum"),
        ("import re\ndef f(m=re):\n    return m.enum", "enum"),
        ("import re\ndef f(*, m=re):\n    return m.enum", "enum"),
        ("import re\nif (m := re):\n    m.enum", "enum"),
        ("import re\ngetattr(re, 'enum')", "enum"),
        ("import json\nd = json.decoder\nd.scanner", "json.scanner"),
        ("import re\nre._compiler", "re._compiler"),
        # Newer versions of these modules no longer hold the others.
        *([("import datetime\ndatetime.sys", "sys")] if hasattr(datetime, "sys") else []),
        *([("import dataclasses\ndataclasses.builtins", "builtins")] if hasattr(dataclasses, "builtins") else []),
    ],
)
def test_a_module_is_not_reached_through_another_one(source: str, reached: str) -> None:
    found = [verdict for verdict in report(source, Profile(depth=0)).verdicts if verdict.code == "MODULE_ATTRIBUTE"]
    assert [verdict.measured for verdict in found] == [reached]
    assert found[0].decision == "reject"


@pytest.mark.parametrize(
    "source",
    [
        "import re\nre.compile('x').match('y')",
        "import json\ntry:\n    json.loads('')\nexcept json.decoder.JSONDecodeError: pass",
        "import datetime\ndatetime.datetime.now(datetime.timezone.utc)",
        "import math\nmath.pi",
        "from datetime import datetime\ndatetime.sys = 1",
        "class A:\n    sys = 1\nA.sys",
        "import re\nre.nothing_of_that_name",
    ],
)
def test_what_is_no_module_may_be_used(source: str) -> None:
    assert codes(source) == []


def test_a_module_that_is_listed_may_be_reached() -> None:
    assert codes("import re\nre.enum", Profile(imports=WIDE)) == []
    assert codes("import asyncio\nasyncio.subprocess.PIPE", KEPT) == []


def test_modules_of_other_packages_are_told_by_their_names() -> None:
    profile = Profile(depth=0, imports=SIX_IMPORTS | {"numpy"})
    assert ("reject", "MODULE_ATTRIBUTE") in codes("import numpy\nnumpy.os.system('x')", profile)
    assert ("reject", "MODULE_ATTRIBUTE") not in codes("import numpy\nnumpy.linalg.norm(1)", profile)


def test_the_path_of_a_listed_os_may_be_used() -> None:
    profile = Profile(tier=Tier.AUTHORED, imports=frozenset({"os"}))
    assert ("reject", "MODULE_ATTRIBUTE") not in codes("import os\nos.path.join('a', 'b')", profile)
