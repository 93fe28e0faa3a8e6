"""The words of a statement as SQLite's own tokenizer cuts them, and what a database looks like before and after it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

from mayfly.core import shown
from mayfly.store.schema._names import check_own, refuse, refuse_protected, standing_of

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<blob>[xX]'[0-9A-Fa-f]*')
    |(?P<text>'(?:[^']|'')*')
    |(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |(?P<number>0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<word>[^\W\d][\w$]*)
    |(?P<value>\?\d*|[:@$#][\w$]+)
    |(?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class SqlToken(NamedTuple):
    """One word, quoted name, text, number or sign, and where it begins and ends."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word in capitals, as keywords are compared; nothing where it is quoted."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """What a name means, without its quotation marks."""
        if self.kind != "name":
            return self.text
        mark = self.text[-1]
        return self.text[1:-1] if mark == "]" else self.text[1:-1].replace(mark * 2, mark)


def tokens_of(sql: str) -> list[SqlToken]:
    """Return what the statement is made of, without spaces and comments."""
    found = (SqlToken(str(one.lastgroup), one[0], one.start(), one.end()) for one in _TOKEN.finditer(sql))
    return [token for token in found if token.kind != "space"]


def statements_of(sql: str) -> Iterator[str]:
    """Yield what stands between semicolons, as it is written, without a comment after its last word.

    The engine writes an added column into the schema as it stands: a comment at its end would hide the rest.
    """
    begin, end = 0, 0
    for token in tokens_of(sql):
        if token.text == ";" and token.kind == "sign":
            if end:
                yield sql[begin:end].strip()
            begin, end = token.end, 0
        else:
            end = token.end
    if end:
        yield sql[begin:end].strip()


def words_of(tokens: Sequence[SqlToken], number: int) -> str:
    """Return the first words in small letters."""
    return " ".join(token.text.lower() for token in tokens[:number])


def with_names(sql: str) -> Iterator[str]:
    """Yield, in small letters, every name that a WITH could give to a query: it stands before AS and a bracket."""
    tokens = tokens_of(sql)
    for at, token in enumerate(tokens):
        if token.word != "AS" or at == 0:
            continue
        before = at - 1
        if tokens[before].text == ")":
            while before > 0 and tokens[before].text != "(":
                before -= 1
            before -= 1
        if before >= 0 and tokens[before].kind in ("word", "name"):
            yield tokens[before].name.lower()


_ENTRIES = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master"
_COLUMNS = """
SELECT m.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid
"""
_UNIQUE = """
SELECT i.name FROM sqlite_master m, pragma_index_list(m.name) i WHERE m.type = 'table' AND i."unique" = 1
"""
_POINTS = """
SELECT m.name, f."table" FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
"""

_SERIAL = frozenset({"serial", "serial2", "serial4", "serial8", "smallserial", "bigserial"})


class CatalogEntry(NamedTuple):
    """One row of the database's own list of what is in it."""

    kind: str
    name: str
    table: str
    page: int
    sql: str | None


class TableColumn(NamedTuple):
    """One column of a table."""

    name: str
    type: str
    required: int
    default: str | None
    key: int
    hidden: int


class Picture(NamedTuple):
    """A whole schema."""

    entries: tuple[CatalogEntry, ...]
    columns: dict[str, tuple[TableColumn, ...]]
    unique: frozenset[str]
    points: frozenset[tuple[str, str]]

    def is_view(self, name: str) -> bool:
        """Whether there is a view of that name."""
        return any(one.kind == "view" and one.name == name for one in self.entries)

    def placed(self, kind: str) -> dict[int | str, CatalogEntry]:
        """Return what there is of a kind by where it lies, which a new name does not change; views by their names."""
        found = [one for one in self.entries if one.kind == kind]
        return {(one.name if one.page == 0 else one.page): one for one in found}


def picture(driver: sqlite3.Connection) -> Picture:
    """Look at the schema as it is at this moment of the transaction."""
    columns: dict[str, list[TableColumn]] = {}
    for table, *column in driver.execute(_COLUMNS):
        columns.setdefault(table, []).append(TableColumn(*column))
    return Picture(
        tuple(CatalogEntry(*row) for row in driver.execute(_ENTRIES)),
        {table: tuple(found) for table, found in columns.items()},
        frozenset(name for (name,) in driver.execute(_UNIQUE)),
        frozenset((one, other) for one, other in driver.execute(_POINTS)),
    )


def compare(before: Picture, after: Picture) -> tuple[set[str], set[str]]:
    """Refuse what is missing or changed against the rules; return what is new and which tables of others it touches."""
    made: set[str] = set()
    touched: set[str] = set()
    for kind in ("table", "view", "index", "trigger"):
        old, new = before.placed(kind), after.placed(kind)
        for place in old.keys() - new.keys():
            refuse("DROP", f"{old[place].name} would be gone", "mayfly schema retire TABLE renames a table")
        for place, was in old.items():
            if was != new[place] or before.columns.get(was.name) != after.columns.get(new[place].name):
                _check_changed(before, after, was, new[place], touched)
        for place in new.keys() - old.keys():
            _check_new(after, new[place], made, touched)
    for table, other in after.points - before.points:
        if standing_of(other.lower()) in ("protected", "trash"):
            refuse_protected(other)
        if standing_of(other.lower()) == "core" and standing_of(table.lower()) in ("own", "money"):
            touched.add(other)
    return made, touched


def check_types(after: Picture, table: str) -> None:
    """Refuse types that count by themselves elsewhere: here they would leave the column empty."""
    for column in after.columns.get(table, ()):
        if column.type.lower() in _SERIAL:
            refuse(
                "UNSUPPORTED", f"SQLite has no type {column.type}", "write INTEGER PRIMARY KEY, which counts by itself"
            )


def _check_new(after: Picture, one: CatalogEntry, made: set[str], touched: set[str]) -> None:
    small = one.name.lower()
    if one.kind == "trigger":
        refuse("STATEMENT", "an agent makes no triggers", "do it when the rows are written")
    if one.kind == "index":
        if not one.name.startswith("sqlite_autoindex_") and standing_of(small) in ("protected", "trash", "money"):
            refuse_protected(one.name)
        _check_index(after, one, touched)
        return
    if one.kind == "table" and one.page == 0:
        refuse("STATEMENT", "an agent makes no virtual tables", "make a plain one")
    if small != "sqlite_sequence":
        check_own(small, what=one.kind, making=one.kind == "table")
        made.add(one.name)


def _check_index(after: Picture, one: CatalogEntry, touched: set[str]) -> None:
    standing = standing_of(one.table.lower())
    if standing in ("protected", "trash"):
        refuse_protected(one.table)
    if one.name in after.unique and standing != "own" and not one.name.startswith("sqlite_autoindex_"):
        refuse("CORE", f"a unique index could refuse what is inserted into {one.table}", "make a plain index")
    if standing == "core":
        touched.add(one.table)


def _check_changed(before: Picture, after: Picture, was: CatalogEntry, now: CatalogEntry, touched: set[str]) -> None:
    standing = standing_of(was.table.lower())
    if standing == "protected" or was.kind == "trigger":
        refuse_protected(was.name)
    if was.kind != "table":
        return  # a new name of its table, or of a column, was written into it
    if standing == "own":
        if was.name != now.name:
            check_own(now.name.lower())
        if len(after.columns[now.name]) < len(before.columns[was.name]):
            refuse("DROP", f"a column of {was.name} would be gone", "leave it, or mayfly schema retire the table")
        return
    old, new = before.columns[was.name], after.columns[now.name]
    if was.name != now.name or new[: len(old)] != old or standing == "trash":
        _refuse_core(was.name)
    if new != old:
        touched.add(was.name)
        _check_added(was, now, new[len(old) :])


def _refuse_core(table: str) -> NoReturn:
    if standing_of(table.lower()) in ("money", "trash"):
        refuse_protected(table)
    refuse(
        "CORE",
        f"{shown(table, 80)}: other tables than the agent's own take new columns, indexes and constant defaults",
        "use a table agent_… of your own",
    )


def _check_added(was: CatalogEntry, now: CatalogEntry, columns: tuple[TableColumn, ...]) -> None:
    """Let a column into another's table that no insert of its owner can trip over.

    The engine says too little of it (nothing of a CHECK), so what it wrote into the table's own text is read.
    """
    old, new = tokens_of(was.sql or ""), tokens_of(now.sql or "")
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0][:2] != pair[1][:2]), len(old))
    rest = len(old) - same
    added = new[same : len(new) - rest] if rest else new[same:]
    if added and added[0].text == ",":
        added = added[1:]
    one = columns[0]
    bare = one.required and (one.default is None or one.default.strip("() ").upper() == "NULL")
    if len(columns) != 1 or one.hidden or bare or not _is_harmless(added):
        refuse("CORE", "a new column of this table has to be nullable or have a constant default", "say nothing else")


def _is_harmless(tokens: list[SqlToken]) -> bool:
    """Whether a column's definition is a name, a type, and then nothing but NULL, NOT NULL, a constant and COLLATE."""
    at = 1
    while at < len(tokens) and tokens[at].kind == "word" and tokens[at].word not in _BEGINS:
        at += 1
    if at < len(tokens) and tokens[at].text == "(":
        inside = [token.text for token in tokens[at:]]
        if ")" not in inside:
            return False
        end = at + inside.index(")")
        if any(token.kind != "number" and token.text not in (",", "+", "-") for token in tokens[at + 1 : end]):
            return False
        at = end + 1
    while at < len(tokens):
        taken = _clause(tokens[at:])
        if not taken:
            return False
        at += taken
    return True


# Where the type of a column ends.
_BEGINS = frozenset({"NULL", "NOT", "DEFAULT", "COLLATE", "CHECK", "UNIQUE", "PRIMARY", "REFERENCES", "CONSTRAINT"})
_BEGINS |= {"GENERATED", "AS"}
_VALUES = frozenset({"NULL", "TRUE", "FALSE"})


def _clause(tokens: list[SqlToken]) -> int:
    """Return how many tokens the clause has that is at the beginning; 0 where it is none that is let through."""
    words = [token.word for token in tokens[:2]]
    if words[0] == "NULL":
        return 1
    if words == ["NOT", "NULL"]:
        return 2
    if words[0] == "COLLATE" and len(tokens) > 1:
        return 2
    if words[0] != "DEFAULT":
        return 0
    rest = tokens[1:]
    depth = 0
    while depth < len(rest) and rest[depth].text == "(":
        depth += 1
    at = depth + (len(rest) > depth and rest[depth].text in ("+", "-"))
    if at >= len(rest) or not (rest[at].kind in ("number", "text", "blob") or rest[at].word in _VALUES):
        return 0
    if [token.text for token in rest[at + 1 : at + 1 + depth]] != [")"] * depth:
        return 0
    return 1 + at + 1 + depth
