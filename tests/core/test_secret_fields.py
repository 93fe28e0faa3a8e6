"""What a model is shown of records: all but the values under fields that are named like secrets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mayfly.core import SecretFields


def shown(data: Any) -> Any:
    """Return data as a model is shown it."""
    return SecretFields().data(data)


def test_values_under_secret_fields_are_numbered_and_equal_ones_alike() -> None:
    data = [
        {"user": "ada", "password": "hunter22", "n": 1},
        {"user": "bob", "password": "hunter22", "apiKey": "abcd1234", "pin_secret": 12345678, "password_length": 8},
    ]
    assert shown(data) == [
        {"user": "ada", "password": "‹secret: password 1›", "n": 1},
        {
            "user": "bob",
            "password": "‹secret: password 1›",
            "apiKey": "‹secret: apiKey 2›",
            "pin_secret": 3,
            "password_length": 8,
        },
    ]


def test_all_below_a_secret_field_is_hidden() -> None:
    assert shown({"secrets": {"a": "xxxx", "b": ["yyyy"]}, "token": "the"}) == {
        "secrets": {"a": "‹secret: secrets 1›", "b": ["‹secret: secrets 2›"]},
        "token": "the",
    }


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_a_column_of_a_table_is_hidden(separator: str) -> None:
    rows = [
        separator.join(row)
        for row in (("user", "Password", "age"), ("ada", "hunter22", "3"), ("bob", "pass word", "4"))
    ]
    hidden = shown(rows)
    assert hidden[0] == rows[0]
    assert [row.split(separator)[0::2] for row in hidden[1:]] == [["ada", "3"], ["bob", "4"]]
    assert "hunter22" not in str(hidden)
    assert shown("\n".join(rows)) == "\n".join(hidden)
    assert "hunter22" not in str(shown([row.split(separator) for row in rows]))


def test_quoted_cells_stay_cells() -> None:
    assert shown('name,secret\n"Ada, L.","a ""b"", c"')[12:] == '"Ada, L.",‹secret: secret 1›'


def test_lines_of_json_keep_their_form() -> None:
    lines = ['{"user": "ada", "db_password": "hunter22"}', '{"user":"bob","db_password":"x y z"}', '{"user": "eve"}']
    hidden = shown(lines)
    assert [json.loads(line)["user"] for line in hidden] == ["ada", "bob", "eve"]
    assert hidden[0] == '{"user": "ada", "db_password": "‹secret: db_password 1›"}'
    assert hidden[1] == '{"user":"bob","db_password":"‹secret: db_password 2›"}'
    assert hidden[2] == lines[2]


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("2024 POST /login password=hunter22 ok", "hunter22"),
        ("Authorization: Bearer abc.def123", "abc.def123"),
        ("login --password swordfish9 x", "swordfish9"),
        ("GET https://ada:pw12345@example.org/x", "pw12345"),
        ("user=ada secret='two words' n=1", "two words"),
    ],
)
def test_of_a_line_of_a_log_only_the_value_is_hidden(line: str, secret: str) -> None:
    before, _, after = line.partition(secret)
    hidden = shown(line)
    assert hidden.startswith(before)
    assert hidden.endswith(after)
    assert secret not in hidden
    assert shown(hidden) == hidden


@pytest.mark.parametrize("data", ["the password is asked for", [1, None, True], {"a": "b"}, ["tokens", "a b"], "", []])
def test_other_data_stays_as_it_is(data: Any) -> None:
    assert shown(data) == data


def test_what_was_found_is_hidden_in_what_is_said_of_it_and_can_be_put_back() -> None:
    fields = SecretFields()
    hidden = fields.data({"password": "hunter22", "said": "it was hunter22"})
    assert hidden["said"] == "it was ‹secret: password 1›"
    assert fields.text("expected hunter22") == "expected ‹secret: password 1›"
    assert "hunter2z" not in fields.said("proof: input {'password': 'hunter2z', 'x': 'y")
    assert fields.restored(hidden) == {"password": "hunter22", "said": "it was hunter22"}


def test_arguments_are_known_by_the_names_of_their_parameters() -> None:
    assert SecretFields().arguments(["ada", "hunter22"], ["user", "password"]) == ["ada", "‹secret: password 1›"]
