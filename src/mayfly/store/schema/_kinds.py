"""The events of what agents do to a database."""

from mayfly.store._events import event


@event("schema.applied")
class SchemaApplied:
    """Record a migration of an agent's: what its statements did, the hash of its text, and as which role it ran."""

    name: str
    dialect: str
    statements: tuple[str, ...]
    hash: str
    role: str = ""


@event("schema.retired")
class SchemaRetired:
    """Record that a table was put aside under another name."""

    table: str
    renamed: str
    by: str = ""


@event("schema.purged")
class SchemaPurged:
    """Record that tables that had been put aside were dropped, and by whom."""

    tables: tuple[str, ...]
    by: str


@event("schema.wrote")
class SchemaWrote:
    """Record that rows of agents' tables were changed: by which statement, how many, and the rows it returned."""

    sql: str
    rows: int
    returned: tuple[tuple[object, ...], ...] = ()
