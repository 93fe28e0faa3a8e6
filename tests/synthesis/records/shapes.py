"""The shapes of programs that questions about data are answered by, as `mypy` has to pass them.

Run as a program it writes the list that the types gate goes by: python -m synthesis.records.shapes, in tests/.
"""

from collections.abc import Iterator, Sequence

from mayfly.gates.types._shapes import SHAPES, shape_of
from mayfly.language.question import Column, Measure, Order, Pick, Query
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._sql_program import is_native, write_question
from mayfly.synthesis.records._sql_spool import written

from .agreement import lines, queries
from .samples import every_kind

KINDS: dict[str, list[object]] = {
    **every_kind(),
    **{name: list(lines(name)) for name in ("access.log", "app.log", "orders.csv", "events.jsonl")},
}


def programs(items: Sequence[object]) -> Iterator[str]:
    """Yield programs for questions of every form about some lines or objects."""
    found = detect(items)
    for query in (*queries(found), *_grouped(found)):
        if not query.lines:
            yield write_question(found if is_native(found, query) else written(found), query).source


def _grouped(found: Format) -> Iterator[Query]:
    """Yield questions about groups: one number or several for each, some of them in order, some records of each."""
    columns = [Column(name=one.title) for one in found.fields if one.kind != "list"]
    numbers = [Column(name=one.title) for one in found.fields if one.numeric]
    count = Measure(function="count")
    for key in columns:
        yield Query(keys=(key,), measures=(count,), order=(Order(by=0, descending=True),), limit=3)
        yield Query(keys=(key,), pick=Pick(number=1))
        yield Query(keys=(key,), pick=Pick(number=2))
        yield Query(keys=(key,), pick=Pick(number=1), columns=(key,))
        yield Query(keys=(key,), measures=(count,), tally=True)
        for of in numbers:
            for name in ("sum", "mean", "max"):
                one = Measure(function=name, of=of)
                yield Query(measures=(one,))
                yield Query(keys=(key,), measures=(one,))
                yield Query(keys=(key,), measures=(count, one))
                yield Query(keys=(key,), measures=(one, Measure(function="min", of=of)))
                yield Query(measures=(count, one))
        for other in columns:
            yield Query(keys=(key, other), measures=(count,))
            yield Query(keys=(key,), measures=(Measure(function="first", of=other),))
            yield Query(keys=(key,), pick=Pick(number=1, by=other, descending=True))


def every_program() -> dict[str, str]:
    """Return a program for each shape."""
    found: dict[str, str] = {}
    for items in KINDS.values():
        for source in programs(items):
            found.setdefault(shape_of(source), source)
    return found


if __name__ == "__main__":
    SHAPES.write_text("".join(f"{shape}\n" for shape in sorted(every_program())), encoding="ascii")
