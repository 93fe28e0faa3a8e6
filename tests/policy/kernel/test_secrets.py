"""What looks like a secret is recognised; what does not is left alone."""

import pytest

from mayfly.policy.kernel._secrets import HIDDEN, holds_secret, shortened, without_secrets


@pytest.mark.parametrize(
    "text",
    [
        "AKIAABCDEFGHIJKLMNOP",
        "sk-ant-abcdefghijklmnopqrst",
        "ghp_abcdefghijklmnopqrstuvwxyz",
        "Authorization: Bearer abcdefghijklmnopqrst",
        "https://user:hunter22@example.org/",
        'password = "hunter22"',
        '{"api_key": "abcd1234"}',
        "DB_PASSWORD=hunter22",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "0x" + "ab" * 32,
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nabc",
    ],
)
def test_a_secret_is_taken_out(text: str) -> None:
    assert holds_secret(f"x {text} y")
    assert HIDDEN in without_secrets(f"x {text} y")


@pytest.mark.parametrize("text", ["src/auth.py", "rm -rf /", "the password is asked for", "https://a.org/b@c", ""])
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert without_secrets(text) == text


def test_a_long_text_is_cut() -> None:
    assert shortened("x" * 1000) == "x" * 199 + "…"
