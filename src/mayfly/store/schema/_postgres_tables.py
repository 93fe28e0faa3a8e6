"""The part of the PostgreSQL gate that looks at tables: their columns, constraints and changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

from mayfly.core import shown
from mayfly.store.schema._names import SchemaRules, Standing, check_own, refuse, refuse_protected, standing_of
from mayfly.store.schema._tree import (
    Place,
    Walker,
    check_fields,
    enum_of,
    index_element,
    kind_of,
    lists,
    refuse_clause,
    relation,
    texts,
    unwrap,
    words_in,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message

# The server's own, and those of the extension whose vectors are on the list of types.
METHODS = frozenset({"", "btree", "hash", "gin", "gist", "brin", "spgist", "hnsw", "ivfflat"})


class TableGate:
    """One statement under examination: what it names, touches and makes is noted on the way."""

    def __init__(self, sql: str, rules: SchemaRules) -> None:
        self._sql = sql.strip()
        self._rules = rules
        self._about: list[str] = []
        self._touches: list[str] = []
        self._makes: list[str] = []
        self._defaults: list[tuple[str, str]] = []

    def _fields(self, node: Message) -> None:
        check_fields(node, lists()["statement"][kind_of(node)])

    def _name(self, node: Message) -> str:
        self._fields(node)
        name = relation(node, self._rules)
        self._about.append(name)
        return name

    def _own(self, node: Message, *, what: str = "table", making: bool = False) -> str:
        name = self._name(node)
        check_own(name, what=what, making=making)
        return name

    def _reached(self, node: Message) -> tuple[str, Standing]:
        """Note a table that may be another's and is locked meanwhile; return its name, and whose it is."""
        name = self._name(node)
        standing = standing_of(name)
        if standing in ("protected", "trash"):
            refuse_protected(name)
        if standing == "core":
            self._touches.append(name)
        return name, standing

    def _other_name(self, name: str) -> None:
        """Refuse a name of an index or constraint that the product may need; an index lives among the tables."""
        if standing_of(name) in ("protected", "trash", "money"):
            refuse_protected(name)

    def _expression(self, node: Message, place: Place) -> None:
        Walker(self._rules, place).walk(node)

    def _options(self, nodes: Iterable[Message], group: str) -> None:
        """Let options through whose values are plain."""
        for node in map(unwrap, nodes):
            self._fields(node)
            if node.defname not in lists()["options"][group]:
                refuse("CLAUSE", f"the option {shown(node.defname, 60)} of a {group} may not be set", "leave it out")
            value = unwrap(node.arg)
            if node.defname == "owned_by":
                self._owned_by(value)
            elif kind_of(value) == "TypeName":
                Walker(self._rules, "constant").walk(value)
            elif kind_of(value) not in ("Node", "Integer", "Float", "Boolean", "String"):
                refuse_clause(kind_of(value))

    def _owned_by(self, value: Message) -> None:
        names = texts(value.items)
        if [name.lower() for name in names] == ["none"]:
            return
        if len(names) == 3 and names[0] == self._rules.default_schema:
            names = names[1:]
        if len(names) != 2:
            refuse("SCHEMA", "a sequence belongs to a column of an agent's own table", "say OWNED BY agent_….column")
        check_own(names[0])

    def _create_table(self, node: Message) -> str:
        name = self._own(node.relation, making=True)
        self._makes.append(name)
        self._options(node.options, "table")
        if enum_of(node, "oncommit") != "ONCOMMIT_NOOP":
            refuse_clause("CreateStmt.oncommit")
        for part in map(unwrap, (*node.table_elts, *node.constraints)):
            match kind_of(part):
                case "ColumnDef":
                    self._column(part)
                case "Constraint":
                    self._constraint(part)
                case "TableLikeClause":
                    self._fields(part)
                    self._own(part.relation)
                case other:
                    refuse_clause(other)
        return f"CREATE TABLE {name}"

    def _column(self, node: Message) -> None:
        self._fields(node)
        Walker(self._rules, "default").type(node.type_name, serial=True)
        if node.HasField("coll_clause"):
            Walker(self._rules, "default").walk(node.coll_clause)
        if node.HasField("raw_default"):
            refuse_clause("ColumnDef.raw_default")
        for constraint in map(unwrap, node.constraints):
            self._constraint(constraint)

    def _constraint(self, node: Message) -> None:
        contype = enum_of(node, "contype")
        allowed = lists()["constraint"].get(contype)
        if allowed is None:
            refuse_clause(f"Constraint.{contype}")
        check_fields(node, ("contype", "conname", *allowed))
        self._other_name(node.conname)
        match contype:
            case "CONSTR_DEFAULT":
                self._expression(node.raw_expr, "default")
            case "CONSTR_CHECK":
                self._expression(node.raw_expr, "check")
            case "CONSTR_GENERATED":
                self._expression(node.raw_expr, "index")
            case "CONSTR_IDENTITY":
                self._options(node.options, "sequence")
            case "CONSTR_FOREIGN":
                # A key may point at a table of the application: S-35 needs it.
                self._reached(node.pktable)
            case "CONSTR_EXCLUSION":
                self._exclusion(node)

    def _exclusion(self, node: Message) -> None:
        if node.access_method not in METHODS:
            refuse_clause("Constraint.access_method")
        for pair in map(unwrap, node.exclusions):
            element, names = (unwrap(one) for one in pair.items)
            self._index_element(element)
            Walker(self._rules, "index").operator(texts(names.items))
        if node.HasField("where_clause"):
            self._expression(node.where_clause, "index")

    def _alter_table(self, node: Message) -> str:
        name, standing = self._reached(node.relation)
        if enum_of(node, "objtype") != "OBJECT_TABLE":
            refuse("STATEMENT", "only tables are altered in this way", "see docs/schema.md")
        told = [self._command(command, name, own=standing == "own") for command in map(unwrap, node.cmds)]
        return f"ALTER TABLE {name} {', '.join(told)}"

    def _command(self, node: Message, table: str, *, own: bool) -> str:
        self._fields(node)
        subtype = enum_of(node, "subtype")
        column = f"ALTER COLUMN {node.name} " if node.name and "Constraint" not in subtype else ""
        words = f"{column}{_words(subtype)}"
        if subtype not in lists()["alter"]["own" if own else "core"]:
            _refuse_command(subtype, table, own=own)
        if enum_of(node, "behavior") == "DROP_CASCADE":
            refuse_clause("AlterTableCmd.behavior")
        inside = unwrap(getattr(node, "def"))
        match subtype:
            case "AT_AddColumn":
                (self._column if own else self._core_column)(inside)
                return f"{words} {inside.colname}"
            case "AT_ColumnDefault" if own:
                if kind_of(inside) != "Node":
                    self._expression(inside, "default")
            case "AT_ColumnDefault":
                self._constant(inside)
                self._defaults.append((table, node.name))
            case "AT_AlterColumnType":
                self._new_type(inside)
            case "AT_AddConstraint":
                self._constraint(inside)
            case "AT_AlterConstraint":
                check_fields(inside, ("conname", "deferrable", "initdeferred", "alter_deferrability", "is_enforced"))
            case "AT_SetRelOptions":
                self._options(inside.items, "table")
            case "AT_AddIdentity":
                self._constraint(inside)
            case "AT_SetIdentity":
                self._identity(inside)
            case _ if kind_of(inside) not in ("Node", "Integer", "String"):
                refuse_clause(kind_of(inside))
        return words

    def _identity(self, node: Message) -> None:
        for option in map(unwrap, node.items):
            if option.defname != "generated":
                self._options([option], "sequence")

    def _new_type(self, node: Message) -> None:
        check_fields(node, ("type_name", "coll_clause", "raw_default", "is_local"))
        Walker(self._rules, "using").type(node.type_name)
        if node.HasField("coll_clause"):
            Walker(self._rules, "using").walk(node.coll_clause)
        if node.HasField("raw_default"):
            self._expression(node.raw_default, "using")

    def _core_column(self, node: Message) -> None:
        """Let a column into another's table that no insert of its owner can trip over."""
        self._fields(node)
        Walker(self._rules, "constant").type(node.type_name)
        if standing_of(texts(node.type_name.names)[-1]) == "own":
            refuse("TYPE", "a table of the application takes the server's plain types", "use text")
        required, default = False, False
        for constraint in map(unwrap, node.constraints):
            contype = enum_of(constraint, "contype")
            if contype not in ("CONSTR_NULL", "CONSTR_NOTNULL", "CONSTR_DEFAULT"):
                told = contype.removeprefix("CONSTR_").replace("_", " ")
                refuse(
                    "CORE", f"a new column of this table takes no {told}", "add it nullable or with a constant default"
                )
            check_fields(constraint, ("contype", "conname", *lists()["constraint"][contype]))
            required |= contype == "CONSTR_NOTNULL"
            if contype == "CONSTR_DEFAULT":
                self._constant(constraint.raw_expr, null=not required)
                default = not _is_null(constraint.raw_expr)
        if required and not default:
            refuse("CORE", "a new column of this table has to be nullable or have a constant default", "add DEFAULT …")

    def _constant(self, node: Message, *, null: bool = False) -> None:
        inside = unwrap(node)
        if kind_of(inside) == "Node":
            refuse("DROP", "a default of this table is not taken away", "set another constant")
        if _is_null(inside) and not null:
            refuse("CORE", "without a default the application's inserts may fail", "set a constant")
        if not _is_constant(inside):
            refuse("CONSTANT", "a column of this table takes a constant as its default", "write a number or a text")
        self._expression(inside, "constant")

    def _index_element(self, node: Message) -> None:
        self._fields(node)
        index_element(node)
        if node.HasField("expr"):
            self._expression(node.expr, "index")


def _words(subtype: str) -> str:
    """Return how a change of a table is written: AT_AddColumn is ADD COLUMN."""
    told = {"AT_ColumnDefault": "SET DEFAULT", "AT_AlterColumnType": "TYPE"}
    return told.get(subtype) or words_in(subtype.removeprefix("AT_")).upper()


def _refuse_command(subtype: str, table: str, *, own: bool) -> NoReturn:
    told = _words(subtype)
    if subtype.startswith("AT_Drop"):
        refuse("DROP", f"{told} of {table}: an agent drops nothing", "leave it, or mayfly schema retire the table")
    if own:
        refuse("CLAUSE", f"{told} is not among what an agent may do to its tables", "see docs/schema.md")
    refuse(
        "CORE",
        f"{told} of {table}: other tables than the agent's own take new columns, indexes and constant defaults",
        "use a table agent_… of your own",
    )


def _is_null(node: Message) -> bool:
    inside = unwrap(node)
    if kind_of(inside) == "TypeCast":
        return _is_null(inside.arg)
    return kind_of(inside) == "A_Const" and bool(inside.isnull)


def _is_constant(node: Message) -> bool:
    """Whether an expression is one value, written out."""
    inside = unwrap(node)
    match kind_of(inside):
        case "A_Const":
            return True
        case "TypeCast":
            return _is_constant(inside.arg)
        case "A_ArrayExpr":
            return all(_is_constant(one) for one in inside.elements)
        case "A_Expr":
            return texts(inside.name) == ["-"] and not inside.HasField("lexpr") and _is_constant(inside.rexpr)
    return False
