"""What a worker forgets of the environment it was started with: also where /proc shows it."""

import json
import subprocess
import sys

import pytest

from mayfly.promise.engines._host import is_kept

SCRIPT = """
import json, os, sys
from mayfly.promise.engines._host import scrub
scrub({"WANTED"})
json.dump([dict(os.environ), open("/proc/self/environ").read(), os.popen("echo $PATH").read()], sys.stdout)
"""


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "MAYFLY_DATABASE_URL", "AWS_SECRET", "RAY_AUTH_TOKEN", "PGPASSWORD"]
)
def test_secrets_are_not_kept(name: str) -> None:
    assert not is_kept(name)


@pytest.mark.parametrize("name", ["PATH", "HOME", "LC_ALL", "RAY_JOB_ID", "RAY_AUTH_TOKEN_PATH", "MAYFLY_RAY_CLUSTER"])
def test_what_a_process_needs_is_kept(name: str) -> None:
    assert is_kept(name)


def test_a_name_that_is_asked_for_is_kept() -> None:
    assert is_kept("OPENAI_API_KEY", {"OPENAI_API_KEY"})


def test_a_process_forgets_its_secrets_everywhere() -> None:
    given = {
        "PATH": "/usr/bin:/bin",
        "OPENAI_API_KEY": "sk-secret",
        "HOME": "/",
        "MAYFLY_X": "sk-other",
        "WANTED": "yes",
    }
    ran = subprocess.run([sys.executable, "-c", SCRIPT], env=given, capture_output=True, text=True, check=True)
    variables, at_start, path = json.loads(ran.stdout)
    assert "sk-" not in ran.stdout
    assert (variables["HOME"], variables["WANTED"], path) == ("/", "yes", "/usr/bin:/bin\n")
    assert "WANTED=yes" in at_start


def test_a_worker_of_a_node_that_ignores_interrupts_can_be_cancelled() -> None:
    script = """
import _thread, pickle, signal, time
from mayfly.promise.engines._host import _make_worker
signal.signal(signal.SIGINT, signal.SIG_IGN)
_make_worker(pickle.dumps((None, str)), {"PATH"})
try:
    _thread.interrupt_main()  # as Ray cancels
    time.sleep(100)
except KeyboardInterrupt:
    print("interrupted")
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=90)
    assert ran.stdout == "interrupted\n"
