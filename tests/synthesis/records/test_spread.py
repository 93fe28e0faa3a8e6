"""A question in parts: what programs give for single files, put together, is the answer for all of them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from mayfly.forge._question import agree
from mayfly.language.question import (
    Arithmetic,
    Column,
    Compare,
    Constant,
    Expression,
    Measure,
    Missing,
    Order,
    PartOf,
    Pick,
    Query,
    Recent,
    Repeated,
)
from mayfly.synthesis.records import FileLines, Proposal, Spread, Written, read_table
from mayfly.synthesis.records._proposal import formats_of

HEADER = "city,paid,qty,price,at,note"
CITIES = ("Rome", "Oslo", "", "New York", "Łódź", '"a ""b"""')
SHOPS = {
    f"2024-0{part}/shop.csv": [
        HEADER,
        *(
            f"{CITIES[(n * part) % 6]},{str(n % 3 == 0).lower()},{n if n % 7 else ''},{n * 0.1 + part:.2f},"
            f"2024-0{part}-{n % 27 + 1:02} {n % 24:02}:15:{n % 60:02},{'' if n % 4 else 'late'}"
            for n in range(1, 20 + 15 * part)
        ),
    ]
    for part in (1, 2, 3)
}
EVENTS = {
    f"{name}.jsonl": [
        json.dumps({"who": who, "size": size, "weight": weight, "tags": ["x", name]})
        for who, size, weight in (
            ("", 1, 0.1),
            (None, 2, None),
            ("ann", 10**17, 0.2),
            ("tab\t, line\nend", 3, 1e-9),
            ("ann", 10**17 + at, 5.5),
            ("sun \u2600 \U0001f600 ' \\ \"", -4, 2.25),
        )
    ]
    for at, name in enumerate(("a", "b", "c"))
}
LOGS = {
    f"{name}.log": [f"2024-03-0{n % 4 + at} 1{n % 10}:00:0{n % 7} {level} did {n}" for n in range(40)]
    for at, name, level in ((1, "a", "INFO"), (3, "b", "ERROR"))
}
CITY, PAID, QTY, PRICE, AT, NOTE, FILE = (Column(name=one) for one in (*HEADER.split(","), "file"))
WHO, SIZE, WEIGHT = (Column(name=one) for one in ("who", "size", "weight"))
COUNT = Measure(function="count")
NUMBERS = ("sum", "mean", "min", "max", "range")


def measures(*names: str, of: Expression) -> tuple[Measure, ...]:
    return tuple(Measure(function=cast("Any", name), of=of) for name in names)


def proposed(query: Query, held: Mapping[str, Sequence[str]]) -> Proposal:
    items = [FileLines(name, lines) for name, lines in held.items()]
    return Proposal(query=query, table=read_table(formats_of(items)[0], items))


def call(program: Written, argument: object, *, account: bool = False) -> object:
    space: dict[str, Any] = {"__name__": "generated"}
    exec(compile(program.source + program.account, "generated", "exec"), space)
    return space["account"](argument) if account else json.loads(json.dumps(space[program.entry](argument)))


def check(query: Query, held: Mapping[str, Sequence[str]], folder: Path) -> object:
    """Assert that parts, joined, give what the program for the whole and the host give; return it."""
    found = proposed(query, held)
    spread = found.spread
    assert isinstance(spread, Spread), spread
    paths = []
    for name, lines in held.items():
        paths.append(folder / name)
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_text("".join(f"{line}\n" for line in lines))
    rows = [row for path in paths for row in cast("list[object]", call(spread.partial, [str(path)]))]
    joined = folder / "rows.jsonl"
    joined.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    value = call(spread.joining, str(joined))
    whole = call(found.program, [*map(str, paths)])
    source = f"{spread.partial.source}\n{spread.joining.source}"
    assert agree(whole, value), f"{query}\n{whole}\n{value}\n{source}"
    assert agree(json.loads(json.dumps(found.answer.value)), value), source
    account = cast("dict[str, object]", call(spread.joining, str(joined), account=True))
    assert (account["used"], account["lines"]) == (len(rows), len(rows))
    for path in paths:
        told = [call(one, str(path), account=True) for one in (spread.partial, found.program)]
        assert told[0] == told[1]
    return value


@pytest.mark.parametrize(
    "query",
    [
        Query(measures=(COUNT,)),
        *(Query(measures=measures(name, of=of)) for name in NUMBERS for of in (QTY, PRICE)),
        *(Query(measures=measures("min", "max", of=of)) for of in (CITY, AT)),
        Query(measures=measures("range", of=AT)),
        Query(measures=measures(*NUMBERS, of=QTY), keys=(CITY,)),
        Query(measures=(Measure(function="ratio", of=QTY, per=PRICE),)),
        Query(measures=(Measure(function="ratio", of=QTY, per=PRICE),), keys=(PAID,)),
        Query(measures=(Measure(function="share", where=Compare(left=PAID, operator="=", value=True)),)),
        Query(measures=(Measure(function="share", where=Missing(of=NOTE)),), keys=(CITY,), digits=1),
        Query(measures=measures("sum", of=Arithmetic(sign="*", left=QTY, right=PRICE)), keys=(CITY,)),
        Query(measures=measures("mean", of=Arithmetic(sign="*", left=QTY, right=Constant(value=3))), digits=2),
        Query(measures=(COUNT, COUNT), keys=(CITY,)),
        Query(measures=(COUNT,), where=Compare(left=PRICE, operator=">", value=1000)),
        Query(measures=measures("sum", "mean", of=QTY), where=Compare(left=PRICE, operator=">", value=1000)),
    ],
)
def test_every_measure_is_the_same_from_parts(query: Query, tmp_path: Path) -> None:
    check(query, SHOPS, tmp_path)


@pytest.mark.parametrize(
    "keys",
    [
        (CITY,),
        (PAID,),
        (QTY,),
        (PRICE,),
        (AT,),
        (NOTE,),
        (FILE,),
        (CITY, FILE),
        (PAID, QTY, CITY),
        (Arithmetic(sign="/", left=QTY, right=Constant(value=2)),),
        *((PartOf(part=part, of=AT),) for part in ("hour", "date", "month", "weekday", "hour of day", "year")),
        (PartOf(part="length", of=CITY),),
    ],
)
def test_groups_of_every_kind_are_the_same_from_parts(keys: tuple[Expression, ...], tmp_path: Path) -> None:
    check(Query(measures=(COUNT, *measures("sum", of=QTY)), keys=keys), SHOPS, tmp_path)
    check(Query(measures=measures("mean", of=PRICE), keys=keys, order=(Order(by=keys[0]),)), SHOPS, tmp_path)


@pytest.mark.parametrize(
    "query",
    [
        Query(keys=(CITY,), measures=(COUNT,), order=(Order(by=0, descending=True),), limit=2),
        Query(keys=(CITY,), measures=(COUNT,), order=(Order(by=0, descending=True),), limit=2, skip=1),
        Query(keys=(CITY,), measures=measures("sum", of=QTY), order=(Order(by=0),), last=2),
        Query(keys=(CITY, PAID), measures=measures("mean", of=QTY), order=(Order(by=PAID, descending=True),)),
        Query(keys=(CITY,), measures=(COUNT,), having=(">", 20)),
        Query(keys=(CITY,), measures=measures("mean", of=PRICE), having=("<", 5), digits=1),
        Query(keys=(CITY,), measures=(COUNT,), tally=True),
        Query(keys=(CITY,), measures=(COUNT,), having=(">", 20), tally=True),
        Query(keys=(CITY,), measures=(COUNT,), of_total=True),
        Query(keys=(CITY,), measures=measures("sum", of=QTY), of_total=True, having=(">", 10), digits=1),
        Query(keys=(CITY,), measures=measures("sum", of=PRICE), scale=("k", 1000)),
        Query(keys=(CITY,), measures=measures("sum", of=QTY), scale=("k", 1000), digits=3, order=(Order(by=0),)),
        Query(keys=(NOTE,), measures=measures("max", of=QTY), where=Compare(left=CITY, operator="=", value="Oslo")),
    ],
)
def test_what_is_done_with_groups_is_done_once_they_are_whole(query: Query, tmp_path: Path) -> None:
    check(query, SHOPS, tmp_path)


def test_an_empty_key_is_not_a_key_that_is_missing(tmp_path: Path) -> None:
    found = check(Query(keys=(WHO, FILE), measures=(COUNT,)), EVENTS, tmp_path)
    assert {(one["who"], one["file"]) for one in cast("Any", found)} >= {("", "a.jsonl"), (None, "a.jsonl")}
    check(Query(keys=(WHO,), measures=measures(*NUMBERS, of=WEIGHT)), EVENTS, tmp_path)


def test_sums_of_whole_numbers_may_be_longer_than_a_column(tmp_path: Path) -> None:
    held = {
        f"{at}.jsonl": [json.dumps({"who": who, "size": 10**17 + at}) for who in ("ann", "bob") * 40]
        for at in (1, 2, 3)
    }
    query = Query(keys=(WHO,), measures=measures("sum", "mean", of=SIZE))
    found = cast("dict[str, Any]", check(query, held, tmp_path))
    assert found["ann"]["sum size"] == 120 * 10**17 + 240
    assert found["ann"]["average size"] == pytest.approx(10**17)
    assert check(Query(measures=measures("sum", of=SIZE)), held, tmp_path) == 240 * 10**17 + 480


def test_sums_of_fractions_lose_no_digit_by_being_added_up_in_parts(tmp_path: Path) -> None:
    source = random.Random(1)
    held = {
        f"{at}.csv": ["who,price", *(f"{'ab'[n % 2]},{source.randint(1, 10**9) / 100:.2f}" for n in range(999))]
        for at in range(5)
    }
    price = Column(name="price")
    exact = [float(line.split(",")[1]) for lines in held.values() for line in lines[1:]]
    assert check(Query(measures=measures("sum", of=price)), held, tmp_path) == round(math.fsum(exact), 6)
    found = cast("dict[str, float]", check(Query(keys=(WHO,), measures=measures("sum", of=price)), held, tmp_path))
    halves = {
        who: [float(line.split(",")[1]) for lines in held.values() for line in lines[1:] if line[0] == who]
        for who in "ab"
    }
    assert found == {who: round(math.fsum(numbers), 6) for who, numbers in halves.items()}


def test_sums_of_fractions_may_be_of_any_size(tmp_path: Path) -> None:
    held = {f"{at}.jsonl": [json.dumps({"who": "a", "size": n}) for n in (1e300, 0.1, -1e-300, None)] for at in (1, 2)}
    held["3.jsonl"] = [json.dumps({"who": who, "size": None}) for who in ("a", "b")]
    check(Query(keys=(WHO,), measures=measures("sum", "mean", of=SIZE)), held, tmp_path)


def test_keys_and_ends_may_fill_a_column(tmp_path: Path) -> None:
    product = Arithmetic(sign="*", left=Column(name="a"), right=Column(name="b"))
    held = {f"{at}.csv": ["a,b", f"{3 * 10**9},{3 * 10**9 + at}", *["7,3"] * 30] for at in (1, 2)}
    assert check(Query(measures=measures("max", of=product)), held, tmp_path) == 9 * 10**18 + 6 * 10**9
    check(Query(keys=(product,), measures=(COUNT,)), held, tmp_path)


def test_lines_of_logs_are_counted_in_parts(tmp_path: Path) -> None:
    names = [one.title for one in proposed(Query(measures=(COUNT,)), LOGS).table.format.fields]
    assert {"level", "file"} <= set(names), names
    check(Query(measures=(COUNT,), keys=(Column(name="level"), FILE)), LOGS, tmp_path)
    time = Column(name=names[0])
    check(Query(measures=measures("min", "max", of=time), keys=(Column(name="level"),)), LOGS, tmp_path)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (Query(measures=measures("median", of=QTY)), "median cannot be computed from partial results"),
        (Query(measures=(COUNT, *measures("unique", of=CITY))), "unique city cannot be computed from partial results"),
        (
            Query(measures=(Measure(function="percentile", of=QTY, at=95.0),)),
            "p95 cannot be computed from partial results",
        ),
        *(
            (Query(measures=measures(name, of=QTY)), "cannot be computed from partial results")
            for name in ("mode", "stdev", "first", "last")
        ),
        (
            Query(measures=(Measure(function="share", of=CITY, where=Missing(of=NOTE)),)),
            "percent cannot be computed from partial results",
        ),
        (Query(measures=(COUNT,), where=Recent(of=AT, seconds=60)), "compares the rows of all files"),
        (Query(measures=(COUNT,), where=Repeated(of=(CITY,))), "compares the rows of all files"),
        (Query(columns=(CITY,)), "the answer is rows"),
        (Query(keys=(CITY,), pick=Pick(number=1)), "the answer is rows"),
        (Query(keys=(CITY, PartOf(part="hour", of=AT), PartOf(part="hour", of=AT)), measures=(COUNT,)), "same name"),
    ],
)
def test_what_does_not_follow_from_parts_is_said(query: Query, reason: str) -> None:
    found = proposed(query, SHOPS).spread
    assert isinstance(found, str)
    assert reason in found


def test_what_our_detector_reads_is_not_spread() -> None:
    found = proposed(Query(measures=(COUNT,)), SHOPS)
    assert (
        Proposal(query=found.query, table=found.table, spooled=True).spread == "its rows are made by our own detector"
    )


def test_a_question_is_tried_on_parts_of_its_files() -> None:
    found = proposed(Query(measures=(COUNT,)), SHOPS)
    items = [FileLines(name, lines) for name, lines in SHOPS.items()]
    names = [[one["file"] for one in cast("Any", part)] for part in found.data_in_parts(items, 2)]
    assert names == [["spill/1-shop.csv", "spill/3-shop.csv"], ["spill/2-shop.csv"]]
