"""Walk PostgreSQL's own parse tree: each node, field, function, operator and type has to be on the list beside this."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from mayfly.core import MachineError, one_line, shown
from mayfly.store.schema._names import (
    SchemaRules,
    check_length,
    check_text,
    refuse,
    standing_of,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message

# Where an expression stands: what may be called there follows from it.
Place = Literal["constant", "default", "check", "using", "index", "query", "write"]
Scope = frozenset[str]

_NOWHERE: Scope = frozenset()
# Classes of functions by the place they are called in. A default makes new rows only, or rewrites the agent's own.
_CALLED: dict[str, tuple[str, ...]] = {
    "constant": (),
    "default": ("immutable", "stable", "volatile"),
    "check": ("immutable", "stable"),
    "using": ("immutable", "stable"),
    "index": ("immutable",),
    "query": ("immutable", "stable", "volatile", "aggregate", "rows", "window", "query"),
}
_CALLED["write"] = _CALLED["query"]
_OPCLASS = re.compile(r"[a-z0-9_]+_ops")
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


@cache
def lists() -> dict[str, Any]:
    """Return what is allowed, as it is written in the file beside this."""
    found = tomllib.loads(Path(__file__).with_name("postgres.toml").read_text(encoding="utf-8"))
    for group in ("functions", "types", "operators"):
        found[group] = {name: frozenset(words.split()) for name, words in found[group].items()}
    return found


@cache
def _parser() -> Any:
    try:
        import postgast
    except (ImportError, OSError):
        raise MachineError(
            "PostgreSQL statements are read with postgast, which is not installed",
            fix="pip install 'mayfly-agents[postgres]'",
        ) from None
    return postgast


def parse_one(sql: str) -> Message:
    """Return the tree of the one statement that *sql* is; whatever is none, or more than one, is refused."""
    check_text(sql)
    postgast = _parser()
    from google.protobuf.message import DecodeError

    try:
        found = postgast.parse(sql).stmts
        check_length(list(_identifiers(sql, postgast.scan(sql).tokens)))
    except postgast.PgQueryError as error:
        refuse("SYNTAX", f"PostgreSQL does not take it: {one_line(str(error), limit=200)}", "correct the statement")
    except DecodeError:
        # The tree nests deeper than the reader of its bytes goes.
        refuse("DEPTH", "the statement is nested too deeply", "write it with fewer levels")
    if not found:
        refuse("EMPTY", "there is no statement", "write one statement")
    if len(found) > 1:
        refuse("SEVERAL", f"these are {len(found)} statements", "give one at a time, or a file to: mayfly schema apply")
    stmt: Message = found[0].stmt
    return unwrap(stmt)


def split_statements(sql: str) -> list[str]:
    """Return the statements of a migration, as they are written."""
    postgast = _parser()
    try:
        return [one.strip() for one in postgast.split(sql, method="scanner") if one.strip()]
    except postgast.PgQueryError as error:
        refuse("SYNTAX", f"PostgreSQL does not take it: {one_line(str(error), limit=200)}", "correct the statement")


def _identifiers(sql: str, tokens: Iterable[Any]) -> Iterator[str]:
    """Yield every name as it is written, before the server would cut it off."""
    data = sql.encode()
    for token in tokens:
        text = data[token.start : token.end].decode("utf-8", "replace")
        if text[:2].upper() == "U&":
            refuse("NAME", "names and texts in Unicode escapes (U&) are not read", "write the characters themselves")
        if text.startswith('"'):
            yield text[1:-1].replace('""', '"')
        elif text[:1].isalpha() or text[:1] == "_" or not text[:1].isascii():
            # A text that begins with a letter, as in E'…' or B'…', is no name.
            yield "" if "'" in text else text


def unwrap(node: Message) -> Message:
    """Return what is inside a node of the tree; the node itself where it is no wrapper."""
    if node.DESCRIPTOR.name != "Node":
        return node
    which = node.WhichOneof("node")
    return node if which is None else getattr(node, which)


def kind_of(node: Message) -> str:
    """Return what a node is called."""
    return str(node.DESCRIPTOR.name)


def enum_of(node: Message, field: str) -> str:
    """Return the name of an enumerated field's value."""
    return str(node.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number[getattr(node, field)].name)


def texts(nodes: Iterable[Message]) -> list[str]:
    """Return the texts of a list of names, with something impossible for what is no text."""
    return [getattr(unwrap(node), "sval", "\0") for node in nodes]


def check_fields(node: Message, allowed: Iterable[str]) -> None:
    """Refuse a node in which a field is set that is not *allowed*."""
    for field, _ in node.ListFields():
        if field.name not in allowed and not field.name.endswith("location"):
            refuse_clause(f"{kind_of(node)}.{field.name}")


def refuse_clause(what: str) -> NoReturn:
    """Refuse a part of a statement, by its name in the tree."""
    refuse("CLAUSE", f"{_plain(what)} is not among what an agent may say", "leave this part out")


def words_in(name: str) -> str:
    """Return the words of a name of the tree: AddColumn is add column."""
    return _WORD.sub(" ", name).replace("_", " ").lower()


def _plain(what: str) -> str:
    kind, _, field = what.partition(".")
    words = words_in(kind.removeprefix("A_").removesuffix("Stmt"))
    return f"“{words_in(field)}” of a {words}" if field else f"a “{words}”"


class Walker:
    """Look at everything below a node; the first thing that is not on the list is the reason of a refusal."""

    def __init__(self, rules: SchemaRules, place: Place) -> None:
        self._rules = rules
        self._place = place
        known = lists()
        self._nodes: dict[str, list[str]] = dict(known["expression"])
        if place in ("query", "write"):
            self._nodes |= known["query"]
        if place == "write":
            self._nodes |= known["write"]
        self._functions = frozenset().union(*(known["functions"][group] for group in _CALLED[place]))
        self.parameters: set[int] = set()

    def walk(self, node: Message, scope: Scope = _NOWHERE) -> None:
        """Walk *node*; *scope* holds the names that a WITH around it gives to queries."""
        node = unwrap(node)
        kind = kind_of(node)
        if kind == "Node":
            return  # an empty place in a list
        if kind not in self._nodes:
            if kind in ("SubLink", "SelectStmt"):
                refuse("SUBQUERY", "a query inside this statement", "write a constant or a plain expression")
            refuse_clause(kind)
        check_fields(node, self._nodes[kind])
        if kind == "TypeName":
            self.type(node)
            return
        if kind == "FuncCall" and self._place == "default" and texts(node.funcname) == ["nextval"]:
            _check_nextval(node)
            return
        if hasattr(node, "with_clause"):
            scope = self._with(node, scope)
        self._look_at(kind, node, scope)
        for field, value in node.ListFields():
            if field.name != "with_clause" and field.type == field.TYPE_MESSAGE:
                for child in [value] if hasattr(value, "DESCRIPTOR") else value:
                    self.walk(child, scope)

    def _look_at(self, kind: str, node: Message, scope: Scope) -> None:
        """Look at what is special about a kind of node; what is below it is walked anyway."""
        match kind:
            case "FuncCall":
                self._call(node)
            case "A_Expr":
                self.operator(texts(node.name))
            case "SubLink":
                self.operator(texts(node.oper_name))
            case "CollateClause":
                self._collation(texts(node.collname))
            case "RangeVar":
                self._read(node, scope)
            case "IndexElem":
                index_element(node)
            case "ParamRef":
                self.parameters.add(node.number)
            case "A_Const" if self._place == "write" and (node.HasField("sval") or node.HasField("bsval")):
                refuse("LITERAL", "a text stands in the statement itself", "give it as a parameter: $1, $2, …")

    def _with(self, node: Message, scope: Scope) -> Scope:
        """Walk the queries of a WITH, each in the scope of those before it, and return the scope of what follows."""
        clause = getattr(node, "with_clause", None)
        if clause is None or not clause.ctes:
            return scope
        check_fields(clause, self._nodes["WithClause"])
        queries = [unwrap(one) for one in clause.ctes]
        if clause.recursive:
            scope |= {one.ctename for one in queries}
        for one in queries:
            if kind_of(unwrap(one.ctequery)) != "SelectStmt":
                refuse("STATEMENT", "a WITH may hold queries alone", "change rows by a statement of its own")
            self.walk(one, scope)
            scope |= {one.ctename}
        return scope

    def _read(self, node: Message, scope: Scope) -> None:
        if not node.schemaname and node.relname in scope:
            return
        name = relation(node, self._rules)
        standing = standing_of(name)
        if standing in ("own", "money", "trash") or name in self._rules.readable:
            return
        refuse(
            "READS",
            f"{shown(name, 80)} may not be read by an agent",
            "read tables agent_…; an operator allows others with MAYFLY_SCHEMA_READABLE",
        )

    def _call(self, node: Message) -> None:
        names = texts(node.funcname)
        name = names[-1]
        if len(names) > 2 or names[:-1] not in ([], ["pg_catalog"]) or name not in self._functions:
            known = frozenset().union(*lists()["functions"].values())
            where = " here" if name in known and len(names) == 1 else ""
            refuse("FUNCTION", f"the function {shown('.'.join(names), 80)} may not be called{where}", "leave it out")
        if self._place == "constant":
            refuse("CONSTANT", "a column of this table takes a constant as its default", "write a number or a text")

    def operator(self, names: list[str]) -> None:
        """Refuse an operator that is not one of the server's usual ones."""
        if not names:
            return
        if names[:-1] not in ([], ["pg_catalog"]) or names[-1] not in lists()["operators"]["names"] | _WRITTEN:
            refuse("OPERATOR", f"the operator {shown('.'.join(names), 80)} may not be used", "use the usual ones")

    def _collation(self, names: list[str]) -> None:
        if len(names) > 1 and names[:-1] != ["pg_catalog"]:
            refuse("SCHEMA", f"the collation {shown('.'.join(names), 80)} is in another schema", "leave the schema out")

    def type(self, node: Message, *, serial: bool = False) -> None:
        """Refuse a type that is neither of the server's plain ones nor an enumeration of the agent's own."""
        check_fields(node, self._nodes["TypeName"])
        known, names = lists()["types"], texts(node.names)
        if names[:-1] not in ([], ["pg_catalog"]):
            refuse("TYPE", f"the type {shown('.'.join(names), 80)} is in another schema", "use a plain type")
        own = len(names) == 1 and standing_of(names[0]) == "own"
        if names[-1] not in known["names"] and not own and not (serial and names[-1] in known["serial"]):
            refuse("TYPE", f"the type {shown(names[-1], 80)} may not be used here", "use a plain type, such as text")
        for one in (*node.typmods, *node.array_bounds):
            if kind_of(unwrap(one)) not in ("A_Const", "Integer"):
                refuse("TYPE", "a type takes plain numbers", "write them as numbers")


# How the parser writes what has words of its own.
_WRITTEN = frozenset({"BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC"})


def relation(node: Message, rules: SchemaRules) -> str:
    """Return the name of a table that is meant without a schema, or with the one that would be meant anyway."""
    if node.catalogname or node.schemaname not in ("", rules.default_schema):
        full = ".".join(part for part in (node.catalogname, node.schemaname, node.relname) if part)
        refuse("SCHEMA", f"{shown(full, 100)} is in another schema", "leave the schema out")
    if node.relpersistence != "p":
        refuse("TEMPORARY", f"{shown(node.relname, 80)} would not outlive a crash or the session", "make a plain one")
    return str(node.relname)


def index_element(node: Message) -> None:
    """Refuse what an index may not be told of a column."""
    names = texts(node.opclass)
    if names and (len(names) > 1 or not _OPCLASS.fullmatch(names[0])):
        refuse("OPERATOR", f"the operator class {shown('.'.join(names), 80)} may not be used", "leave it out")
    if len(texts(node.collation)) > 1:
        refuse("SCHEMA", "a collation of another schema", "leave the schema out")


def _check_nextval(node: Message) -> None:
    """Let a default count by a sequence of the agent's own."""
    given = unwrap(node.args[0]) if len(node.args) == 1 else node
    if kind_of(given) == "TypeCast" and texts(given.type_name.names) in (["regclass"], ["pg_catalog", "regclass"]):
        name = unwrap(given.arg)
    else:
        name = given
    text = name.sval.sval if kind_of(name) == "A_Const" else ""
    if standing_of(text) != "own" or text != text.lower():
        refuse("FUNCTION", "nextval counts by a sequence of the agent's own alone", "name one: nextval('agent_…')")
