"""`mayfly schema`: walk C by hand on both databases, what each command prints, and what bad input gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli

PNL = "CREATE TABLE agent_pnl (id integer PRIMARY KEY, day date NOT NULL, amount numeric(18, 8) DEFAULT 0);\n"


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "postgres":
        monkeypatch.setenv("MAYFLY_DATABASE_URL", request.getfixturevalue("postgres_url"))
    return str(request.param)


def test_walk_c_a_table_is_added_used_up_and_put_aside(cli: Cli, store: str, tmp_path: Path) -> None:
    file = tmp_path / "pnl.sql"
    file.write_text(PNL)
    checked = cli("schema", "check", PNL, "--json")
    assert (checked.status, json.loads(checked.out)["decision"]) == (0, "accept")
    planned = cli("schema", "apply", "create_pnl", str(file), "--dry-run")
    assert (planned.status, planned.err) == (0, "1. CREATE TABLE agent_pnl\n")
    assert cli("schema", "log").out == ""
    applied = cli("schema", "apply", "create_pnl", str(file))
    assert (applied.status, applied.out, applied.err) == (0, "applied: create_pnl\n", "1. CREATE TABLE agent_pnl\n")
    again = cli("schema", "apply", "create_pnl", str(file), "--json")
    assert (again.status, json.loads(again.out)["status"]) == (0, "already applied")
    file.write_text("CREATE TABLE agent_other (a integer)")
    other = cli("schema", "apply", "create_pnl", str(file))
    assert (other.status, other.out) == (2, "")
    assert "was applied with other SQL; give this one another name" in other.err
    logged = json.loads(cli("schema", "log", "--json").out)
    assert [(row["name"], row["sql"]) for row in logged["migrations"]] == [("create_pnl", PNL.strip())]
    retired = json.loads(cli("schema", "retire", "agent_pnl", "--json").out)
    assert retired["renamed"].startswith("agent_trash_pnl_")
    assert f"retired  {retired['renamed']}" in cli("schema", "log").out
    asked = cli("schema", "purge")
    assert (asked.status, "would be lost; add --yes" in asked.err) == (2, True)
    assert cli("schema", "purge", "--yes", "--by", "op").out == f"dropped {retired['renamed']}\n"
    assert cli("schema", "purge", "--yes").err == "nothing is retired\n"


@pytest.mark.parametrize("dialect", ["postgres", "sqlite"])
def test_check_says_yes_or_no_with_a_code_and_a_reason(cli: Cli, dialect: str) -> None:
    refused = cli("schema", "check", "DROP/**/TABLE users", "--dialect", dialect, "--json")
    said = json.loads(refused.out)
    assert (refused.status, said["decision"], said["code"]) == (1, "reject", "DROP")
    assert said["message"].startswith("an agent drops nothing; ")
    assert cli("schema", "check", "DROP TABLE x", "--dialect", dialect).out.startswith("reject DROP: ")
    fine = cli("schema", "check", "CREATE TABLE agent_x (a int)", "--dialect", dialect)
    assert (fine.status, fine.out) == (0, "accept OK: CREATE TABLE agent_x\n")


def test_check_answers_each_line_of_a_file(cli: Cli, tmp_path: Path) -> None:
    lines = ['{"sql": "CREATE TABLE agent_x (a int)"}', "", "no json", '{"sql": 3}', '{"sql": "DROP TABLE x"}', "[]"]
    (tmp_path / "f.jsonl").write_text("\n".join(lines))
    ran = cli("schema", "check", "--file", "f.jsonl", "--dialect", "postgres")
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.status == 1
    assert [one["code"] for one in told] == ["OK", "INPUT", "INPUT", "DROP", "INPUT"]
    assert all(one.keys() == {"decision", "code", "message"} for one in told)
    (tmp_path / "f.jsonl").write_text(lines[0])
    assert cli("schema", "check", "--file", "f.jsonl", "--json").status == 0


def test_check_makes_no_store(cli: Cli, state: Path) -> None:
    cli("schema", "check", "CREATE TABLE agent_x (a int)")
    assert not (state / "ledger.db").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check"], "takes one statement, or --file"),
        (["check", "SELECT 1", "--file", "x.jsonl"], "takes one statement, or --file"),
        (["check", "SELECT 1", "--dialect", "mysql"], "there is no dialect mysql; say --dialect postgres"),
        (["check", "--file", "missing.jsonl"], "missing.jsonl: No such file"),
        (["apply", "x", "missing.sql"], "missing.sql: No such file"),
        (["apply", "a b", "fine.sql"], "is no name of a migration"),
        (["apply", "x", "binary.sql"], "is not UTF-8"),
        (["retire", "agent_nothing"], "there is no table"),
        (["purge", "agent_x", "--yes"], "was not retired"),
    ],
)
def test_bad_input_is_one_line_with_the_way_on(cli: Cli, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "fine.sql").write_text(PNL)
    (tmp_path / "binary.sql").write_bytes(b"\xff\xfe\x00")
    ran = cli("schema", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_refused_migration_changes_nothing_and_says_why(cli: Cli, store: str, tmp_path: Path) -> None:
    (tmp_path / "bad.sql").write_text(f"{PNL} DROP TABLE mayfly_events;")
    ran = cli("schema", "apply", "bad", "bad.sql")
    assert (ran.status, ran.out) == (1, "")
    assert "an agent drops nothing" in ran.err
    assert json.loads(cli("schema", "log", "--json").out) == {"migrations": [], "retired": []}


def test_roles_says_what_is_in_force(cli: Cli, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_SCHEMA_ROLE", "mayfly_no_such_role")
    told = json.loads(cli("schema", "roles", "--json").out)
    assert told["in_force"] is False
    shown = cli("schema", "roles").out
    assert shown.startswith("not in force: ")
    assert ("CREATE ROLE" in shown) == (store == "postgres")
    if store == "sqlite":
        assert cli("schema", "roles", "--create").status == 2


def test_the_defaults_of_the_timeouts_are_thirty_seconds(cli: Cli) -> None:
    shown = cli("config", "show", "--defaults").out
    for name in ("schema.lock_timeout", "schema.statement_timeout"):
        assert any(name in line and "30" in line for line in shown.splitlines())
