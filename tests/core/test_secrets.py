"""What looks like a secret is recognised; what does not is left alone."""

import pytest

from core.samples import KEYS, LIKELY, SECRETS, TEXTS
from mayfly.core import (
    HIDDEN,
    find_key,
    holds_secret,
    holds_secret_in,
    was_hidden,
    without_known_secrets,
    without_secrets,
    without_secrets_in,
)
from mayfly.core._secrets import issuers


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


@pytest.mark.parametrize(
    "text",
    [
        "src/auth.py",
        "rm -rf /",
        "the password is asked for",
        "https://a.org/b@c",
        "",
        "basic authentication with a token for each user",
        "the token count of task_42 is 12",
        "a" * 64,
        "git log --no-color",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize(("issuer", "key"), [(issuer, key) for issuer, keys in KEYS.items() for key in keys])
def test_f9_every_form_of_a_key_is_known_by_its_issuer_and_left_out_everywhere(issuer: str, key: str) -> None:
    text = f"use {key} for it"
    found = find_key(text)
    assert found is not None
    assert (found.text, found.issuer) == (key, issuer)
    assert key not in without_secrets(text)
    assert key not in without_known_secrets(text)


@pytest.mark.parametrize(("text", "secret"), LIKELY.values(), ids=list(LIKELY))
def test_f9_what_may_be_a_secret_is_left_out_of_what_is_recorded(text: str, secret: str) -> None:
    assert holds_secret(f"use {text}")
    assert secret not in without_secrets(f"use {text}")


def test_f9_no_form_is_without_a_text_that_tries_it() -> None:
    assert set(issuers()) == {*KEYS, *LIKELY}


@pytest.mark.parametrize("text", TEXTS)
def test_f9_data_is_looked_through_to_its_names(text: str) -> None:
    data = {"a": [1, {"b": f"x {text}"}], f"y {text}": None}
    assert holds_secret_in(data)
    assert not any(secret in str(without_secrets_in(data)) for secret in SECRETS if secret in text)
    assert was_hidden(without_secrets_in(data))


def test_f9_what_lies_under_the_name_of_a_secret_is_left_out_whatever_it_looks_like() -> None:
    assert without_secrets_in({"api_key": "abcd", "user": "ada"}) == {"api_key": HIDDEN, "user": "ada"}


def test_f9_data_without_a_secret_is_handed_back_as_it_is() -> None:
    data = {"key": "a" * 64, "tokens": 3, "by": "capability:token_count"}
    assert without_secrets_in(data) is data
    assert not holds_secret_in(data)


def test_f9_names_that_differ_in_their_secrets_alone_stay_apart() -> None:
    keys = [f"hf_{letter * 30}" for letter in "ab"]
    assert without_secrets_in(dict.fromkeys(keys, 1)) == {HIDDEN: 1, f"{HIDDEN}'": 1}


@pytest.mark.parametrize("text", ["pk_constraint_customer_orders", "hf_hub_download", "basic authentication", "sk-1"])
def test_ordinary_names_have_no_form_of_a_key(text: str) -> None:
    assert find_key(f"use {text} for it") is None


def test_the_value_of_a_variable_named_like_a_secret_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "abcd-1234")
    monkeypatch.setenv("OTHER_PASSWORD", "postgres")
    assert without_known_secrets("abcd-1234 on postgres") == f"{HIDDEN} on postgres"
    assert without_known_secrets("tell xyz", ["xyz"]) == f"tell {HIDDEN}"


@pytest.mark.parametrize("before", ["\\n", "\\t", "\\u000a", "%0A", "%20", '"', "=", "("])
@pytest.mark.parametrize("key", [keys[0] for issuer, keys in KEYS.items() if issuer != "password in an address"])
def test_f9_a_key_is_found_after_an_escape_as_well(before: str, key: str) -> None:
    assert key not in without_secrets(f"first{before}{key}")
