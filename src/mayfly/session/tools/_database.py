"""The agent's own tables: extend the schema, ask, write rows; every statement passes the gate of the store first."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mayfly.core import Asked, Capability, Invocation
from mayfly.world import TEXT, Schema, listed, said, takes, tool

if TYPE_CHECKING:
    from mayfly.store.schema import AgentMigration, AgentSchema, SchemaRows

_VALUES: Schema = listed(
    {"type": ["string", "number", "boolean", "null"]}, "the values for $1, $2, … in the statement, in their order"
)
# Longer than the two timeouts of the settings together at their defaults, so that the database is the one to give up.
_SECONDS = 90.0


def database_tools(session: str, schema: Callable[[], AgentSchema]) -> tuple[Capability, ...]:
    """Return the tools for tables; *schema* opens the database when it is first needed."""
    return (schema_extend.bound(schema), db_query.bound(schema), db_write.bound(schema, session))


def _plan(schema: Callable[[], AgentSchema], call: Invocation) -> AgentMigration:
    return schema().plan(call.arguments["name"], call.arguments["sql"])


@tool(
    takes(
        "name",
        "sql",
        name=said(TEXT, "the name of this migration, such as create_agent_pnl", minLength=1, maxLength=128),
        sql=said(TEXT, "one or more statements", minLength=1, maxLength=262_144),
    ),
    effect="idempotent",
    asks_with=lambda schema, call: (Asked("schema_extend", " ".join(_plan(schema, call).about)),),
    seconds=_SECONDS,
)
def schema_extend(schema: Callable[[], AgentSchema], call: Invocation) -> str:
    """Add to the database: make tables, views, indexes, enums and sequences named agent_…, alter them, add nullable
    columns to other tables. Nothing is dropped. One transaction; a name is applied once.
    """
    done = schema().apply(_plan(schema, call))
    lines = "\n".join(f"  {one}" for one in done.statements)
    return f"{'applied' if done.fresh else 'already applied'} {done.name}:\n{lines}"


@tool(
    takes("sql", sql=said(TEXT, "one SELECT", minLength=1, maxLength=32_768), values=_VALUES),
    # What is read the gate decides; the rules say who may ask at all.
    asks=lambda call: (Asked("db_query", "."),),
    seconds=_SECONDS,
)
def db_query(schema: Callable[[], AgentSchema], call: Invocation) -> str:
    """Ask the database with one SELECT over tables and views named agent_…; nothing is changed."""
    from mayfly.store.schema import fill_money_tables

    there, sql = schema(), call.arguments["sql"]
    if "agent_" in sql.lower():
        # What was paid moves on without the agent; its tables of money say how it stands when it looks.
        fill_money_tables(there)
    return _told(there.query(sql, call.arguments.get("values", ())))


def _table(schema: Callable[[], AgentSchema], call: Invocation) -> str:
    return schema().engine.check_write(call.arguments["sql"], call.arguments.get("values", ()))


@tool(
    takes("sql", sql=said(TEXT, "one INSERT, UPDATE or DELETE", minLength=1, maxLength=32_768), values=_VALUES),
    effect="idempotent",
    asks_with=lambda schema, _, call: (Asked("db_write", _table(schema, call)),),
    seconds=_SECONDS,
)
def db_write(schema: Callable[[], AgentSchema], session: str, call: Invocation) -> str:
    """Change rows of tables named agent_… with one INSERT, UPDATE or DELETE.

    Texts are given as values and named $1, $2, … in the statement.
    """
    # The same call that was cut off by a crash is the same writing: it is done once.
    key = f"{session} {call.key}"
    found = schema().write(call.arguments["sql"], call.arguments.get("values", ()), key=key)
    told = f"{found.changed} row{'s' * (found.changed != 1)} changed"
    return f"{told}\n{_told(found)}" if found.rows else told


def _told(found: SchemaRows) -> str:
    """Return rows as JSON, each an object; what was left out is said."""
    rows: list[Any] = [dict(zip(found.columns, row, strict=True)) if found.columns else row for row in found.rows]
    text = json.dumps(rows, ensure_ascii=False, indent=1)
    return f"{text}\n[there are more rows: ask for fewer, with WHERE or LIMIT]" if found.more else text
