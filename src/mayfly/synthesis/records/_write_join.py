"""Write a program for two inputs: each is read by itself, then their rows are put side by side."""

from __future__ import annotations

from mayfly.language.question import Query, columns_of
from mayfly.synthesis.records._join import Joined
from mayfly.synthesis.records._source import block, literal
from mayfly.synthesis.records._write_conditions import needs_all
from mayfly.synthesis.records._write_program import ProgramParts, Written, shows_records
from mayfly.synthesis.records._write_read import write_reader, write_rows

_SIDES = "side_by_side(rows(FIRST, account), rows_second(SECOND, other))"
_COUNTED = "def counted(found: Iterable[Row], account: Account) -> Iterator[Row]:"


def write_join(joined: Joined, query: Query) -> Written:
    """Return a program that answers *query* for two inputs, given as a list of both."""
    return _JoinWriter(joined, query).write()


class _JoinWriter:
    """Hold a program for two inputs while it is being written."""

    def __init__(self, joined: Joined, query: Query) -> None:
        self.joined, self.parts = joined, ProgramParts(joined.table.format, query)
        self.source = self.parts.source

    def write(self) -> Written:
        """Return the program."""
        query, joined, parts = self.parts.query, self.joined, self.parts
        names = set(parts.values.fields) if shows_records(joined.table.format, query) else set(columns_of(query))
        first = [one for one in joined.first.format.fields if one.title in names | {joined.join.left}]
        wanted = {joined.join.right, *(old for new, old in joined.renamed.items() if new in names)}
        second = [one for one in joined.second.format.fields if one.title in wanted]
        write_reader(self.source, joined.first.format, first, line=False)
        write_rows(self.source, joined.first.format, wanted=False)
        write_reader(self.source, joined.second.format, second, line=False, name="read_second")
        write_rows(self.source, joined.second.format, wanted=False, name="rows_second", read="read_second")
        self._side_by_side(names)
        stream = self._filtered(parts.rows.items(_SIDES) if query.items is not None else _SIDES)
        return self._finish(*parts.answer(stream))

    def _side_by_side(self, names: set[str]) -> None:
        """Write `side_by_side`, which puts rows of both inputs together by a column."""
        joined, join = self.joined, self.joined.join
        self.parts.values.use("key_text")
        shown = {new: old for new, old in joined.renamed.items() if new in names}
        beside = ", ".join(f"{literal(new)}: one.get({literal(old)})" for new, old in shown.items())
        body = [
            "partners: dict[str, list[Row]] = {}",
            "for one in second:",
            f"    if one.get({literal(join.right)}) is not None:",
            f"        partners.setdefault(key_text(one[{literal(join.right)}]), []).append(one)",
            "for row in first:",
            f"    held = row.get({literal(join.left)})",
            "    found = [] if held is None else partners.get(key_text(held), [])",
        ]
        if join.kind == "anti":
            body += ["    if not found:", "        yield row"]
        else:
            body += [
                "    for one in found:",
                f"        yield {{**row, {beside}}}" if beside else "        yield {**row}",
            ]
        if join.kind == "left":
            empty = ", ".join(f"{literal(new)}: None" for new in shown)
            body += ["    if not found:", f"        yield {{**row, {empty}}}" if empty else "        yield {**row}"]
        head = "def side_by_side(first: Iterable[Row], second: Iterable[Row]) -> Iterator[Row]:"
        self.source.function(head, "Yield rows of the first input with those of the second that belong to them.", body)

    def _filtered(self, stream: str) -> str:
        """Write `counted`, which filters the joined rows and counts those instead of the first input's."""
        where = self.parts.query.where
        if where is not None and needs_all(where):
            self._count_all()
            return self.parts.rows.later(f"counted({stream}, account)")
        if where is None:
            self._count_all()
            return f"counted({stream}, account)"
        self.parts.conditions.write("wanted", where, "Whether a row is one of those asked for.")
        body = [
            "kept = left = 0",
            "for row in found:",
            "    if wanted(row):",
            "        kept += 1",
            "        yield row",
            "    else:",
            "        left += 1",
            "account.used, account.filtered = kept, left",
        ]
        self.source.function(_COUNTED, "Yield the rows asked for, and count them instead of those of one input.", body)
        return f"counted({stream}, account)"

    def _count_all(self) -> None:
        """Write `counted` where no joined row is left out."""
        body = ["kept = 0", "for row in found:", "    kept += 1", "    yield row", "account.used = kept"]
        self.source.function(_COUNTED, "Count the joined rows instead of those of one input.", body)

    def _finish(self, body: list[str], streams: bool) -> Written:
        """Put the body into the entry, which takes a list of both inputs."""
        formats = (self.joined.first.format, self.joined.second.format)
        mixed = any(one.kind == "objects" for one in formats)
        # Beside objects the lines of the other input have to be told to be texts.
        first, second = (
            f"[str(one) for one in input[{at}]]" if mixed and one.kind != "objects" else f"input[{at}]"
            for at, one in enumerate(formats)
        )
        told = [line.replace("account.told()", '{**account.told(), "second": other.told()}') for line in body]
        told = [line.replace("FIRST", first).replace("SECOND", second) for line in told]
        returned = "Iterator[object]" if streams else "dict[str, object]"
        head = f"def invoke(self, input: list[list[{'object' if mixed else 'str'}]]) -> {returned}:"
        said = "Return the answer for two inputs, and the account of every line of both."
        return self.parts.finish(block(head, said, ["account, other = Account(), Account()", *told], "    "), streams)
