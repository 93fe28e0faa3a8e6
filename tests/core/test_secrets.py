"""What looks like a secret is recognised; what does not is left alone."""

import pytest

from mayfly.core import HIDDEN, find_key, holds_secret, without_known_secrets, without_secrets


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


KEYS = {
    "AWS access key": "AKIAABCDEFGHIJKLMNOP",
    "API key": "sk-abcdefghijklmnopqrst",
    "payment key": "sk_live_abcdefghijklmnop",
    "GitHub token": "ghp_abcdefghijklmnopqrstuvwxyzabcdefghij",
    "GitLab token": "glpat-abcdefghijklmnopqrst",
    "Google key": "AIzaabcdefghijklmnopqrstuvwxyzabcdefghi",
    "Slack token": "xoxb-1234567890-abcdef",
    "Hugging Face token": "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
    "signed token": "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJlcw",
}


@pytest.mark.parametrize("issuer", KEYS)
def test_every_form_of_a_key_is_known_by_its_issuer_and_left_out_everywhere(issuer: str) -> None:
    text = f"use {KEYS[issuer]} for it"
    found = find_key(text)
    assert found == (KEYS[issuer], issuer)
    assert KEYS[issuer] not in without_secrets(text)
    assert KEYS[issuer] not in without_known_secrets(text)


@pytest.mark.parametrize("text", ["pk_constraint_customer_orders", "hf_hub_download", "basic authentication", "sk-1"])
def test_ordinary_names_have_no_form_of_a_key(text: str) -> None:
    assert find_key(f"use {text} for it") is None


def test_the_value_of_a_variable_named_like_a_secret_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "abcd-1234")
    monkeypatch.setenv("OTHER_PASSWORD", "postgres")
    assert without_known_secrets("abcd-1234 on postgres") == f"{HIDDEN} on postgres"
    assert without_known_secrets("tell xyz", ["xyz"]) == f"tell {HIDDEN}"
