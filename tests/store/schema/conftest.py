"""What tests of agents' tables share: both databases, an application's table beside them, and how a schema looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from mayfly.core import Settings
from mayfly.store import Ledger
from mayfly.store.schema import AgentSchema, Applied
from store.conftest import Plain

Picture = dict[str, list[tuple[Any, ...]]]
_LOOKS = {
    "sqlite": ["SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"],
    "postgresql": [
        "SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default "
        "FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 3",
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1",
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE connamespace = current_schema()::regnamespace ORDER BY 1, 2",
        "SELECT relname, relkind, relowner FROM pg_class "
        "WHERE relnamespace = current_schema()::regnamespace ORDER BY 1",
    ],
}


def look(plain: Plain) -> Picture:
    """Return the whole schema, as somebody without Mayfly sees it."""
    return {query: plain.run(query) for query in _LOOKS[plain.dialect]}


@pytest.fixture
def schema(settings: Settings, ledger: Ledger) -> Iterator[AgentSchema]:
    with closing(AgentSchema(ledger, settings)) as opened:
        yield opened


@pytest.fixture
def users(plain: Plain) -> Plain:
    """Make a table of the application's, with a row in it."""
    serial = "integer PRIMARY KEY" if plain.dialect == "sqlite" else "serial PRIMARY KEY"
    plain.run(f"CREATE TABLE users (id {serial}, email text NOT NULL, level integer DEFAULT 1)")
    plain.run("INSERT INTO users (email) VALUES ('a@example.com')")
    return plain


Extend = Callable[..., Applied]


@pytest.fixture
def extend(schema: AgentSchema) -> Extend:
    """Apply statements under the name of the first of them."""

    def apply(sql: str, name: str = "first") -> Applied:
        return schema.apply(schema.plan(name, sql))

    return apply
