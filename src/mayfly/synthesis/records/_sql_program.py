"""Write the Python around a statement: a typed function that runs it and makes the answer of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mayfly.language.question import Query, tell
from mayfly.synthesis.records._kinds import ABSENT
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._sql import Output, Statement, StatementWriter
from mayfly.synthesis.records._sql_account import write_account
from mayfly.synthesis.records._sql_lines import can_cut
from mayfly.synthesis.records._sql_rows import Rows, needed_titles, needs_line, rows_of
from mayfly.synthesis.records._sql_text import INDENT, in_python, python_string

ENTRY = "answer"
_TYPES = {"int": "int", "float": "float", "text": "str", "bool": "bool", "list": "list[object]"}
_DECODED = '''
def decoded(text: str | None) -> object:
    """Return the value that a text of JSON holds."""
    return None if text is None else json.loads(text)
'''


class Written(NamedTuple):
    """A program, the name of the function that answers, and the source of `account`, which counts the lines."""

    source: str
    entry: str
    account: str


def write_question(found: Format, query: Query, second: Format | None = None) -> Written:
    """Return the program that answers a query for a file of a format; for a join the path is a list of both files."""
    rows = rows_of(found, query, second)
    statement = StatementWriter(found, query, rows).write()
    return Written(write_program(query, rows, statement), ENTRY, write_account(found, query, second, statement))


def write_program(query: Query, rows: Rows, statement: Statement) -> str:
    """Return the source of the program around a statement that is asked of some rows."""
    return _Program(query, rows, statement).text()


class _Program:
    """Write one program."""

    def __init__(self, query: Query, rows: Rows, statement: Statement) -> None:
        self.query, self.rows, self.statement = query, rows, statement
        self.decodes = any(one.json for one in statement.outputs)

    def text(self) -> str:
        """Return the whole program."""
        title = _in_docstring(tell(self.query))
        absent = "$absent" in self.statement.sql
        body = self._body(absent)
        head = [
            f'"""{title[0].upper()}{title[1:]}."""',
            "",
            *(["import json", ""] if self.decodes else []),
            "import duckdb",
            "",
        ]
        if absent:
            head += ["# What stands for nothing in a cell.", f"ABSENT = {in_python([*ABSENT])}", ""]
        path = "list[str]" if self.query.join is not None or self.rows.sources[0].several else "str"
        function = [
            "",
            f"def answer(path: {path}) -> {self._type()}:",
            f'    """Return {title}."""',
            *(f"    {line}" if line else "" for line in body.split("\n")),
        ]
        helper = [*_DECODED.rstrip("\n").split("\n"), ""] if "decoded(" in body else []
        return "\n".join([*head, *helper, *function, ""])

    def _body(self, absent: bool) -> str:
        """Return the body of the function."""
        statement = self.statement
        parameters = '"path": path' if self.query.join is None else '"first": path[0], "second": path[1]'
        parameters += ', "absent": ABSENT' if absent else ""
        sql = python_string(statement.sql, INDENT)
        call = f"duckdb.execute(\n    {sql},\n    {{{parameters}}},\n)"
        if statement.answer in ("rows", "picked") and statement.named and not self.decodes:
            columns = "result.description[1:]" if statement.answer == "picked" else "result.description"
            names = f"names = [column[0] for column in {columns}]"
            return f"result = {call}\n{names}\n{self._returned('result.fetchall()')}"
        return f"rows = {call}.fetchall()\n{self._returned('rows')}"

    # Answers.

    def _returned(self, rows: str) -> str:
        statement = self.statement
        rows = f"reversed({rows})" if statement.backward else rows
        if statement.answer == "value":
            return f"value: {self._type()} = rows[0][0]\nreturn value"
        if statement.answer == "values":
            return "return list(rows[0])"
        if statement.answer == "column":
            value = "decoded(value)" if statement.outputs[0].json and statement.outputs[0].nullable else "value"
            value = "json.loads(value)" if statement.outputs[0].json and not statement.outputs[0].nullable else value
            return f"return [{value} for (value,) in {rows}]"
        if statement.answer == "groups":
            return self._groups(rows)
        return self._picked(rows) if statement.answer == "picked" else f"return [{self._record(rows, 0)}]"

    def _record(self, rows: str, keys: int) -> str:
        """Return a comprehension of the records that rows are."""
        outputs = self.statement.outputs[keys:]
        if self.decodes:
            names = [f"value_{at}" for at in range(1, len(outputs) + 1)]
            pairs = ", ".join(
                f"{in_python(one.name)}: {f'decoded({name})' if one.json else name}"
                for one, name in zip(outputs, names, strict=True)
            )
            return f"{{{pairs}}} for {', '.join(names)}{',' if len(names) == 1 else ''} in {rows}"
        names_text = "names" if self.statement.named else in_python([one.name for one in outputs])
        return f"dict(zip({names_text}, row, strict=True)) for row in {rows}"

    def _groups(self, rows: str) -> str:
        """Return groups by the text of their key."""
        key, *outputs = self.statement.outputs
        name = _key_text(key)
        if len(outputs) == 1:
            if name == "key":
                return f"return dict({rows})"
            return f"return {{{name}: value for key, value in {rows}}}"
        names = in_python([one.name for one in outputs])
        return f"names = {names}\nreturn {{{name}: dict(zip(names, values, strict=True)) for key, *values in {rows}}}"

    def _picked(self, rows: str) -> str:
        """Return the records of each group by its key; the text of keys decides about their order."""
        key, *outputs = self.statement.outputs
        pick = self.query.pick
        assert pick is not None
        single = len(outputs) == 1 and bool(self.query.columns)
        if self.decodes or not self.statement.named:
            shown = f"{{{', '.join(f'{in_python(one.name)}: {_decoded(one, at)}' for at, one in enumerate(outputs))}}}"
            shown = _decoded(outputs[0], 0) if single or outputs[0].name == "line" else shown
        else:
            shown = "values[0]" if single or outputs[0].name == "line" else "dict(zip(names, values, strict=True))"
        taken = "records[0]" if pick.number == 1 else "records"
        lines = [
            "found: dict[str, list[object]] = {}",
            f"for key, *values in {rows}:",
            f"    found.setdefault({_key_text(key)}, []).append({shown})",
            f"return {{key: {taken} for key, records in sorted(found.items())}}",
        ]
        return "\n".join(lines)

    # Types.

    def _type(self) -> str:
        statement, outputs = self.statement, self.statement.outputs
        if statement.answer == "value":
            return _type_of(outputs[0])
        if statement.answer == "values":
            return f"list[{_common(outputs)}]"
        if statement.answer == "column":
            return f"list[{_type_of(outputs[0])}]"
        if statement.answer == "groups":
            value = _common(outputs[1:])
            return f"dict[str, {value}]" if len(outputs) == 2 else f"dict[str, dict[str, {value}]]"
        if statement.answer == "picked":
            pick = self.query.pick
            return "dict[str, object]" if pick and pick.number == 1 else "dict[str, list[object]]"
        return "list[dict[str, object]]"


def _decoded(one: Output, at: int) -> str:
    return f"decoded(values[{at}])" if one.json else f"values[{at}]"


def _type_of(one: Output) -> str:
    return "object" if one.json else _TYPES[one.sort] + (" | None" if one.nullable else "")


def _common(outputs: Sequence[Output]) -> str:
    types = {_type_of(one) for one in outputs}
    return types.pop() if len(types) == 1 else "object"


def _key_text(key: Output) -> str:
    """Return the expression for a key as text; a dash for none, whole numbers without a fraction."""
    text = {"int": "str(key)", "bool": "str(key).lower()", "list": "str(key)", "text": "key"}.get(key.sort, "")
    text = text or 'str(key or 0).removesuffix(".0")'
    return f'"-" if key is None else {text}' if key.nullable else text


def _in_docstring(text: str) -> str:
    """Return a text as it can stand in a docstring."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return plain.replace("\\", "\\\\").replace('"', "'")


def is_native(found: Format, query: Query | None = None) -> bool:
    """Say whether DuckDB reads a format by itself, and all that a query asks of it; if not, our own rows are read.

    Without a query all columns count.
    """
    if (
        found.kind not in ("delimited", "pattern", "json", "objects", "plain", "pairs")
        or found.blocks
        or found.continued
    ):
        return False
    if found.kind == "delimited":
        lines = query is not None and needs_line(found, query) and not found.spooled
        return found.regular and len(found.delimiter) == 1 and not found.stops and not found.rest and not lines
    titles = {one.title for one in found.fields} if query is None else needed_titles(found, query)
    return all(can_cut(found, one) for one in found.fields if one.title in titles)
