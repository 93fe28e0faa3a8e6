"""Each system call of an append fails once: the old ledger or the new one, one clear line, and the next one works."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from mayfly.core import Settings

from .worker import finish, start

SOURCE = Path(__file__).with_name("failing_calls.c")


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: nothing can make a system call fail")
    made = tmp_path_factory.mktemp("shim") / "failing_calls.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-w", "-o", made, SOURCE, "-ldl"], check=True)
    return made


@pytest.mark.first(2)
@pytest.mark.parametrize("connection", ["kept", "fresh"])
@pytest.mark.parametrize("name", ["ENOSPC", "EMFILE", "ENOMEM", "EIO"])
def test_f7_a_system_call_that_fails_leaves_the_old_ledger_or_the_new_one(
    sqlite_settings: Settings, shim: Path, name: str, connection: str
) -> None:
    code = getattr(errno, name)
    lines = finish(start("append_failing", code, connection, store=sqlite_settings, preload=shim))
    told = [json.loads(line) for line in lines]
    assert len(told) > 10
    refused = 0
    for number, (said, before, after, broken) in enumerate(told, 1):
        assert broken == "", (number, said, broken)
        assert after in (before, before + 2), (number, said)
        if said.startswith("STORE: "):
            refused += 1
            assert "\n" not in said
        else:
            assert (said, after) == (str(before + 2), before + 2), number
    assert refused > 3
    assert told[-1][0].isdigit()
