"""The notation of readings: whatever a query is, what is told of it is read back as the same query."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mayfly.language._moments import Span
from mayfly.language.question import (
    And,
    Arithmetic,
    Column,
    Compare,
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
    Unreadable,
    parse_reading,
    tell,
)

NAMES = ["amount", "created at", "count", "by", "first name", "a]b", "Größe", "user.id", "%CPU", "Rate (EUR)", "line"]
columns = st.sampled_from(NAMES).map(lambda name: Column(name=name))
texts = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8
)
numbers = st.integers(-1000, 1000) | st.floats(-100, 100, allow_nan=False).map(lambda value: round(value, 3))
scalars = texts.filter(lambda text: text == text.strip()) | numbers | st.booleans()
moments = st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)).map(lambda when: when.replace(microsecond=0))
expressions = st.one_of(
    columns,
    st.builds(
        lambda of, part: PartOf(part=part, of=of), columns, st.sampled_from(["hour", "weekday", "domain", "length"])
    ),
    st.builds(lambda a, b, sign: Arithmetic(sign=sign, left=a, right=b), columns, columns, st.sampled_from("+-*/")),
    st.builds(lambda a, n: Arithmetic(sign="*", left=a, right=Constant(value=n)), columns, st.integers(0, 99)),
)
simple = st.one_of(
    st.builds(
        lambda of, op, v: Compare(left=of, operator=op, value=v), expressions, st.sampled_from(["=", "!="]), scalars
    ),
    st.builds(
        lambda of, op, v: Compare(left=of, operator=op, value=v), expressions, st.sampled_from(["<", ">="]), numbers
    ),
    st.builds(
        lambda of, v: Compare(left=of, operator="contains", value=v), columns, texts.filter(lambda t: t == t.strip())
    ),
    st.builds(
        lambda of, v: Compare(left=of, operator="in", value=tuple(v)),
        columns,
        st.lists(scalars, min_size=2, max_size=3),
    ),
    st.builds(lambda of, a, b: Compare(left=of, operator="between", value=(a, b)), columns, numbers, numbers),
    st.builds(lambda of, a, b: Compare(left=of, operator="during", value=Span(a, b)), columns, moments, moments),
    st.builds(lambda of, other: Compare(left=of, operator=">", value=other), columns, columns),
    st.builds(lambda of: Missing(of=of), expressions),
    st.builds(lambda of, n: Recent(of=of, seconds=n), columns, st.integers(1, 10**6)),
    st.builds(lambda of: Repeated(of=(of,)), columns),
)
conditions = st.recursive(
    simple,
    lambda inner: st.one_of(
        inner.map(lambda one: Not(of=one)),
        st.lists(inner.filter(lambda one: not isinstance(one, And)), min_size=2, max_size=3).map(
            lambda of: And(of=tuple(of))
        ),
        st.lists(inner.filter(lambda one: not isinstance(one, Or)), min_size=2, max_size=3).map(
            lambda of: Or(of=tuple(of))
        ),
    ),
    max_leaves=4,
)
measures = st.one_of(
    st.just(Measure(function="count")),
    st.builds(
        lambda of, name: Measure(function=name, of=of), expressions, st.sampled_from(["sum", "mean", "unique", "mode"])
    ),
    st.builds(lambda of, at: Measure(function="percentile", of=of, at=float(at)), expressions, st.integers(1, 99)),
    st.builds(lambda where, of: Measure(function="share", of=of, where=where), conditions, st.none() | expressions),
    st.builds(lambda of, per: Measure(function="ratio", of=of, per=per), expressions, expressions),
)
queries = st.one_of(
    st.builds(
        lambda made, keys, where, limit, down: Query(
            measures=tuple(made),
            keys=tuple(keys),
            where=where,
            order=(Order(by=0, descending=down),) if keys else (),
            limit=limit if keys else None,
        ),
        st.lists(measures, min_size=1, max_size=2),
        st.lists(expressions, max_size=2, unique=True),
        st.none() | conditions,
        st.none() | st.integers(1, 20),
        st.booleans(),
    ),
    st.builds(
        lambda shown, unique, order, skip, where: Query(
            columns=tuple(shown),
            unique=unique,
            order=tuple(Order(by=of, descending=True) for of in order),
            skip=skip,
            limit=5,
            where=where,
        ),
        st.lists(expressions, max_size=3),
        st.booleans(),
        st.lists(expressions, max_size=2),
        st.integers(0, 5),
        st.none() | conditions,
    ),
    st.builds(
        lambda by, keys, number: Query(pick=Pick(number=number, by=by, descending=True), keys=tuple(keys)),
        expressions,
        st.lists(expressions, min_size=1, max_size=2),
        st.integers(1, 5),
    ),
    st.builds(
        lambda of: Query(added=(Named(name="new one", of=of),), renamed=(("by", "who"),), dropped=("count",)),
        expressions,
    ),
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(queries)
def test_what_is_told_is_read_back(query: Query) -> None:
    assert parse_reading(tell(query), NAMES) == query


@pytest.mark.parametrize(
    ("reading", "told"),
    [
        ("count where staus = paid", "no column 'staus'"),
        ("count, by", "expected a name at character 10"),
        ("sum amount", "expected"),
        ("records, first x", "expected a number at character 16"),
        ("count where amount", "expected a comparison"),
        ("", "expected"),
    ],
)
def test_a_reading_with_a_mistake_says_where(reading: str, told: str) -> None:
    with pytest.raises(Unreadable, match=told):
        parse_reading(reading, ["amount", "status"])
