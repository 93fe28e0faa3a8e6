import pytest

from .helpers import differs, requests

ROUNDS = tuple(f"{name}_round.toml" for name in ("second", "third", "fourth", "fifth", "sixth", "seventh"))
FILES = ("requests.toml", "held_out.toml", *ROUNDS)
CASES = [case for name in FILES for case in requests(name)]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_request_is_read_as_it_was_meant(text: str, expected: str) -> None:
    assert not differs(text, expected)


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(CASES) > 250
    assert len({text for text, _ in CASES}) == len(CASES)
