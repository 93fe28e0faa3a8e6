"""Write the statement that answers a query: its groups, its lists or its picks, in order and cut to size."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from mayfly.language.question import Column, Expression, Query
from mayfly.synthesis.records._evaluate import labels, partial_keys, title_of
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._sql_measures import Measured, Measures
from mayfly.synthesis.records._sql_rows import Rows, is_plain, is_shuffled
from mayfly.synthesis.records._sql_source import OBJECTS, select
from mayfly.synthesis.records._sql_text import INDENT, clause, free_name, identifier, joined, literal
from mayfly.synthesis.records._sql_values import Sort

Answer = Literal["value", "values", "groups", "rows", "column", "picked"]


class Output(NamedTuple):
    """A column of the result: what the answer calls it, and what it holds; JSON has to be decoded."""

    name: str
    sort: Sort
    nullable: bool = True
    json: bool = False


class Term(NamedTuple):
    """What rows are sorted by."""

    sql: str
    descending: bool = False


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement, the kind of answer that is made of its rows, and their columns, of which the first may be *keys*.

    *named* says that the columns of the result are called as those of the answer; *backward* that the rows come from
    the last to the first; *whole* that all of the input is read.
    """

    sql: str
    answer: Answer
    outputs: Sequence[Output]
    keys: int = 0
    named: bool = True
    backward: bool = False
    whole: bool = True


class StatementWriter:
    """Write the statement of one query."""

    def __init__(self, found: Format, query: Query, rows: Rows) -> None:
        self.found, self.query, self.rows, self.values = found, query, rows, rows.values
        self.taken: list[str] = []
        self.named = True

    def write(self) -> Statement:
        """Return the statement."""
        found = self._picked() if self.query.pick else self._measured() if self.query.measures else self._listed()
        return replace(found, named=self.named)

    # Parts.

    def _where(self) -> list[str]:
        where = self.query.where if self.query.items is None else None
        found = [*self.rows.where, *([self.values.condition(where)] if where else [])]
        partial = [self.query.keys[at] for at in partial_keys(self.query.keys, self.values.fields)]
        return [*found, *(f"{self.values.value(of)} IS NOT NULL" for of in partial)]

    def _alias(self, title: str) -> str:
        self.taken.append(free_name(title, self.taken))
        self.named = self.named and self.taken[-1] == title
        return identifier(self.taken[-1])

    def _assembled(self, statement: str, *, tally: bool = False) -> str:
        """Put the tables before a statement; with *tally* count its rows."""
        if tally:
            statement = f"SELECT count(*)\nFROM (\n{textwrap.indent(statement, INDENT)}\n)"
        return "\n".join([*([f"WITH {', '.join(self.rows.tables)}"] if self.rows.tables else []), statement])

    def _end(self, terms: Sequence[Term]) -> list[str]:
        """Return the order and how many rows are left; the last ones are taken from the end, backwards."""
        query, backward = self.query, self.query.last is not None
        order = [
            f"{sql}{' DESC' if descending != backward else ''}{' NULLS FIRST' if backward else ''}"
            for sql, descending in terms
        ]
        found = [clause("ORDER BY", order)] if order else []
        if query.last is not None:
            return [*found, f"LIMIT {query.last}"]
        found += [f"LIMIT {query.limit}"] if query.limit is not None else []
        return [*found, *([f"OFFSET {query.skip}"] if query.skip else [])]

    # Measures.

    def _measured(self) -> Statement:
        query, measures = self.query, self._measures()
        found = [measures.measured(one) for one in query.measures]
        if not query.keys:
            items = [f"{measures.finished(one)} AS {self._alias(name)}" for one, name in self._labelled(found)]
            outputs = [Output(name, *_shown(query, one)) for one, name in self._labelled(found)]
            sql = self._assembled(select(items, self.values.table, self._where()))
            return Statement(sql=sql, answer="value" if len(items) == 1 else "values", outputs=outputs)
        return self._grouped(measures, found)

    def _measures(self) -> Measures:
        return Measures(self.query, self.values)

    def _labelled(self, found: Sequence[Measured]) -> list[tuple[Measured, str]]:
        return list(zip(found, labels(self.query), strict=True))

    def _grouped(self, measures: Measures, found: list[Measured]) -> Statement:
        query = self.query
        known = [one.sql for one in found if one.nullable]
        # A group of which nothing is known is none: nobody's average is asked for.
        having = [joined("OR", [f"{sql} IS NOT NULL" for sql in known])] if len(known) == len(found) else []
        if query.of_total:
            whole = f"nullif(sum({found[0].sql}) OVER (), 0)"
            found[0] = Measured(sql=f"100 * {found[0].sql} / {whole}", sort="float", nullable=True, worked=True)
        keys = [self.values.value(of) for of in query.keys]
        names = [self._alias(title_of(of)) for of in query.keys]
        named = [(measures.finished(one), self._alias(name)) for one, name in self._labelled(found)]
        items = [*(_as(key, name) for key, name in zip(keys, names, strict=True)), *(_as(*one) for one in named)]
        parts = [select(items, self.values.table, self._where()), clause("GROUP BY", self._group_keys(keys, names))]
        parts += self._having(having, found[0].sql)
        if query.tally:
            sql = self._assembled("\n".join(parts), tally=True)
            return Statement(sql=sql, answer="value", outputs=[Output("count", "int", nullable=False)])
        parts += self._end(self._group_terms(names, [name for _, name in named], found))
        return Statement(
            sql=self._assembled("\n".join(parts)),
            answer="groups" if self._is_plain() else "rows",
            outputs=[
                *(Output(title_of(of), self.values.sort(of)) for of in query.keys),
                *(Output(name, *_shown(query, one)) for one, name in self._labelled(found)),
            ],
            keys=len(keys),
            backward=query.last is not None,
        )

    def _group_terms(self, keys: Sequence[str], measures: Sequence[str], found: Sequence[Measured]) -> list[Term]:
        """Return what groups are sorted by: as asked, then by all keys; numbers as before rounding."""
        query = self.query
        rounded = query.digits is not None or query.scale is not None
        ranks = [one.sql for one in found] if rounded else measures
        asked = [
            Term(ranks[one.by] if isinstance(one.by, int) else keys[query.keys.index(one.by)], one.descending)
            for one in query.order
        ]
        return [*asked, *(Term(key) for key in keys if key not in [term.sql for term in asked])]

    def _group_keys(self, keys: Sequence[str], names: Sequence[str]) -> list[str]:
        """Return what rows are grouped by: names, but for those that a column of the rows has as well."""
        columns = {one.casefold() for source in self.rows.sources for one in source.names.values()}
        return [key if name.strip('"').casefold() in columns else name for key, name in zip(keys, names, strict=True)]

    def _having(self, known: Sequence[str], first: str) -> list[str]:
        """Return the conditions on groups; one on a share of the total stands behind the sums over all groups."""
        query = self.query
        test = f"{first} {query.having[0]} {literal(query.having[1])}" if query.having else ""
        late = test if query.of_total else ""
        tests = known if late or not test else [test]
        return [*([f"HAVING {joined('AND', tests)}"] if tests else []), *([f"QUALIFY {late}"] if late else [])]

    def _is_plain(self) -> bool:
        """Say whether groups go by the text of their only key."""
        query = self.query
        return len(query.keys) == 1 and not query.order and query.limit is None and query.last is None

    def _output(self, of: Expression, name: str = "") -> Output:
        json = isinstance(of, Column) and bool(self.values.held(of).json)
        return Output(name or title_of(of), self.values.sort(of), json=json)

    # Records.

    def _shown(self) -> tuple[list[str], list[Output]]:
        """Return what is selected of records, and what it is called."""
        query, names = self.query, dict(self.query.renamed)
        if query.columns:
            return [self._as_shown(of, title_of(of)) for of in query.columns], [
                self._output(of) for of in query.columns
            ]
        plain = is_plain(self.found) and not query.added
        changed = query.added or query.renamed or query.dropped
        if query.lines or plain or (self.found.kind in OBJECTS and not changed):
            return ["line"], [Output("line", "text", nullable=False, json=self.found.kind in OBJECTS)]
        titles = [one.title for one in self.rows.fields if one.title and one.title not in query.dropped]
        items = [self._as_shown(Column(name=title), names.get(title, title)) for title in titles]
        outputs = [self._output(Column(name=title), names.get(title, title)) for title in titles]
        measures = Measures(query, self.values)
        for one in query.added:
            sort = self.values.sort(one.of)
            measured = Measured(sql=self.values.value(one.of), sort=sort, nullable=True, worked=sort == "float")
            items.append(_as(measures.finished(measured), self._alias(one.name)))
            outputs.append(Output(one.name, *_shown(query, measured)))
        return items, outputs

    def _as_shown(self, of: Expression, title: str) -> str:
        json = self.values.held(of).json if isinstance(of, Column) else ""
        return _as(json or self.values.value(of), self._alias(title))

    def _listed(self) -> Statement:
        query = self.query
        items, outputs = self._shown()
        single = _is_single(query, outputs)
        terms = [Term(self.values.rank(one.by), one.descending) for one in query.order if not isinstance(one.by, int)]
        terms = [term for term in terms if term.sql != "NULL"]
        where, parts = self._where(), []
        if query.unique:
            values = [item.rpartition(" AS ")[0] or item for item in items]
            where += [f"{values[0]} IS NOT NULL"] if len(query.columns) == 1 else []
            first = ", ".join([*map(_sorted_by, terms), "position"])
            parts = [f"QUALIFY row_number() OVER (PARTITION BY {', '.join(values)} ORDER BY {first}) = 1"]
        if query.order or query.unique or query.last is not None or is_shuffled(query):
            terms.append(Term("position"))
        statement = "\n".join([select(items, self.values.table, where), *parts, *self._end(terms)])
        if query.tally:
            sql = self._assembled(statement, tally=True)
            return Statement(sql=sql, answer="value", outputs=[Output("count", "int", nullable=False)])
        return Statement(
            sql=self._assembled(statement),
            answer="column" if single else "rows",
            outputs=outputs,
            backward=query.last is not None,
            whole=bool(terms) or query.limit is None,
        )

    def _picked(self) -> Statement:
        """Take some records of each group; these go by a single key, unless only doubles are left out."""
        query, pick = self.query, self.query.pick
        assert pick is not None
        keyed = len(query.keys) == 1 and not query.unique
        keys = [self.values.value(of) for of in query.keys]
        before = [_as(keys[0], self._alias("key"))] if keyed else []
        items, outputs = self._shown()
        rank = [Term(self.values.rank(pick.by), pick.descending)] if pick.by is not None else []
        order = [*rank, Term("position")]
        taken = [Term("position", descending=True)] if pick.last and pick.by is None else order
        group = f"PARTITION BY {', '.join(keys)}"
        test = f"row_number() OVER ({group} ORDER BY {', '.join(map(_sorted_by, taken))}) <= {pick.number}"
        given = f" AND {rank[0].sql} IS NOT NULL" if rank else ""
        terms = [_sorted_by(one) for one in order]
        place = [keys[0]] if keyed else [f"min(position) OVER ({group})"]
        parts = [
            select([*before, *items], self.values.table, self._where()),
            f"QUALIFY {test}{given}",
            clause("ORDER BY", [*place, *terms]),
        ]
        return Statement(
            sql=self._assembled("\n".join(parts)),
            answer="picked" if keyed else "column" if _is_single(query, outputs) else "rows",
            outputs=[*([self._output(query.keys[0])] if keyed else []), *outputs],
            keys=int(keyed),
        )


def _is_single(query: Query, outputs: Sequence[Output]) -> bool:
    """Say whether records are shown as single values: those of a column, or whole lines."""
    return len(outputs) == 1 and not query.added and (bool(query.columns) or outputs[0].name == "line")


def _sorted_by(term: Term) -> str:
    return f"{term.sql} DESC" if term.descending else term.sql


def _as(value: str, name: str) -> str:
    return value if value == name else f"{value} AS {name}"


def _shown(query: Query, one: Measured) -> tuple[Sort, bool]:
    return ("float" if query.scale and one.sort == "int" else one.sort), one.nullable
