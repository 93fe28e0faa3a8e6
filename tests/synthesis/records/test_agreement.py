"""Programs and the host read alike: every kind of file, as it is and damaged, and tables made at random."""

import ast
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mayfly.gates import Profile, check_stability, find_entry
from mayfly.gates.types._shapes import SHAPES
from mayfly.language.question import Column, Query
from mayfly.synthesis.records._detect import detect

from .agreement import check, damaged, head_of, queries
from .shapes import KINDS, every_program


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_agrees_with_the_host_on_every_column(kind: str) -> None:
    found = detect(KINDS[kind])
    for query in queries(found):
        check(found, query, KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_lines_are_read_alike(kind: str) -> None:
    found = detect(KINDS[kind])
    source = random.Random(kind)
    for query in queries(found):
        chosen = [source.choice(KINDS[kind]) for _ in range(12)]
        broken = [damaged(one, source) if isinstance(one, str) and source.random() < 0.7 else one for one in chosen]
        items = [*head_of(found, KINDS[kind]), *broken]
        check(found, query, items, odd=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_lines_of_one_kind_are_read_alike_by_the_program_of_another(kind: str) -> None:
    found = detect(KINDS[kind])
    odd = [one.strip("\ufeff") for other in KINDS.values() for one in other[:3] if isinstance(one, str)]
    items = [*head_of(found, KINDS[kind]), *odd]
    if found.kind == "objects":
        items = [*(one for one in odd if not one.startswith("{")), {"id": "x"}, {"when": [1]}, [], None, 5]
    for query in queries(found)[:6]:
        check(found, query, items, odd=True)


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a$path", "a{b}", "a\\b", "select", "a;--", "line", "é ü"])
def test_no_name_of_a_column_leads_out_of_the_statement(name: str) -> None:
    items: list[object] = [json.dumps({name: f"x{at % 2}", "n": at}) for at in range(6)]
    found = detect(items)
    for query in queries(found):
        check(found, query, items)


def test_values_of_several_kinds_in_one_column_are_shown_as_they_are() -> None:
    values: list[object] = [1, "a", 2.5, "b", True, None, {}]
    items: list[object] = [json.dumps({"v": value}) for value in values]
    check(detect(items), Query(columns=(Column(name="v"),)), items)


CELLS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(-1e6, 1e6).map("{:.2f}".format),
    st.floats(0, 1e6).map("{:,.2f}".format),
    st.sampled_from(["", "-", "n/a", "true", "false", "007", "12K", "3M", "5h3m", "$4.50", "(3.10)", "7%", "1e5"]),
    st.dates().map(str),
    st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12),
)


def _cell(text: str, delimiter: str) -> str:
    return '"' + text.replace('"', '""') + '"' if delimiter in text or '"' in text else text


@settings(max_examples=60)
@given(
    st.data(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.integers(2, 5),
    st.integers(0, 6),
    st.booleans(),
)
def test_any_table_is_read_alike(data: st.DataObject, delimiter: str, width: int, number: int, named: bool) -> None:
    head = [f"name {at}" for at in range(width)] if named else []
    body = data.draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=number, max_size=number))
    items = [delimiter.join(_cell(cell, delimiter) for cell in row) for row in [head, *body] if row]
    found = detect(items)
    for query in queries(found):
        check(found, query, items)


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    return every_program()


def test_the_types_gate_knows_every_shape(sources: dict[str, str]) -> None:
    """To write the list anew: python -m synthesis.records.shapes, in tests/."""
    assert sorted(sources) == SHAPES.read_text(encoding="ascii").split()


def test_every_shape_passes_the_strict_type_checker(sources: dict[str, str], tmp_path: Path) -> None:
    for shape, source in sources.items():
        (tmp_path / f"program_{shape}.py").write_text(source, encoding="utf-8")
    options = ["--strict", "--no-error-summary", f"--cache-dir={tmp_path}/cache"]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ran.stdout == ""


def test_every_program_is_simple_and_imports_little(sources: dict[str, str]) -> None:
    for source in sources.values():
        tree = ast.parse(source)
        assert not check_stability(tree, source, Profile(depth=1, grants=("data",))).verdicts, source
        assert find_entry(tree).data
