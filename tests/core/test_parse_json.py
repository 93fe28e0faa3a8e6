"""JSON of strangers, in a process whose limit of recursion a library has lifted."""

import sys
from collections.abc import Iterator

import pytest

from mayfly.core import InputError, load_json, parse_json


@pytest.fixture(params=[1000, 100_000], ids=["ordinary", "lifted"], autouse=True)
def limit(request: pytest.FixtureRequest) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, request.param))
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '["' + "\\" * 4 + '", ' + "[" * 100_000])
def test_json_that_is_nested_without_end_is_an_error_and_not_the_end(text: str) -> None:
    for given in (text, text.encode()):
        with pytest.raises(InputError, match="it is not JSON: nested too deep"):
            parse_json(given, "it")


def test_the_depth_is_seen_in_every_encoding_of_json() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        with pytest.raises(InputError, match="it is not JSON"):
            parse_json(('["\u2200",' + "[" * 100_000).encode(encoding), "it")


def test_many_brackets_beside_each_other_or_in_a_text_are_no_depth() -> None:
    assert parse_json("[" + ",".join(["[]"] * 5000) + "]", "it") == [[]] * 5000
    assert parse_json('["' + "[" * 5000 + '\\"' + "{" * 5000 + '"]', "it") == ["[" * 5000 + '"' + "{" * 5000]


def test_a_text_that_does_not_end_is_looked_at_once() -> None:
    # Quotes that are all escaped: whoever begins anew at each of them is not done in a day.
    with pytest.raises(InputError):
        parse_json("[" * 2000 + '"' + '\\"' * 200_000 + "\\", "it")


def test_a_key_that_stands_twice_is_refused_where_that_is_asked_for() -> None:
    assert load_json('{"a": 1, "a": 2}') == {"a": 2}
    with pytest.raises(ValueError, match="a key stands twice"):
        load_json('{"a": 1, "a": 2}', unique=True)
