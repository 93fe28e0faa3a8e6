"""A place to work in for the tools under test: a directory, real programs, real rules, and no wall between them."""

import asyncio
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.core import Capability, InputError, Invocation
from mayfly.policy import Kernel


class Ended(NamedTuple):
    code: int
    output: str
    whole: int
    reason: str = ""


@dataclass
class Here:
    workspace: Path
    facts: list[str] = field(default_factory=list)
    ran: list[list[str]] = field(default_factory=list)
    most: int = 1_000_000
    policies: tuple[str, ...] = ()

    def kernel(self) -> Kernel:
        facts = ["asked_by(/person)", *self.facts]
        return Kernel(workspace=self.workspace, session=facts, policies=self.policies)

    def read(self, path: str) -> bytes:
        found = (self.workspace / path).resolve()
        if not found.is_relative_to(self.workspace.resolve()) or not found.is_file():
            raise InputError(f"{path} is no file of the workspace")
        return found.read_bytes()

    def run(
        self, command: Sequence[str], *, key: str, timeout: float | None = None, keep: bool = True
    ) -> tuple[Ended, None]:
        assert not keep, "these tools change nothing"
        self.ran.append(list(command))
        done = subprocess.run(command, cwd=self.workspace, capture_output=True, input=b"", check=False)
        printed = done.stdout + done.stderr
        # The middle of what is long is left out, as a workbench does.
        kept = printed if len(printed) <= self.most else printed[: self.most // 2] + printed[-self.most // 2 :]
        return Ended(done.returncode, kept.decode("utf-8", "replace"), len(printed)), None

    def write(self, path: str, text: str | bytes) -> None:
        there = self.workspace / path
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(text.encode() if isinstance(text, str) else text)

    def git(self, *words: str) -> None:
        named = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *named, *words], cwd=self.workspace, check=True, capture_output=True)


def call(tools: Sequence[Capability], name: str, /, **arguments: Any) -> str:
    """Call a tool as a session does, once the rules were asked, and return what it says."""
    tool = next(tool for tool in tools if tool.name == name)
    invocation = Invocation(arguments=arguments, key="1.1.0")
    tool.check_arguments(arguments)
    tool.asks(invocation)
    said = asyncio.run(tool.invoke(invocation))
    assert isinstance(said, str)
    return said
