"""Whose a table is, by its name alone, and how a statement is refused."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from mayfly.core import Refusal, Verdict, shown

# own: the agents' own. core: the application's, which may be extended and nothing else. money: made by an agent, and
# from then on held like core, as what was paid must stay told. The rest is nobody's but the product's.
Standing = Literal["own", "core", "money", "trash", "protected"]

GATE = "schema"
PREFIX = "agent_"
TRASH = "agent_trash_"
MIGRATIONS = "agent_migrations"
# The table of the migrations, and what PostgreSQL makes for it: the sequence of its numbers, and two indexes.
_OF_MIGRATIONS = frozenset(f"{MIGRATIONS}{end}" for end in ("", "_id_seq", "_pkey", "_migration_name_key"))
MONEY = frozenset({"agent_x402_transactions"})
# The ledger, and what belongs to the databases themselves.
_PROTECTED = ("mayfly_", "pg_", "sqlite_")
_OWN = re.compile(r"agent_[A-Za-z0-9_]+")
# PostgreSQL cuts a longer name off without an error, and then it may be another's; both databases are held to it.
LONGEST_NAME = 63
# A statement of this size nests no deeper than the stack of a thread of the server's parser has room for.
LARGEST = 32_768
# A whole migration; beyond it somebody wants to load data.
LARGEST_MIGRATION = 262_144

# What a statement that is not an agent's does, by its first word, for the reason.
NOT_AGENTS = {
    "drop": ("DROP", "an agent drops nothing", "mayfly schema retire TABLE renames it, an operator purges"),
    "truncate": ("DROP", "an agent empties no table at once", "delete rows with db_write"),
    "select": ("STATEMENT", "a query changes no schema", "ask it with db_query"),
    "insert": ("STATEMENT", "rows are no part of the schema", "write them with db_write"),
    "update": ("STATEMENT", "rows are no part of the schema", "change them with db_write"),
    "delete": ("STATEMENT", "rows are no part of the schema", "delete them with db_write"),
    "transaction": ("STATEMENT", "a migration is one transaction already", "leave BEGIN and COMMIT out"),
}


@dataclass(frozen=True, kw_only=True)
class SchemaRules:
    """What is decided by the operator and by the database: the schema that names mean, and what agents may read."""

    default_schema: str = "public"
    readable: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, kw_only=True)
class CheckedStatement:
    """One statement that was let through.

    *about* is every table that it names, *touches* those of others that it locks or changes, *makes* what is new, and
    *defaults* the columns of tables of others that get another default.
    """

    sql: str
    does: str
    about: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()


def refuse(code: str, message: str, fix: str | None = None) -> NoReturn:
    """Raise the refusal of a statement."""
    raise Refusal(Verdict(decision="reject", gate=GATE, code=code, message=message, fix=fix))


def quoted(name: str) -> str:
    """Return a name as both databases read it whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def standing_of(name: str) -> Standing:
    """Return whose the table of this name is; names that differ in their letters' size alone are taken for one."""
    small = name.casefold()
    if small in _OF_MIGRATIONS or small.startswith(_PROTECTED):
        return "protected"
    # What a database makes for a table begins with the table's name.
    if any(small == table or small.startswith(f"{table}_") for table in MONEY):
        return "money"
    if small.startswith(TRASH):
        return "trash"
    return "own" if _OWN.fullmatch(name) else "core"


def check_own(name: str, *, what: str = "table", making: bool = False) -> None:
    """Refuse a name that is not one of the agents' own; one that is *making* money's table may do so once."""
    standing = standing_of(name)
    if standing == "own" or (standing == "money" and making):
        return
    if standing == "core":
        refuse("NAME", f"the {what} {shown(name, 80)} is not the agent's own", f"call it {PREFIX}…, in a-z, 0-9 and _")
    refuse_protected(name)


def refuse_protected(name: str) -> NoReturn:
    """Refuse a name that only the product and its operator touch."""
    if standing_of(name) == "trash":
        refuse("PROTECTED", f"{shown(name, 80)} was retired", "an operator takes it back or purges it")
    refuse("PROTECTED", f"{shown(name, 80)} is kept by Mayfly itself", f"make a table {PREFIX}… of your own")


def check_text(sql: str, *, largest: int = LARGEST) -> None:
    """Refuse what no parser should be given: too much, or characters that end a text for one and not for another."""
    try:
        size = len(sql.encode())
    except UnicodeEncodeError:
        refuse("CHARACTER", "the statement holds half a character", "write it in plain UTF-8")
    if size > largest:
        refuse(
            "TOO_LONG", f"the statement has {size:,} bytes, more than {largest:,}", "split it into several migrations"
        )
    odd = next((char for char in sql if (char < " " and char not in "\t\n\r\f") or char == "\x7f"), None)
    if odd is not None:
        refuse("CHARACTER", f"the statement holds the control character {odd!r}", "leave it out")


def check_length(names: Collection[str]) -> None:
    """Refuse names that a database would cut off."""
    for name in names:
        if len(name.encode()) > LONGEST_NAME:
            refuse("NAME_LENGTH", f"the name {shown(name, 80)} is longer than {LONGEST_NAME} bytes", "shorten it")
