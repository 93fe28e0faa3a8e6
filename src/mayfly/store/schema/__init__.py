"""What agents may do to a database: add to it and use what is theirs, never take away. Everything is checked first."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.store.schema._agent_schema import (
        AgentSchema,
        Applied,
        Dialect,
        Migration,
        check_statement,
        dialect_of,
    )
    from mayfly.store.schema._engine import RoleState, Rows
    from mayfly.store.schema._kinds import SchemaApplied
    from mayfly.store.schema._money_tables import FilledTables, fill_agent_tables, fill_money_tables

__all__ = [
    "AgentSchema",
    "Applied",
    "Dialect",
    "FilledTables",
    "Migration",
    "RoleState",
    "Rows",
    "SchemaApplied",
    "check_statement",
    "dialect_of",
    "fill_agent_tables",
    "fill_money_tables",
]

__getattr__ = lazily(
    __name__,
    {
        "_agent_schema": "AgentSchema Applied Dialect Migration check_statement dialect_of",
        "_engine": "RoleState Rows",
        "_kinds": "SchemaApplied",
        "_money_tables": "FilledTables fill_agent_tables fill_money_tables",
    },
)
