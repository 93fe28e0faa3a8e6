"""The gate for PostgreSQL: one statement is read by the server's own parser, and is on the allow list or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mayfly.core import shown
from mayfly.store.schema._names import (
    NOT_AGENTS,
    CheckedStatement,
    check_own,
    refuse,
    standing_of,
)
from mayfly.store.schema._postgres_tables import METHODS, TableGate
from mayfly.store.schema._tree import (
    Walker,
    enum_of,
    kind_of,
    parse_one,
    refuse_clause,
    texts,
    unwrap,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message

# Kinds of things that are called by one name, which has to be the agent's own.
_BY_ONE_NAME = frozenset({"OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_INDEX", "OBJECT_SEQUENCE"})
# What a statement that is not on the list does, for the reason; every other one is named by its kind.
_WHY = {
    **NOT_AGENTS,
    "dropowned": ("DROP", "an agent drops nothing", "mayfly schema retire TABLE renames it"),
    "droprole": ("DROP", "an agent drops nothing", "ask an operator"),
    "dropdb": ("DROP", "an agent drops nothing", "ask an operator"),
    "createtableas": ("STATEMENT", "a table made of a query", "make the table, then fill it with db_write"),
}


class PostgresGate(TableGate):
    """One statement of any kind under examination."""

    def check(self) -> CheckedStatement:
        """Return what the statement does, or raise the refusal that says why an agent may not."""
        node = parse_one(self._sql)
        kind = kind_of(node)
        known: dict[str, Callable[[Message], str]] = {
            "CreateStmt": self._create_table,
            "AlterTableStmt": self._alter_table,
            "IndexStmt": self._create_index,
            "CommentStmt": self._comment,
            "CreateEnumStmt": self._create_enum,
            "AlterEnumStmt": self._alter_enum,
            "CreateSeqStmt": self._create_sequence,
            "AlterSeqStmt": self._alter_sequence,
            "ViewStmt": self._create_view,
            "RenameStmt": self._rename,
        }
        if kind not in known:
            told = kind.removesuffix("Stmt")
            refuse(
                *_WHY.get(told.lower(), ("STATEMENT", f"“{told}” is no statement of an agent's", "see docs/schema.md"))
            )
        self._fields(node)
        does = known[kind](node)
        return CheckedStatement(
            sql=self._sql,
            does=does,
            about=tuple(dict.fromkeys((*self._about, *self._makes))),
            touches=tuple(dict.fromkeys(self._touches)),
            makes=tuple(self._makes),
            defaults=tuple(self._defaults),
        )

    def _create_index(self, node: Message) -> str:
        name, standing = self._reached(node.relation)
        if standing != "own" and node.unique:
            refuse("CORE", f"a unique index could refuse what is inserted into {name}", "make a plain index")
        self._other_name(node.idxname)
        if node.access_method not in METHODS:
            refuse_clause("IndexStmt.access_method")
        self._options(node.options, "index")
        for element in map(unwrap, (*node.index_params, *node.index_including_params)):
            self._index_element(element)
        if node.HasField("where_clause"):
            self._expression(node.where_clause, "index")
        return f"CREATE {'UNIQUE ' if node.unique else ''}INDEX {node.idxname or ''} ON {name}".replace("  ", " ")

    def _create_view(self, node: Message) -> str:
        name = self._own(node.view, what="view")
        self._makes.append(name)
        self._options(node.options, "view")
        query = unwrap(node.query)
        if kind_of(query) != "SelectStmt":
            refuse_clause(kind_of(query))
        walker = Walker(self._rules, "query")
        walker.walk(query)
        if walker.parameters:
            refuse("CLAUSE", "a view takes no parameters", "write the value")
        return f"CREATE VIEW {name}"

    def _create_enum(self, node: Message) -> str:
        name = self._type_name(texts(node.type_name))
        self._makes.append(name)
        return f"CREATE TYPE {name}"

    def _alter_enum(self, node: Message) -> str:
        return f"ALTER TYPE {self._type_name(texts(node.type_name))}"

    def _type_name(self, names: list[str]) -> str:
        if len(names) == 2 and names[0] == self._rules.default_schema:
            names = names[1:]
        if len(names) != 1:
            refuse("SCHEMA", f"{shown('.'.join(names), 100)} is in another schema", "leave the schema out")
        check_own(names[0], what="type")
        return names[0]

    def _create_sequence(self, node: Message) -> str:
        name = self._own(node.sequence, what="sequence")
        self._makes.append(name)
        self._options(node.options, "sequence")
        return f"CREATE SEQUENCE {name}"

    def _alter_sequence(self, node: Message) -> str:
        name = self._own(node.sequence, what="sequence")
        self._options(node.options, "sequence")
        return f"ALTER SEQUENCE {name}"

    def _comment(self, node: Message) -> str:
        kind, names = enum_of(node, "objtype"), self._commented(node)
        if kind in ("OBJECT_COLUMN", "OBJECT_TABCONSTRAINT") and len(names) == 2:
            check_own(names[0])
        elif kind in _BY_ONE_NAME and len(names) == 1:
            check_own(names[0], what=kind.removeprefix("OBJECT_").lower())
        elif kind == "OBJECT_TYPE" and len(names) == 1:
            check_own(names[0], what="type")
        else:
            refuse("STATEMENT", "a comment is about a table, column, index, view, type or constraint", "name one")
        return f"COMMENT ON {'.'.join(names)}"

    def _commented(self, node: Message) -> list[str]:
        inside = unwrap(node.object)
        names = texts(inside.names if kind_of(inside) == "TypeName" else getattr(inside, "items", ()))
        if len(names) > 1 and names[0] == self._rules.default_schema and standing_of(names[0]) == "core":
            names = names[1:]
        return names

    def _rename(self, node: Message) -> str:
        kind = enum_of(node, "rename_type")
        if kind == "OBJECT_TYPE":
            old = self._type_name(texts(unwrap(node.object).items))
            check_own(node.newname, what="type")
            return f"ALTER TYPE {old} RENAME TO {node.newname}"
        if kind not in (*_BY_ONE_NAME, "OBJECT_COLUMN", "OBJECT_TABCONSTRAINT"):
            refuse("STATEMENT", "only tables, columns, constraints, indexes, views, sequences and types are renamed")
        what = kind.removeprefix("OBJECT_").lower() if kind in _BY_ONE_NAME else "table"
        old = self._own(node.relation, what=what)
        if kind in _BY_ONE_NAME:
            check_own(node.newname, what=what)
            return f"ALTER {what.upper()} {old} RENAME TO {node.newname}"
        self._other_name(node.newname if kind == "OBJECT_TABCONSTRAINT" else "")
        return f"ALTER TABLE {old} RENAME {node.subname} TO {node.newname}"
