"""What agents may do to a database: add to it and use what is theirs, never take away. Everything is checked first."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.store.schema._agent_schema import AgentMigration as AgentMigration
    from mayfly.store.schema._agent_schema import AgentSchema as AgentSchema
    from mayfly.store.schema._agent_schema import Applied as Applied
    from mayfly.store.schema._agent_schema import Dialect as Dialect
    from mayfly.store.schema._agent_schema import SchemaApplied as SchemaApplied
    from mayfly.store.schema._agent_schema import check_statement as check_statement
    from mayfly.store.schema._agent_schema import dialect_of as dialect_of
    from mayfly.store.schema._engine import RoleState as RoleState
    from mayfly.store.schema._engine import SchemaRows as SchemaRows
    from mayfly.store.schema._money_tables import FilledTables as FilledTables
    from mayfly.store.schema._money_tables import fill_agent_tables as fill_agent_tables
    from mayfly.store.schema._money_tables import fill_money_tables as fill_money_tables

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
