"""The host and the program give the same for every part of a query: conditions, parts of values, measures, orders."""

from datetime import datetime

import pytest

from mayfly.language._moments import Span
from mayfly.language.question import (
    TIME_PARTS,
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Constant,
    Measure,
    Missing,
    Named,
    Not,
    Or,
    Order,
    PartOf,
    Pick,
    Query,
    Recent,
    Repeated,
)
from mayfly.synthesis.records._detect import detect
from mayfly.synthesis.records._evaluate import evaluate

from .agreement import check, read
from .shapes import KINDS

LINES = KINDS["access"]
FOUND = detect(LINES)
IP, PATH, STATUS, SIZE, TOOK = (Column(name=name) for name in ("ip", "path", "status", "size", "rt"))
WHEN, REFERER = Column(name="timestamp"), Column(name="referer")
COUNT = Measure(function="count")
SUM = Measure(function="sum", of=SIZE)
CONDITIONS: tuple[Condition, ...] = (
    Compare(left=STATUS, operator="=", value=404),
    Compare(left=PATH, operator="!=", value="/p1"),
    Compare(left=PATH, operator="contains", value="/P1"),
    Compare(left=PATH, operator="starts with", value="/p"),
    Compare(left=IP, operator="ends with", value=".1"),
    Compare(left=PATH, operator="in", value=("/p1", "/a b")),
    Compare(left=SIZE, operator="between", value=(50, 200)),
    Compare(left=SIZE, operator=">=", value=STATUS),
    Compare(left=WHEN, operator="during", value=Span(datetime(2025, 3, 1, 10), datetime(2025, 3, 1, 20))),
    Recent(of=WHEN, seconds=7200),
    Repeated(of=(IP, STATUS)),
    Missing(of=SIZE),
    Not(of=Compare(left=SIZE, operator="<", value=100)),
    And(of=(Compare(left=STATUS, operator="=", value=200), Compare(left=SIZE, operator=">", value=100))),
    Or(of=(Compare(left=STATUS, operator="=", value=500), Missing(of=SIZE))),
    Compare(left=Arithmetic(sign="*", left=TOOK, right=Constant(value=2)), operator=">", value=1),
)


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_conditions(condition: Condition) -> None:
    check(FOUND, Query(where=condition), LINES)
    check(FOUND, Query(where=condition, measures=(COUNT,)), LINES)
    check(FOUND, Query(keys=(STATUS,), measures=(Measure(function="share", where=condition),)), LINES)


@pytest.mark.parametrize("part", [*TIME_PARTS, "length", "small letters"])
def test_parts_of_values(part: str) -> None:
    of = WHEN if part in TIME_PARTS else PATH
    check(FOUND, Query(keys=(PartOf(part=part, of=of),), measures=(COUNT,)), LINES)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "measure",
    [
        *(Measure(function=name, of=SIZE) for name in ("sum", "mean", "median", "stdev", "min", "max", "range")),
        *(Measure(function=name, of=PATH) for name in ("first", "last", "unique", "mode")),
        *(Measure(function=name, of=WHEN) for name in ("min", "max", "range")),
        Measure(function="percentile", of=SIZE, at=90),
        Measure(function="ratio", of=SIZE, per=STATUS),
        Measure(function="share", of=IP, where=Compare(left=STATUS, operator="=", value=404)),
        Measure(function="sum", of=Arithmetic(sign="/", left=SIZE, right=TOOK)),
    ],
    ids=str,
)
def test_measures(measure: Measure) -> None:
    check(FOUND, Query(measures=(measure,)), LINES)
    check(FOUND, Query(measures=(measure, COUNT), digits=1), LINES)
    check(FOUND, Query(keys=(STATUS,), measures=(measure,)), LINES)
    check(
        FOUND, Query(keys=(IP,), measures=(COUNT, measure), order=(Order(by=0), Order(by=IP, descending=True))), LINES
    )


@pytest.mark.parametrize(
    "query",
    [
        Query(keys=(IP,), measures=(SUM,), having=(">", 500)),
        Query(keys=(IP,), measures=(SUM,), of_total=True, digits=1),
        Query(keys=(IP,), measures=(SUM,), scale=("KB", 1000.0)),
        Query(keys=(IP,), measures=(COUNT,), tally=True),
        Query(keys=(IP,), measures=(COUNT,), order=(Order(by=0, descending=True),), limit=2, skip=1),
        Query(keys=(IP, STATUS), measures=(COUNT,), order=(Order(by=0),), last=3),
        Query(keys=(STATUS,), pick=Pick(number=2, by=SIZE, descending=True)),
        Query(keys=(STATUS,), pick=Pick(number=1, last=True)),
        Query(keys=(IP, STATUS), pick=Pick(number=1)),
        Query(keys=(IP,), unique=True, pick=Pick(number=1, last=True)),
        Query(order=(Order(by=SIZE, descending=True),), limit=5),
        Query(columns=(IP, PATH), unique=True),
        Query(columns=(PATH,), unique=True, last=2),
        Query(columns=(IP, STATUS), unique=True, tally=True),
        Query(added=(Named(name="half", of=Arithmetic(sign="/", left=SIZE, right=Constant(value=2))),)),
        Query(renamed=(("ip", "from"),), dropped=("referer", "user_agent")),
    ],
    ids=str,
)
def test_groups_and_records(query: Query) -> None:
    check(FOUND, query, LINES)


def test_shares_of_recent_records_go_by_the_newest_of_all() -> None:
    table = read(LINES)
    recent = Measure(function="share", where=Recent(of=WHEN, seconds=1))
    found = evaluate(Query(keys=(STATUS,), measures=(recent,)), table.rows, table.fields).value
    assert isinstance(found, dict)
    assert sorted(share > 0 for share in found.values()) == [False, False, True]
