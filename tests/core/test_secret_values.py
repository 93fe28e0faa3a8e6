"""Which values are known to be secret, and that only they are hidden, in whichever way they are written."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mayfly.core import (
    SecretValues,
    Settings,
    StoreSettings,
    placeholders_in,
    secret_values,
    settings_values,
    was_hidden,
    with_tag,
    without_secrets,
)

VALUE = "k9-Xw2_pQ7zLm4Rt"
SHOWN = "‹secret ab12cd: DB_PASSWORD from .env›"
KNOWN = SecretValues({VALUE: "DB_PASSWORD from .env"}, tag="ab12cd")


def written(value: str) -> list[str]:
    """Return ways in which a value stands in texts."""
    head, tail = value[:7], value[7:]
    return [
        value,
        json.dumps({"a": value}),
        f"{head}\n{tail}",
        f"{head}\r\n{tail}",
        f"{head}\\n{tail}",
        f'"{head}"\n    "{tail}"',
        f"'{head}' +\n  '{tail}'",
        f"    12\t{head}\n    13\t{tail}",
        f"+{head}\n+{tail}",
        "\n".join([value[:3], value[3:9], value[9:]]),
    ]


@pytest.mark.parametrize("text", written(VALUE))
def test_a_known_value_is_hidden_however_it_is_written(text: str) -> None:
    hidden = KNOWN.text(f"before {text} after")
    assert SHOWN in hidden
    assert not any(piece in hidden for piece in (VALUE[:7], VALUE[9:]))
    assert hidden.startswith("before ")
    assert hidden.endswith(" after")
    assert KNOWN.text(hidden) == hidden


def test_a_value_with_signs_of_its_own_is_hidden_in_json_and_in_addresses() -> None:
    value = 'p"4s\\w/örd&12 34'
    known = SecretValues({value: "X"})
    for text in (value, json.dumps(value), json.dumps(value, ensure_ascii=False), "p%224s%5Cw%2F%C3%B6rd%2612%2034"):
        assert "ss" not in known.text(text)
        assert "‹secret: X›" in known.text(text)


def test_data_is_hidden_to_its_names_and_is_the_same_object_where_nothing_is() -> None:
    data = {"a": ["x", {VALUE: 1}]}
    assert KNOWN.data(data) == {"a": ["x", {SHOWN: 1}]}
    assert KNOWN.holds(data)
    plain = {"password": "password", "a": [1, None]}
    assert KNOWN.data(plain) is plain
    assert not KNOWN.holds(plain)


def test_what_a_value_is_called_is_no_secret_itself() -> None:
    known = SecretValues({VALUE: f"{VALUE} from .env", "other-value-1x2y": "A ‹b› from x"})
    assert VALUE not in known.text(VALUE)
    assert known.text(known.text(VALUE)) == "‹secret: a known value›"
    assert known.text("other-value-1x2y") == "‹secret: a known value›"


def test_placeholders_are_known_by_their_tag() -> None:
    data = {"content": f"a {SHOWN} b ‹secret ffffff: GitHub token› ‹secret: X› ‹secret›"}
    assert placeholders_in(data, {"ab12cd"}) == ["DB_PASSWORD from .env"]
    assert placeholders_in({"content": "‹secret abc"}, {"abc"}) == []
    assert was_hidden(data)
    assert not was_hidden("a secret")
    assert with_tag("‹secret: X› ‹secret a: Y›", "b") == "‹secret b: X› ‹secret b: Y›"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SOME_TOKEN", "abcd-1234-efgh"),
        ("OTHER_PASSWORD", "correct-horse-battery-staple"),
        ("DJANGO_SECRET_KEY", "hunter2hunter2"),
        ("MYSQL_PWD", "hunter2hunter2"),
    ],
)
def test_the_value_of_a_variable_named_like_a_secret_is_hidden(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert without_secrets(f"a {value} b") == f"a {value} b"
    monkeypatch.setenv(name, value)
    assert without_secrets(f"a {value} b") == f"a ‹secret: environment variable {name}› b"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTHER_PASSWORD", "postgres"),
        ("A_PASSWORD", "administrator"),
        ("API_KEY", "your-api-key-here"),
        ("A_SECRET", "hunter22"),
        ("SSH_KEY", "/home/ada/.ssh/id_ed25519"),
        ("DEBUG", "true"),
        ("APP_NAME", "my-application-2"),
        ("BASE_URL", "http://localhost:8000"),
        ("PWD", "/home/ada/src/my-application"),
    ],
)
def test_ordinary_words_and_short_values_hide_nothing(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert without_secrets(f"a {value} b") == f"a {value} b"


def test_of_an_address_only_its_password_is_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://ada:pw%40-1234567890@db.example.org/shop")
    hidden = without_secrets("postgresql://ada:pw%40-1234567890@db.example.org/shop or pw@-1234567890")
    assert hidden.startswith("postgresql://ada:‹secret: environment variable DATABASE_URL›@db.example.org/shop or ‹")
    assert "1234567890" not in hidden


def test_passwords_in_settings_are_known() -> None:
    settings = replace(Settings(), store=StoreSettings(database_url="postgresql://ada:s3cret-1234567@db/shop"))
    assert settings_values(settings) == {"s3cret-1234567": "setting store.database_url"}
    settings = replace(Settings(), store=StoreSettings(database_url="host=db user=ada password='s3cret 1234567'"))
    assert list(settings_values(settings)) == ["s3cret 1234567"]
    assert settings_values(Settings()) == {}


ENV = """
# local settings
DEBUG=true
APP_NAME=my-application
BASE_URL=http://localhost:8000
PYTHON=python3.11-slim-bookworm
MODEL=gpt-4o-mini-2024-07-18
STARTED=2024-01-01T00:00:00Z
HOST=db.example.com:5432
export API_KEY="abcdef-123456-x"
DATABASE_URL=postgres://ada:pa55word-1234@db/x # the shop's
DB_PASS=hunter2hunter2 # of ada
SIGNING=a8f5f167f44f4964e6c998dee827110c
SHORT_SECRET=abc
"""


def test_of_a_file_of_variables_what_is_named_or_looks_random_is_secret() -> None:
    assert set(secret_values(ENV, ".env")) == {
        "abcdef-123456-x",
        "pa55word-1234",
        "hunter2hunter2",
        "hunter2hunter2 # of ada",
        "a8f5f167f44f4964e6c998dee827110c",
    }
    assert secret_values(ENV, "deploy/.env")["abcdef-123456-x"] == "API_KEY from deploy/.env"


@pytest.mark.parametrize(
    ("path", "text", "values"),
    [
        (".netrc", "machine x login ada password hunter2hunter2", {"hunter2hunter2"}),
        (".pgpass", "db:5432:shop:ada:hunter2hunter2", {"hunter2hunter2"}),
        (".git-credentials", "https://ada:hunter2-hunter2@github.com", {"hunter2-hunter2"}),
        (".npmrc", "//registry.npmjs.org/:_authToken=0a1b2c3d4e5f6a7b", {"0a1b2c3d4e5f6a7b"}),
        (".vault-token", "s0mE7rAnd0m5T0k3n\n", {"s0mE7rAnd0m5T0k3n"}),
        ("secrets.yaml", "db:\n  user: ada\n  password: hunter2hunter2\n", {"hunter2hunter2"}),
        ("secrets.toml", '[db]\nuser = "ada"\npassword = "hunter2hunter2"\n', {"hunter2hunter2"}),
        (
            "credentials.json",
            '{"a": {"client_secret": "x-12345678901", "project_id": "my-project-12"}}',
            {"x-12345678901"},
        ),
        ("broken.json", '{"password": "hunter2hunter2",', {"hunter2hunter2"}),
        ("server.key", f"-----BEGIN PRIVATE KEY-----\n{'Ab3' * 21}A\n-----END PRIVATE KEY-----", {"Ab3" * 21 + "A"}),
    ],
)
def test_other_files_of_secrets_are_read_as_well(path: str, text: str, values: set[str]) -> None:
    assert set(secret_values(text, path)) == values


def test_a_large_file_gives_so_many_values_and_no_more() -> None:
    assert len(secret_values("\n".join(f"A{n}_KEY=value-{n:08}-x" for n in range(2000)), ".env")) == 500
