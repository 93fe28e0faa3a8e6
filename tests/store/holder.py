"""One process beside the test that claims, forks and dies, on the store its environment names."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from subprocess import PIPE, Popen

from mayfly.core import ConflictError, Settings
from mayfly.store import Ledger


def start(*arguments: object, store: Settings) -> Popen[str]:
    """Start this file as a process that works on *store*."""
    environ = {**os.environ, "MAYFLY_STATE_DIR": str(store.state), "MAYFLY_DATABASE_URL": store.store.database_url}
    command = [sys.executable, __file__, *map(str, arguments)]
    return Popen(command, env=environ, stdin=PIPE, stdout=PIPE, text=True)


def line(process: Popen[str]) -> str:
    """Return the next line that a process says."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: Popen[str]) -> None:
    """Let a process go on that waits to be told."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def say(value: object) -> None:
    print(value, flush=True)


def opened() -> Ledger:
    return Ledger.open(Settings.load(directory=Path("/")))


def hold(name: str) -> None:
    """Claim, and hold until told."""
    with opened() as ledger, ledger.claim(name):
        say("claimed")
        sys.stdin.readline()


def race(name: str) -> None:
    """Claim at the same time as others, and say who has it."""
    with opened() as ledger:
        say("ready")
        sys.stdin.readline()
        try:
            claim = ledger.claim(name)
        except ConflictError as error:
            say(error)
            return
        say("claimed")
        sys.stdin.readline()
        claim.close()


def fork(name: str) -> None:
    """Claim and fork; the child tries everything with the claim, and outlives its parent."""
    ledger = opened()
    claim = ledger.claim(name)
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        told = refusal(claim.check)
        claim.close()
        again = refusal(lambda: ledger.claim(name))
        say(json.dumps([told, again]))
        # What is said on stdin is for the parent, so the child reads none of it.
        while os.getppid() == parent:
            time.sleep(0.05)
        time.sleep(3)
        os._exit(0)
    sys.stdin.readline()
    claim.check()
    say("still held")
    sys.stdin.readline()


def refusal(use: object) -> str:
    assert callable(use)
    try:
        use()
    except ConflictError as error:
        return str(error)
    return "no refusal"


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
