"""Write what shows rows: whole or in part, sorted, each once, some of each group."""

from __future__ import annotations

from mayfly.language.question import Column, Expression, Query, Recent, Repeated, walk
from mayfly.synthesis.records._labels import title_of
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._source import Source, literal
from mayfly.synthesis.records._write_conditions import ConditionWriter
from mayfly.synthesis.records._write_parts import pass_elsewhere, slice_of, write_finished, write_group_of
from mayfly.synthesis.records._write_read import OBJECTS
from mayfly.synthesis.records._write_values import ValueWriter


class RowWriter:
    """Write what is done with the rows of one format for one query."""

    def __init__(
        self, found: Format, query: Query, source: Source, values: ValueWriter, conditions: ConditionWriter
    ) -> None:
        self.found, self.query, self.source, self.values, self.conditions = found, query, source, values, conditions

    def items(self, stream: str) -> str:
        """Write `single`, which makes a row of each item of a list, and return its call."""
        assert self.query.items is not None
        name = literal(self.query.items.name)
        self.values.use("items")
        body = ["for row in found:", f"    for item in items(row, {name}):", f"        yield {{**row, {name}: item}}"]
        self.source.function(
            "def single(found: Iterable[Row]) -> Iterator[Row]:", "Yield a row for each item of a list.", body
        )
        return f"single({stream})"

    def later(self, stream: str) -> str:
        """Write `chosen`, which decides about rows when all of them are there, and return its call."""
        where = self.query.where
        assert where is not None
        parts = list(walk(where))
        body = ["held = list(found)"]
        more: list[str] = []
        given: list[str] = []
        for part in parts:
            if isinstance(part, Recent):
                self.source.datetime.add("timedelta")
                self.source.datetime.add("datetime")
                moment = self.values.moment(part.of)  # type: ignore[arg-type]
                body += [
                    f"moments = [when for row in held if (when := {moment}) is not None]",
                    f"since = max(moments) - timedelta(seconds={part.seconds}) if moments else datetime.max",
                ]
                more, given = [*more, "since: datetime"], [*given, "since"]
            elif isinstance(part, Repeated):
                self._identity(part)
                body += [
                    "counts: dict[str, int] = {}",
                    "for row in held:",
                    "    name = identity(row)",
                    "    counts[name] = counts.get(name, 0) + 1",
                ]
                more, given = [*more, "counts: dict[str, int]"], [*given, "counts"]
                self.values.use("missing")
        self.conditions.write("wanted", where, "Whether a row is one of those asked for.", *dict.fromkeys(more))
        call = ", ".join(("row", *dict.fromkeys(given)))
        body += [
            f"kept = [row for row in held if wanted({call})]",
            "account.used -= len(held) - len(kept)",
            "account.filtered += len(held) - len(kept)",
            "return kept",
        ]
        self.source.function(
            "def chosen(found: Iterable[Row], account: Account) -> list[Row]:",
            "Return the rows asked for, which only all of them together tell.",
            body,
        )
        return f"chosen({stream}, account)"

    def _identity(self, part: Repeated) -> None:
        held = ", ".join(map(self.values.value, part.of)) if part.of else 'row.get("")'
        body = [f"return repr([{held}])"]
        self.source.function("def identity(row: Row) -> str:", "Return what has to be the same in two rows.", body)

    def _shown(self) -> str:
        """Write `shown`, which makes a piece of the answer of a row, and return its call."""
        query = self.query
        if query.columns:
            value = self.values.value(query.columns[0])
            if len(query.columns) > 1 or query.added:
                value = (
                    "{" + ", ".join(f"{literal(title_of(of))}: {self.values.value(of)}" for of in query.columns) + "}"
                )
        elif query.lines or (self.found.kind == "plain" and not query.added):
            value = 'row.get("")'
        else:
            value = self._record()
        self.source.function("def shown(row: Row) -> object:", "Return what is shown of a row.", [f"return {value}"])
        return "shown(row)"

    def _record(self) -> str:
        query = self.query
        names = dict(query.renamed)
        kept = [field.title for field in self.found.fields if field.title not in query.dropped]
        if self.found.kind in OBJECTS and not (query.renamed or query.dropped or query.added):
            return 'row.get("")'
        pairs = [f"{literal(names.get(title, title))}: {self.values.value(Column(name=title))}" for title in kept]
        if query.added:
            write_finished(self.source, query)
        pairs += [f"{literal(one.name)}: finished({self.values.value(one.of)})" for one in query.added]
        return "{" + ", ".join(pairs) + "}"

    def listed(self, stream: str) -> tuple[list[str], bool]:
        """Return the body that shows rows, and whether it yields them piece by piece."""
        query = self.query
        call = self._shown()
        held = stream
        for order in reversed(query.order):
            held = self._ordered(held, order.by, order.descending)  # type: ignore[arg-type]
        single = query.unique and len(query.columns) == 1
        if query.unique:
            unless = ["    if value is None:", "        continue"] if single else []
            body = [
                "seen: set[str] = set()",
                "for row in found:",
                f"    value = {call}",
                *unless,
                "    name = repr(value)",
                "    if name not in seen:",
                "        seen.add(name)",
                "        yield value",
            ]
            self.source.function(
                "def once(found: Iterable[Row]) -> Iterator[object]:",
                "Yield what is shown of the rows, each once.",
                body,
            )
        pieces = f"once({held})" if query.unique else f"(shown(row) for row in {held})"
        cut = slice_of(query)
        if query.tally:
            return [f"value = list({pieces}){cut}", 'return {"value": len(value), "account": account.told()}'], False
        if cut and (query.order or query.last is not None):
            return [f"yield from list({pieces}){cut}", 'yield {"account": account.told()}'], True
        if cut:
            # The rest is read too: what follows is part of the account.
            stop = "" if query.limit is None else f" and place < {query.skip + query.limit}"
            test = f"place >= {query.skip}{stop}" if query.skip else f"place < {query.limit}"
            body = [f"for place, value in enumerate({pieces}):", f"    if {test}:", "        yield value"]
            return [*body, 'yield {"account": account.told()}'], True
        return [f"yield from {pieces}", 'yield {"account": account.told()}'], True

    def _ordered(self, stream: str, by: Expression, descending: bool) -> str:
        self.values.use("sort_key")
        number = sum(name.startswith("def ordered") for name in self.source.blocks) + 1
        name = "ordered" if number == 1 else f"ordered_{number}"
        down = ", reverse=True" if descending else ""
        body = [
            "held = list(found)",
            f"given = [row for row in held if {self.values.rank(by)} is not None]",
            f"rest = [row for row in held if {self.values.rank(by)} is None]",
            f"return sorted(given, key=lambda row: sort_key({self.values.rank(by)}){down}) + rest",
        ]
        self.source.function(
            f"def {name}(found: Iterable[Row]) -> list[Row]:", "Sort rows; those without a value come last.", body
        )
        return f"{name}({stream})"

    def picked(self, stream: str) -> list[str]:
        """Return the body that shows some rows of each group."""
        query, pick = self.query, self.query.pick
        assert pick is not None
        self.values.use("key_text")
        write_group_of(self.source, self.values, query)
        self._shown()
        taken = f"held[-{pick.number} :]" if pick.last else f"held[:{pick.number}]"
        if pick.by is not None:
            self.values.use("sort_key")
            down = ", reverse=True" if pick.descending else ""
            rank = self.values.rank(pick.by)
            body = [
                f"given = [row for row in held if {rank} is not None]",
                f"return sorted(given, key=lambda row: sort_key({rank}){down})[:{pick.number}]",
            ]
            self.source.function(
                "def first_of(held: list[Row]) -> list[Row]:", "Return the rows of a group that are wanted.", body
            )
            taken = "first_of(held)"
        lines = [
            "groups: dict[str, tuple[list[object], list[Row]]] = {}",
            f"for row in {stream}:",
            "    key = group_of(row)",
            *pass_elsewhere(query, self.values),
            "    groups.setdefault(repr(key), (key, []))[1].append(row)",
            "found: dict[str, list[object]] = {}",
            "for key, held in groups.values():",
            f"    taken = {taken}",
            "    if taken:",
            '        found.setdefault(" / ".join(map(key_text, key)), []).extend(map(shown, taken))',
        ]
        if query.unique or len(query.keys) != 1:
            return [
                *lines[:6],
                *[line.replace("taken", "picked") for line in lines[6:]],
                "value = [one for many in found.values() for one in many]",
                'return {"value": value, "account": account.told()}',
            ]
        shown = "many[0]" if pick.number == 1 else "many"
        return [
            *lines,
            f"value = {{name: {shown} for name, many in sorted(found.items())}}",
            'return {"value": value, "account": account.told()}',
        ]
