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
from mayfly.store.schema._names import PREFIX, TRASH

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


def applying(schema: AgentSchema, name: str) -> Callable[[], object]:
    migration = schema.plan(name, f"CREATE TABLE {name} (a integer); CREATE INDEX {name}_i ON {name} (a)")
    return lambda: schema.apply(migration)


def retiring(schema: AgentSchema, name: str) -> Callable[[], object]:
    applying(schema, name)()
    return lambda: schema.retire(name)


def purging(schema: AgentSchema, name: str) -> Callable[[], object]:
    applying(schema, name)()
    aside = schema.retire(name)
    return lambda: schema.purge([aside], by="operator")


Begun = Callable[[AgentSchema, str], Callable[[], object]]
WORK: dict[str, Begun] = {"apply": applying, "retire": retiring, "purge": purging}


def signs(operation: str, schema: AgentSchema, ledger: Ledger, name: str) -> set[bool]:
    """Return what each place says about whether the operation happened: tables, migrations, ledger."""
    with schema._reading() as connection:
        tables = [one.name for one in schema.engine.relations(connection)]
    aside = any(one.startswith(f"{TRASH}{name.removeprefix(PREFIX)}_") for one in tables)
    if operation == "apply":
        row = name in [one.name for one in schema.log()]
        return {name in tables, row, ledger.last("schema.applied", f"schema-{name}") is not None}
    retired = ledger.last("schema.retired", f"schema-{name}") is not None
    if operation == "retire":
        return {name not in tables, aside, retired}
    purged = [one for event in ledger.read(kind="schema.purged") for one in event.payload["tables"]]  # type: ignore[union-attr]
    assert retired
    assert name not in tables
    return {not aside, any(str(one).startswith(f"{TRASH}{name.removeprefix(PREFIX)}_") for one in purged)}


def main(operation: str, stride: int) -> None:
    steps = 1
    while True:
        name = f"{PREFIX}m{steps}"

        def begin(schema: AgentSchema, name: str = name) -> Callable[[], object]:
            return WORK[operation](schema, name)

        ended = in_child(steps, begin)
        with Ledger.open(here()) as ledger, closing(AgentSchema(ledger, here())) as schema:
            settled(schema)
            said = signs(operation, schema, ledger, name)
            assert ledger.verify().ok
        print("half" if len(said) > 1 else "whole" if said == {True} else "nothing", flush=True)
        if ended:
            return
        steps += stride


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
