"""What the host believes of the text that comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.sandbox._values import BadValue, decode, encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_a_value_survives_the_way_there_and_back(value: object) -> None:
    assert decode(encode(value), depth=100) == value


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
        decode(text, depth=100)


def test_long_integers_and_large_floats_pass() -> None:
    assert decode(b"-" + b"7" * 9000, depth=1) == -int("7" * 4000) * 10**5000 - int("7" * 4000) * 10**1000 - int(
        "7" * 1000
    )
    assert decode(b"[1e308, 1e-400]", depth=1) == [1e308, 0.0]
