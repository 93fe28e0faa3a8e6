"""Small stand-ins for tests: a scripted model, a clock that is set, an observer of runs, and an access log."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from mayfly.promise import Promise


def write_script(path: Path, *lines: Mapping[str, object] | tuple[str, str]) -> str:
    """Write the script of a model into *path* and return the name under which `--model` or `open_model` takes it.

    A line is a purpose with its answer, or a mapping with everything that a line may hold (`for`, `answer`, `error`,
    `delay`, `input_tokens`, ...). Answers for a purpose are given in order, and the last one repeats.
    """
    entries = [{"for": line[0], "answer": line[1]} if isinstance(line, tuple) else dict(line) for line in lines]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return f"scripted:{path}"


Number = TypeVar("Number", int, float)


class FakeClock(Generic[Number]):
    """Stand still until told otherwise; takes the place of `time.monotonic`, `time.time` or `time.time_ns`."""

    def __init__(self, now: Number) -> None:
        self.now: Number = now

    def __call__(self) -> Number:
        """Return the time that was set."""
        return self.now

    def forward(self, amount: Number) -> None:
        """Let time pass, in the unit that the clock counts."""
        self.now += amount


@dataclass(kw_only=True)
class RunWatch:
    """An observer that knows which leaves began and how often, and lets a test act in the middle of a run."""

    when: Callable[[RunWatch], None] | None = None
    after: int = 2
    run: Promise[Any] | None = None
    began: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    other: list[tuple[str, Any]] = field(default_factory=list)

    def __call__(self, what: str, about: Any) -> None:
        """Note what happened, and act once when *after* parts are proven."""
        if what == "planned":
            self.run = about
        if what != "node":
            self.other.append((what, about))
            return
        if about.state == "resolving":
            self.began.append(about.id)
        elif about.state == "resolved" and (about.needs or about.work.kind == "run"):
            self.ended.append(about.id)
            if self.when is not None and len(self.ended) == self.after:
                act, self.when = self.when, None
                act(self)


MEGABYTE = 1024 * 1024
# One in three requests goes wrong or elsewhere, so that every kind of answer is in a log of a few hundred lines.
STATUS = (200,) * 12 + (301, 304, 304, 400, 401, 403, 404, 404, 499, 500, 502)
PATHS = ("/", "/index.html", "/login", "/api/items", "/api/items/7", "/static/app.js", "/favicon.ico", "/admin")
AGENTS = ("Mozilla/5.0 (X11; Linux x86_64)", "curl/8.4.0", "Go-http-client/1.1", "-")
# Lines are made in blocks that repeat: writing a large log then costs no more than copying it.
BLOCK = 4000


def write_access_log(path: Path, megabytes: float, *, seed: int = 7) -> Path:
    """Write an access log of about that size; the same seed gives the same log."""
    chance = random.Random(seed)
    blocks = ["".join(_line(chance, minute) for _ in range(BLOCK)) for minute in range(8)]
    left = int(megabytes * MEGABYTE)
    with path.open("w", encoding="ascii", newline="\n") as file:
        while left > 0:
            left -= file.write(chance.choice(blocks))
    return path


def _line(chance: random.Random, minute: int) -> str:
    address = ".".join(str(chance.randint(1, 254)) for _ in range(4))
    at = f"12/Mar/2024:10:{minute:02}:{chance.randint(0, 59):02} +0000"
    request = f"{chance.choice(('GET', 'GET', 'POST', 'HEAD'))} {chance.choice(PATHS)} HTTP/1.1"
    end = f'{chance.choice(STATUS)} {chance.randint(0, 90_000)} "-" "{chance.choice(AGENTS)}"'
    return f'{address} - - [{at}] "{request}" {end}\n'
