"""Migrations, queries and rows on PostgreSQL: under timeouts, as the restricted role where there is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

from mayfly.core import StoreError
from mayfly.store._database import Connection
from mayfly.store.schema._engine import (
    RoleState,
    SchemaEngine,
    SchemaRelation,
    SchemaRows,
    TransactionTerms,
    check_values,
    failed,
)
from mayfly.store.schema._names import (
    MIGRATIONS,
    CheckedStatement,
    SchemaRules,
    check_own,
    quoted,
    refuse,
    standing_of,
)
from mayfly.store.schema._postgres_gate import PostgresGate
from mayfly.store.schema._tree import Walker, kind_of, parse_one, relation, split_statements

_KINDS = {"r": "TABLE", "p": "TABLE", "v": "VIEW", "m": "MATERIALIZED VIEW", "S": "SEQUENCE"}
# A sequence that belongs to a column goes wherever its table goes.
_RELATIONS = """
SELECT relname, relkind FROM pg_class c
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
AND NOT (relkind = 'S' AND EXISTS (
    SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
ORDER BY relname
"""
# A column that the application's inserts rely on to be filled by itself, or that no two rows may have the same in.
_RELIED_ON = """
SELECT a.attname FROM pg_attribute a
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = (quote_ident(current_schema()) || '.' || quote_ident(?))::regclass AND a.attname = ?
AND (a.attidentity <> '' OR a.attgenerated <> ''
     OR pg_get_expr(d.adbin, d.adrelid) ~ '\\(.*\\)$'
     OR EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique
                AND a.attnum = ANY (i.indkey)))
"""
_ROLE = """
SELECT pg_has_role(current_user, oid, 'MEMBER') AND NOT rolsuper,
       has_schema_privilege(oid, current_schema()::regnamespace, 'CREATE')
FROM pg_roles WHERE rolname = ?
"""
_FAULTS = {
    "55P03": ("LOCKED", "somebody holds what it needs: try again, or raise MAYFLY_SCHEMA_LOCK_TIMEOUT"),
    "57014": ("TIMEOUT", "make it smaller, or raise MAYFLY_SCHEMA_STATEMENT_TIMEOUT"),
    "42501": ("RIGHTS", "an operator looks with: mayfly schema roles"),
}


class PostgresEngine(SchemaEngine):
    """A PostgreSQL server; the names of statements mean the schema that comes first for the user who connects."""

    dialect: ClassVar = "postgresql"

    def check(self, sql: str, rules: SchemaRules | None = None) -> CheckedStatement:
        """Read the statement with the server's own parser."""
        return PostgresGate(sql, rules or self.rules).check()

    def split(self, sql: str) -> list[str]:
        """Cut the text where the server would."""
        return split_statements(sql)

    def begin(self, connection: Connection) -> TransactionTerms:
        """Pin what texts and names mean, and set the timeouts, until the transaction ends."""
        schema = connection.value("SELECT current_schema()")
        if schema is None:
            raise StoreError("the database has no schema to make tables in", fix="check its search_path")
        timeouts = self._settings.lock_timeout, self._settings.statement_timeout
        milliseconds = [str(max(1, int(seconds * 1000))) for seconds in timeouts]
        # What is in quotation marks ends where the gate saw it end; a temporary table stands in for no other.
        for name, value in (
            ("standard_conforming_strings", "on"),
            ("search_path", f"{quoted(schema)}, pg_temp"),
            ("lock_timeout", milliseconds[0]),
            ("statement_timeout", milliseconds[1]),
        ):
            connection.run("SELECT set_config(?, ?, true)", [name, value])
        role = self._settings.role if self.role_state(connection).in_force else ""
        return TransactionTerms(replace(self.rules, default_schema=schema), role)

    def run(self, connection: Connection, statement: CheckedStatement, terms: TransactionTerms) -> None:
        """Run a statement as the restricted role; one that touches another's table needs the rights of its owner."""
        # By now it is known which schema names mean; before, it was taken to be `public`.
        statement = self.check(statement.sql, terms.rules)
        for table, column in statement.defaults:
            if connection.value(_RELIED_ON, [table, column]) is not None:
                refuse("CORE", f"inserts into {table} rely on how {column} is filled", "leave its default as it is")
        with _as_role(connection, "" if statement.touches else terms.role), self.told(connection, statement.does):
            self._send(connection, statement.sql)
        if terms.role:
            self._hand_over(connection, statement, terms.role)

    def _send(self, connection: Connection, sql: str, values: Sequence[object] = ()) -> Any:
        """Send one statement, with $1, $2 for values; the protocol itself takes no second one after it."""
        from psycopg import RawCursor

        return RawCursor(connection.driver).execute(sql, list(values), binary=True)

    @contextmanager
    def told(self, connection: Connection, statement: str) -> Iterator[None]:
        """Name the statement in what the server says; it keeps the time itself."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            code, fix = _FAULTS.get(error.sqlstate or "", ("FAILED", "correct it and try again"))
            if error.sqlstate is None:
                raise  # the connection is gone
            failed(error, statement, code=code, fix=fix)

    def _hand_over(self, connection: Connection, statement: CheckedStatement, role: str) -> None:
        """Give what was made with the owner's rights to the role; what is about money the role may only read."""
        kinds = {one.name: one.kind for one in self.relations(connection)}
        for name in statement.makes:
            if name in kinds and standing_of(name) == "money":
                connection.run(f"ALTER {kinds[name]} {quoted(name)} OWNER TO CURRENT_USER")
                connection.run(f"GRANT SELECT ON {quoted(name)} TO {quoted(role)}")
            elif name in kinds and statement.touches:
                connection.run(f"ALTER {kinds[name]} {quoted(name)} OWNER TO {quoted(role)}")

    def relations(self, connection: Connection) -> list[SchemaRelation]:
        """Look at the server's own tables."""
        return [SchemaRelation(name, _KINDS[kind]) for name, kind in connection.run(_RELATIONS)]

    def check_query(self, sql: str, values: Sequence[object], rules: SchemaRules | None = None) -> None:
        """Read the query with the server's own parser."""
        node = parse_one(sql)
        if kind_of(node) != "SelectStmt":
            refuse("STATEMENT", "this is no query", "write one SELECT; rows are changed with db_write")
        walker = Walker(rules or self.rules, "query")
        walker.walk(node)
        check_values(values, walker.parameters)

    def query(self, connection: Connection, sql: str, values: Sequence[object]) -> SchemaRows:
        """Run it in a transaction that reads only, row by row."""
        from psycopg import RawServerCursor

        terms = self.begin(connection)
        self.check_query(sql, values, terms.rules)
        with (
            _as_role(connection, terms.role),
            self.told(connection, "the query"),
            RawServerCursor(connection.driver, "mayfly_query") as cursor,
        ):
            # A cursor takes a query without the semicolon at its end; comments may follow that.
            cursor.execute(split_statements(sql)[0], list(values))
            return self.fetch(cursor)._replace(changed=0)

    def check_write(self, sql: str, values: Sequence[object], rules: SchemaRules | None = None) -> str:
        """Read the statement with the server's own parser."""
        node = parse_one(sql)
        if kind_of(node) not in ("InsertStmt", "UpdateStmt", "DeleteStmt"):
            refuse("STATEMENT", "this changes no rows", "write one INSERT, UPDATE or DELETE")
        table = relation(node.relation, rules or self.rules)
        check_own(table)
        walker = Walker(rules or self.rules, "write")
        walker.walk(node)
        check_values(values, walker.parameters)
        return table

    def write(self, connection: Connection, sql: str, values: Sequence[object]) -> SchemaRows:
        """Change rows as the restricted role."""
        terms = self.begin(connection)
        table = self.check_write(sql, values, terms.rules)
        with _as_role(connection, terms.role), self.told(connection, f"writing to {table}"):
            return self.fetch(self._send(connection, sql, values))

    def role_state(self, connection: Connection) -> RoleState:
        """Look whether the role is there, whether it can be taken, and whether it may make tables."""
        role = self._settings.role
        rows = connection.run(_ROLE, [role]) if role else []
        if not role:
            reason = "no role is named: MAYFLY_SCHEMA_ROLE is empty"
        elif not rows:
            reason = f"there is no role {role}"
        elif not rows[0][0]:
            reason = f"who connects may not act as {role}, or it is a superuser"
        elif not rows[0][1]:
            reason = f"{role} may make no tables here"
        else:
            return RoleState(role=role, exists=True, in_force=True, reason=f"migrations run as {role}")
        made = tuple(self._role_statements(connection)) if role else ()
        return RoleState(role=role, exists=bool(rows), in_force=False, reason=reason, statements=made)

    def make_role(self, connection: Connection) -> RoleState:
        """Make the role, or mend what it lacks."""
        for statement in self._role_statements(connection):
            with self.told(connection, statement):
                connection.run(statement)
        return self.role_state(connection)

    def _role_statements(self, connection: Connection) -> Iterator[str]:
        """Yield what gives the role its own tables and nothing else."""
        role = quoted(self._settings.role)
        schema = quoted(connection.value("SELECT current_schema()"))
        me = quoted(connection.value("SELECT current_user"))
        member = connection.run(
            "SELECT pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = ?", [self._settings.role]
        )
        if not member:
            yield f"CREATE ROLE {role} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS"
        if not member or not member[0][0]:
            yield f"GRANT {role} TO {me}"
        yield f"GRANT USAGE, CREATE ON SCHEMA {schema} TO {role}"
        for one in self.relations(connection):
            if standing_of(one.name) in ("own", "trash"):
                yield f"ALTER {one.kind} {quoted(one.name)} OWNER TO {role}"
            elif standing_of(one.name) == "money" or one.name in {*self.rules.readable, MIGRATIONS}:
                yield f"GRANT SELECT ON {quoted(one.name)} TO {role}"


@contextmanager
def _as_role(connection: Connection, role: str) -> Iterator[None]:
    """Act as *role* in the body; where the body fails the transaction ends, and the role with it."""
    if role:
        connection.run(f"SET LOCAL ROLE {quoted(role)}")
    yield
    if role:
        connection.run("SET LOCAL ROLE NONE")
