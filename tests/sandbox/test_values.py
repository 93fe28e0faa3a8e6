"""What the host believes of the text that comes back."""

import json
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mayfly.sandbox import _values
from mayfly.sandbox._values import BadValue, decode, encode
from mayfly.sandbox.jail import _nodes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_a_value_survives_the_way_there_and_back(value: object) -> None:
    assert decode(encode(value), depth=100, nodes=10**6) == value


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"nan",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b"[1E+400]",
        b"-1e309",
        b"{]",
        b"[1] 2",
        b"\xff",
        b"[" * 100_000,
        b"1" * 200_000,
        b'{"a":' * 101 + b"1" + b"}" * 101,
    ],
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(BadValue):
        decode(text, depth=100, nodes=10**6)


def test_long_integers_and_large_floats_pass() -> None:
    assert decode(b"-" + b"7" * 9000, depth=1, nodes=10**6) == -int("7" * 4000) * 10**5000 - int(
        "7" * 4000
    ) * 10**1000 - int("7" * 1000)
    assert decode(b"[1e308, 1e-400]", depth=1, nodes=10**6) == [1e308, 0.0]


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read every text as if it were long."""
    monkeypatch.setattr(_values, "_AT_ONCE", 7)


@given(JSON)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_w6_a_long_text_gives_the_same_value_piece_by_piece(pieces: None, value: object) -> None:
    for text in (encode(value), json.dumps(value, indent=1).encode()):
        assert decode(text, depth=100, nodes=10**6) == value


@given(JSON, st.integers(0, 60), st.sampled_from([b"", b",", b"]", b"}", b'"', b"[", b":", b"1", b" "]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_w6_what_is_no_json_is_refused_piece_by_piece(pieces: None, value: object, at: int, instead: bytes) -> None:
    text = encode(value)
    broken = text[:at] + instead + text[at + 1 :]
    try:
        expected: object = json.loads(broken, parse_constant=float)
    except ValueError:
        with pytest.raises(BadValue):
            decode(broken, depth=100, nodes=10**6)
    else:
        assert decode(broken, depth=100, nodes=10**6) == expected


@given(JSON)
def test_w6_values_are_counted_before_they_are_made(value: object) -> None:
    found = _values_in(value)
    assert found <= _nodes.exactly(json.dumps(value).encode(), 10**6) <= 2 * found + 1


def _values_in(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(1 + _values_in(inner) for inner in value.values())
    return 1 + sum(map(_values_in, value)) if isinstance(value, list) else 1


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 1 << 16])
def test_w6_signs_inside_strings_are_no_values(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(_nodes, "_CHUNK", chunk)
    text = json.dumps([",,,[[[{{{:::", 'a"b,[\\', "\\\\,,", {"k,:": "\\"}]).encode()
    assert _nodes.count(text, 12) <= 12
    assert _nodes.count(text, 5) > 5


@pytest.mark.parametrize("text", [b"[" + b"[]," * 700 + b"[]]", b"[" + b"1," * 1400 + b"1]", b'{"a":' * 600])
def test_w6_more_values_than_allowed_are_refused(text: bytes) -> None:
    with pytest.raises(BadValue, match="more than 1000 values"):
        decode(text, depth=10_000, nodes=1000)


def test_w6_the_work_grows_with_the_text_however_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small members before a string full of commas: no piece ends between members."""
    monkeypatch.setattr(_values, "_AT_ONCE", 4096)
    reads = []
    plain = _values._read_piece

    def read(text: str) -> object:
        reads.append(len(text))
        return plain(text)

    monkeypatch.setattr(_values, "_read_piece", read)
    text = encode([[n % 10 for n in range(1500)], "," * 9000] * 40)
    assert decode(text, depth=100, nodes=10**6) == json.loads(text)
    assert sum(reads) < 6 * len(text)


@pytest.mark.parametrize("size", [100_000, 400_000])
def test_what_is_nested_without_end_is_refused_where_a_library_has_lifted_the_limit_of_recursion(size: int) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 100_000))
    try:
        with pytest.raises(BadValue, match="nested deeper than 100"):
            decode(b"[" * size, depth=100, nodes=10**6)
    finally:
        sys.setrecursionlimit(before)
