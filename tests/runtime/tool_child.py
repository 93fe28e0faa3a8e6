"""A process that changes the library and is killed in the midst of it: at the step it is told, before or after it.

python -m tests... STATE URL OPERATION STEP
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from mayfly.core import Artifact, Settings
from mayfly.gates import Admission, Suite
from mayfly.library import Card, Checkout
from mayfly.runtime import Runtime
from mayfly.runtime._tool_maker import ProvenTool
from mayfly.runtime._tool_values import ToolOrder
from mayfly.store import Ledger

sys.path.insert(0, str(Path(__file__).parent))
from tools_bench import quick_settings  # type: ignore[import-not-found]


class Counter:
    """Die at one step of many."""

    def __init__(self, last: int) -> None:
        self._last = last
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str) -> None:
        """Count the moment before and the moment after every call of a function."""
        real = getattr(owner, name)

        def counted(*args: Any, **options: Any) -> Any:
            self.step()
            made = real(*args, **options)
            self.step()
            return made

        setattr(owner, name, counted)


def main(state: str, url: str, operation: str, last: str) -> None:
    settings: Settings = quick_settings(Path(state), url=url)
    counter = Counter(int(last))
    with Runtime(settings) as runtime:
        tools = runtime.tools
        for owner, name in ((Ledger, "append_many"), (Checkout, "write"), (Checkout, "remove")):
            counter.around(owner, name)
        for name in ("rename", "replace"):
            counter.around(os, name)
        if operation in ("write", "update"):
            kept = json.loads((Path(state) / f"{operation}.json").read_text())
            suite = Suite.from_json(kept["suite"])
            artifact = Artifact(kind="tool", source=kept["source"])
            admission = Admission(decision="accept", artifact=artifact, verdicts=())
            proven = ProvenTool(
                card=Card.from_json(kept["card"]),
                source=kept["source"],
                suite=suite,
                tests=kept["tests"],
                admission=admission,
            )
            row = tools._versions.rows.get("plus")
            tools._keep(proven, row, ToolOrder(intent="", name="plus"))
        elif operation == "delete":
            tools.delete("plus")
        else:
            tools.rollback("plus", 1)
    print(counter.steps)


if __name__ == "__main__":
    main(*sys.argv[1:])
