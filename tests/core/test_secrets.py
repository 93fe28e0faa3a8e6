"""What has an issuer's form is recognised; source that only names a secret is left alone."""

import pytest

from core.samples import IN_CODE, KEYS, LETTERS, LIKELY, SECRETS, TEXTS
from mayfly.core import find_key, is_secret_name, looks_secret, was_hidden, without_secrets, without_secrets_in
from mayfly.core._secrets import _forms

PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *[(LETTERS * 2)[:64]] * 3, "ab==", "-----END PRIVATE KEY-----"])


@pytest.mark.parametrize(
    "text",
    [
        "token = client.login(user, password=password, api_key=api_key)",
        'load_pem_private_key(key, password=None)\npassword = "hunter22"  # noqa: S105',
        '{"api_key": "abcd1234"}',
        "DB_PASSWORD=hunter22",
        "Authorization: Bearer abcdefghijklmnopqrst",
        "postgres://user:password@host/db",
        "login --password hunter22zz",
        "0x" + "ab" * 32,
        'BEGIN = "-----BEGIN PRIVATE KEY-----"\nEND = "-----END PRIVATE KEY-----"\nclass PrivateKeyDecoder2: ...',
        ".sk-folding-cube-container-2xl-wide-thing { }",
        "git log --no-color",
        "‹secret› and ‹secret 0a1b2c: GitHub token›",
        "",
    ],
)
def test_source_stays_as_it_is(text: str) -> None:
    assert without_secrets(text) == text
    assert without_secrets_in({"password": text, text: [text]}) == {"password": text, text: [text]}


@pytest.mark.parametrize(("issuer", "key"), [(issuer, key) for issuer, keys in KEYS.items() for key in keys])
def test_f9_every_form_of_a_key_is_known_by_its_issuer_and_left_out_everywhere(issuer: str, key: str) -> None:
    text = f"use {key} for it"
    found = find_key(text)
    assert found is not None
    assert (found.text, found.issuer) == (key, issuer)
    assert without_secrets(text) == f"use ‹secret: {issuer}› for it"
    assert without_secrets(without_secrets(text)) == without_secrets(text)


@pytest.mark.parametrize(("issuer", "text"), [(issuer, text) for issuer, texts in IN_CODE.items() for text in texts])
def test_code_is_refused_for_more_than_what_is_hidden(issuer: str, text: str) -> None:
    found = find_key(f"use {text} for it")
    assert found is not None
    assert found.issuer == issuer
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    "text",
    [
        PEM,
        PEM.replace("\n", "\\n"),
        PEM.replace("\n", "\r\n"),
        "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(PEM.split("\n"), 1)),
        "KEY = (\n    b'" + PEM.replace("\n", "\\n'\n    b'") + "'\n)",
        PEM.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES-EDE3-CBC,AB12\n\n", 1),
    ],
    ids=["plain", "escaped", "crlf", "numbered", "in source", "encrypted"],
)
def test_a_private_key_goes_from_its_begin_to_its_end(text: str) -> None:
    hidden = without_secrets(f"before {text} after")
    assert LETTERS[:20] not in hidden
    assert "END" not in hidden
    assert hidden.startswith("before ")
    assert hidden.endswith(" after")


def test_a_private_key_without_an_end_goes_as_far_as_its_lines() -> None:
    hidden = without_secrets(PEM.partition("ab==")[0] + "and then prose")
    assert hidden == "‹secret: private key›\nand then prose"


@pytest.mark.parametrize(("text", "secret"), LIKELY.values(), ids=list(LIKELY))
def test_f9_what_may_be_a_secret_is_told_of_and_not_hidden(text: str, secret: str) -> None:
    assert looks_secret(f"use {text}")
    assert secret in without_secrets(f"use {text}")


def test_f9_no_form_is_without_a_text_that_tries_it() -> None:
    forms = _forms()
    assert {form.issuer for form in (*forms.code, *forms.likely)} == {*KEYS, *IN_CODE, *LIKELY}


@pytest.mark.parametrize("text", TEXTS)
def test_f9_data_is_looked_through_to_its_names(text: str) -> None:
    data = {"a": [1, {"b": f"x {text}"}], f"y {text}": None}
    hidden = without_secrets_in(data)
    assert not any(secret in str(hidden) for secret in SECRETS if secret in text)
    assert was_hidden(hidden)


def test_f9_data_without_a_secret_is_handed_back_as_it_is() -> None:
    data = {"key": "a" * 64, "tokens": 3, "by": "capability:token_count"}
    assert without_secrets_in(data) is data


def test_f9_names_that_differ_in_their_secrets_alone_stay_apart() -> None:
    keys = [f"hf_{letter * 30}" for letter in "ab"]
    hidden = "‹secret: Hugging Face token›"
    assert without_secrets_in(dict.fromkeys(keys, 1)) == {hidden: 1, f"{hidden}'": 1}


@pytest.mark.parametrize("text", ["pk_constraint_customer_orders", "hf_hub_download", "basic authentication", "sk-1"])
def test_ordinary_names_have_no_form_of_a_key(text: str) -> None:
    assert find_key(f"use {text} for it") is None


@pytest.mark.parametrize("before", ["\\n", "\\t", "\\u000a", "%0A", "%20", '"', "=", "("])
@pytest.mark.parametrize("key", [keys[0] for keys in KEYS.values()])
def test_f9_a_key_is_found_after_an_escape_as_well(before: str, key: str) -> None:
    assert key not in without_secrets(f"first{before}{key}")


@pytest.mark.parametrize("key", ["AKIAABCDEFGHIJKLMNOP", "sk-" + LETTERS, "ghp_" + LETTERS])
def test_within_a_word_there_is_no_key(key: str) -> None:
    assert without_secrets(f"x{key}") == f"x{key}"
    assert key not in without_secrets(f"xsk-{key}")


@pytest.mark.parametrize("name", ["password", "dbPassword", "API_KEY", "user.secret", "passwords", "client-secret"])
def test_names_of_secrets_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["passport", "secretary", "tokens", "key", "keyboard"])
def test_other_names_are_none(name: str) -> None:
    assert not is_secret_name(name)
