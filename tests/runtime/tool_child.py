"""A process that changes the library and is killed in the midst of it: at the step it is told, before or after it.

python tool_child.py STATE URL OPERATION STEP

Where the step is `all`, children are killed at every step in turn, and a line says how the library stood after each:
the version that serves before and after, the state, and what is wrong with it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

from mayfly.core import Artifact, Settings
from mayfly.gates import Admission, Suite
from mayfly.library import Card, Checkout, ProvenTool
from mayfly.library._tool_values import ToolOrder
from mayfly.runtime import Runtime
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


def main(state: str, url: str, operation: str, last: str) -> int:
    settings = settings_for(state, url, operation)
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
        elif operation == "retire":
            tools.refresh()
        else:
            tools.rollback("plus", 1)
    return counter.steps


def settings_for(state: str, url: str, operation: str) -> Settings:
    """Return settings of one operation: with no days at all, whatever is not used at this moment is retired."""
    more = {"retire": 0.0} if operation == "retire" else {}
    found: Settings = quick_settings(Path(state), url=url, **more)
    return found


def main_all(state: str, url: str, operation: str) -> None:
    """Kill a child one step later each time, until one comes to its end; the library is looked at after each."""
    for last in count(1):
        before = standing(state, url)[0]
        child = os.fork()
        if child == 0:
            main(state, url, operation, str(last))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        after, kept, wrong = standing(state, url)
        print(before, after, kept, wrong or "clean", flush=True)
        if status == 0:
            return
        if kept == "retired":
            with Runtime(settings_for(state, url, "")) as runtime:
                runtime.tools.restore("plus")


def standing(state: str, url: str) -> tuple[int, str, str]:
    """Return which version serves, how, and what is wrong with the library or the ledger."""
    with Runtime(settings_for(state, url, "")) as runtime:
        tools = runtime.tools
        found = next((one for one in tools.list() if one.name == "plus"), None)
        odd = [*tools.refresh(), *tools.problems()]
        if not runtime.ledger.verify().ok:
            odd.append("the ledger does not verify")
    return (found.version, found.state, ";".join(odd)) if found else (0, "none", ";".join(odd))


if __name__ == "__main__":
    if sys.argv[4] == "all":
        main_all(*sys.argv[1:4])
    else:
        print(main(*sys.argv[1:]))
