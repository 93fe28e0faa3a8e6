"""A process that has loaded everything and forks one that acts, for each line it is told.

Each actor is a process of its own that can be killed at any instant, without the seconds that imports take.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2]


@dataclass(kw_only=True)
class Actor:
    """A process that acts; what it has to say is in its file once it is done."""

    pid: int
    out: Path
    handle: int

    def wait(self, seconds: float = 60.0) -> dict[str, Any] | None:
        """Wait for its end and return what it said; None where it was killed before."""
        ready, _, _ = select.select([self.handle], [], [], seconds)
        if not ready:
            raise AssertionError(f"an actor did not end: {self.out.with_suffix('.log').read_text()[-2000:]}")
        return self.said()

    def said(self) -> dict[str, Any] | None:
        """Return what it has said so far."""
        return json.loads(self.out.read_text()) if self.out.exists() else None

    def ready(self, seconds: float = 30.0) -> dict[str, Any]:
        """Wait until it has said something; for actors that stay."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if (said := self.said()) is not None:
                return said
            if select.select([self.handle], [], [], 0.005)[0] and self.said() is None:
                break
        raise AssertionError(f"an actor did not start: {self.out.with_suffix('.log').read_text()[-2000:]}")

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        select.select([self.handle], [], [], 10.0)

    def close(self) -> None:
        """End it, and let go of it."""
        self.kill()
        os.close(self.handle)


class Zygote:
    """The side that tells."""

    def __init__(self) -> None:
        source = str(TESTS.parent / "src")
        env = {name: value for name, value in os.environ.items() if not name.startswith("MAYFLY_")}
        env["PYTHONPATH"] = os.pathsep.join([source, str(TESTS)])
        command = [sys.executable, "-m", "market.matrix.zygote"]
        self._process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._number = 0
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def start(self, role: str, config: dict[str, Any], directory: Path) -> Actor:
        """Start an actor."""
        self._number += 1
        out = directory / f"{role}-{self._number}.json"
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([role, config, str(out)]) + "\n")
        pid = int(self._line())
        actor = Actor(pid=pid, out=out, handle=os.pidfd_open(pid))
        # It begins only now: one that was gone already could not be waited for.
        self._process.stdin.write("\n")
        assert self._line() == "begun"
        return actor

    def close(self) -> None:
        """End it; actors are ended by whoever started them."""
        self._process.kill()
        self._process.communicate()


def say(out: str, what: object) -> None:
    """Leave what is to be said, whole or not at all."""
    made = Path(out + ".new")
    made.write_text(json.dumps(what))
    made.replace(out)


def _act(role: str, config: dict[str, Any], out: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(str(Path(out).with_suffix(".log")), os.O_WRONLY | os.O_CREAT, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    from market.matrix import actors

    try:
        actors.ROLES[role](config, out)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def main() -> None:
    """Fork for each line."""
    from market.matrix import actors

    actors.load()
    # Nobody waits for actors here: the kernel takes them away.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for line in sys.stdin:
        role, config, out = json.loads(line)
        wait, begin = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.read(wait, 1)
            _act(role, config, out)
        print(pid, flush=True)
        sys.stdin.readline()
        os.write(begin, b"x")
        os.close(wait)
        os.close(begin)
        print("begun", flush=True)


if __name__ == "__main__":
    main()
