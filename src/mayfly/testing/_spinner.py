"""An agent that is busy for as long as it is told, and a tree of its leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mayfly.promise import Promise
    from mayfly.runtime import Runtime

SPIN = '''"""Numbers that take their time."""


class Spinner:
    """Add up squares."""

    def invoke(self, input: int) -> int:
        """Return the sum of the squares below the input, modulo a prime."""
        total = 0
        for number in range(input):
            total = (total + number * number) % 1000003
        return total
'''


def keep_spinner(runtime: Runtime) -> str:
    """Note an agent that is busy as long as its input says, and return its hash."""
    from mayfly.core import Artifact
    from mayfly.forge import AgentKept, versions_of

    parts = runtime.parts
    artifact = Artifact(kind="agent", source=SPIN, entry="Spinner", author="testing")
    kept = AgentKept(
        entry="Spinner",
        spread=False,
        each=False,
        strength="strong",
        tests=1,
        held_out=1,
        mutants=1,
        mutants_killed=1,
        suite_hash="",
        proof=None,
        versions=versions_of(parts),
    )
    parts.ledger.put_blob(SPIN.encode())
    parts.ledger.append(kept, subject=artifact.hash)
    return artifact.hash


def spinning(agent: str, inputs: list[int]) -> Promise[Any]:
    """Return a tree with one leaf for every input of the spinner; its value is a record of theirs."""
    from mayfly.promise import Promise, Work

    root: Promise[Any] = Promise("spin", ground=None, combine="record")
    for number in inputs:
        work = Work(kind="run", name=agent)
        root.add(Promise(f"spin {number} times", ground=None, work=work, argument=number, name=f"n{number}"))
    return root
