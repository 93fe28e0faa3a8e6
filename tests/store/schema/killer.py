"""A process that changes a schema again and again in children, each of which kills itself one step later than the last.

It prints, for each child, whether what it began is there whole, not there at all, or half; the last one is not killed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import mayfly.store
from mayfly.core import Settings
from mayfly.store import Ledger
from mayfly.store.schema import AgentSchema

STORE = Path(mayfly.store.__file__).parent
# Where the steps of a transaction are: what is sent to the database, what is appended, and the order of both.
STEPS = {str(STORE / name) for name in ("_database.py", "_append.py", "schema/_agent_schema.py")}


def here() -> Settings:
    return Settings.load(directory=Path("/"))


def kill_after(steps: int) -> None:
    """End this process without a word when the store has returned from that many of its functions."""
    left = steps

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in STEPS:
            return None
        if event == "return":
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def in_child(steps: int, work: Callable[[AgentSchema], Callable[[], object]]) -> bool:
    """Prepare *work* in a child and do it until so many steps are done; return whether it came to its end before."""
    child = os.fork()
    if child == 0:
        with Ledger.open(here()) as ledger, closing(AgentSchema(ledger, here())) as schema:
            do = work(schema)
            kill_after(steps)
            do()
            sys.settrace(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def settled(schema: AgentSchema) -> None:
    """Wait until the server has noticed that a session's process is gone."""
    if schema.dialect == "sqlite":
        return
    others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mayfly' AND pid <> pg_backend_pid()"
    while True:
        with schema._reading() as connection:
            if not connection.value(others):
                return
        time.sleep(0.005)


def main(stride: int) -> None:
    steps = 1
    while True:
        name = f"agent_m{steps}"

        def apply(schema: AgentSchema, name: str = name) -> Callable[[], object]:
            sql = f"CREATE TABLE {name} (a integer); CREATE INDEX {name}_i ON {name} (a)"
            migration = schema.plan(name, sql)
            return lambda: schema.apply(migration)

        ended = in_child(steps, apply)
        with Ledger.open(here()) as ledger, closing(AgentSchema(ledger, here())) as schema:
            settled(schema)
            with schema._reading() as connection:
                table = name in [one.name for one in schema.engine.relations(connection)]
            row = name in [one.name for one in schema.log()]
            event = ledger.last("schema.applied", f"schema-{name}") is not None
            assert ledger.verify().ok
        print("half" if len({table, row, event}) > 1 else "whole" if table else "nothing", flush=True)
        if ended:
            return
        steps += stride


if __name__ == "__main__":
    main(int(sys.argv[1]))
