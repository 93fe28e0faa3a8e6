"""`mayfly schema`: what agents may do to the database, what they did, and what only an operator does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, shows
from mayfly.cli._inputs import read_bytes
from mayfly.cli._output import (
    AsJson,
    By,
    answer_either,
    answer_json,
    command,
    group,
    note,
    table,
    who,
)
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.core import Verdict
    from mayfly.store.schema import AgentMigration, AgentSchema, Dialect

app = group("The tables of agents: check and apply migrations, list them, put tables aside.")
DialectOption = Annotated[
    str | None,
    typer.Option(help="postgres or sqlite; the one in use unless said.", metavar="DIALECT", show_default=False),
]
# A file of statements to be checked; more would be data.
_LARGEST = 16 * 1024 * 1024


@app.command("check")
def check(
    sql: Annotated[str | None, typer.Argument(help="One statement.", metavar="[SQL]", show_default=False)] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(help='Lines of {"sql": …}, each answered by one line of JSON.', metavar="F.jsonl"),
    ] = None,
    dialect: DialectOption = None,
    as_json: AsJson = False,
) -> None:
    """Say whether an agent may run a statement; no database is connected to.

    Exit status 0 where every statement is accepted, 1 where one is refused.
    """
    from mayfly.store.schema import check_statement

    settings = Settings.load()
    wanted = _dialect(dialect, settings)
    if (sql is None) == (file is None):
        raise InputError("schema check takes one statement, or --file", fix="mayfly schema check SQL")
    if file is not None:
        verdicts = list(_check_lines(file, wanted, settings))
    else:
        verdict = check_statement(str(sql), dialect=wanted, settings=settings)
        verdicts = [verdict]
        said = f"{verdict.decision} {verdict.code}: {one_line(_said(verdict), limit=500)}"
        answer_either(_fields(verdict), said, as_json=as_json)
    if any(one.decision != "accept" for one in verdicts):
        raise typer.Exit(1)


@app.command("apply")
@shows
def apply(
    name: Annotated[str, typer.Argument(help="What the migration is called; a name is applied once.", metavar="NAME")],
    file: Annotated[str, typer.Argument(help="Its statements; - is standard input.", metavar="FILE")],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and change nothing.")] = False,
) -> Shown:
    """Run a migration in one transaction with the row and the event that remember it.

    The same again does nothing; another text under the same name is a conflict.
    """
    text = _text(file)
    with _opened() as schema:
        migration = schema.plan(name, text)
        _print_plan(migration)
        if dry_run:
            planned = [one.does for one in migration.statements]
            return Shown({"status": "planned", "name": name, "statements": planned})
        done = schema.apply(migration)
    status = "applied" if done.fresh else "already applied"
    return Shown(
        {"status": status, "name": done.name, "statements": list(done.statements), "role": done.role or None},
        f"{status}: {done.name}" + (f" as {done.role}" if done.role else ""),
    )


@app.command("log")
@shows
def log() -> Shown:
    """List what was applied, the oldest first, and what was put aside."""
    with _opened() as schema:
        rows, retired = schema.log(), schema.retired()
    lines = table([(str(row.id), row.at, row.name, one_line(row.sql, limit=100)) for row in rows]) if rows else []
    return Shown(
        {"migrations": [asdict(row) for row in rows], "retired": retired},
        [*lines, *(f"retired  {name}" for name in retired)],
        "" if rows else f"nothing was applied yet; try: {command()} schema apply NAME FILE",
    )


@app.command("retire")
@shows
def retire(name: Annotated[str, typer.Argument(help="A table agent_….", metavar="TABLE")], *, by: By = None) -> Shown:
    """Put a table aside under another name, with all its rows."""
    with _opened() as schema:
        renamed = schema.retire(name, by=who(by))
    hint = f"to drop it for good: {command()} schema purge {renamed} --yes"
    return Shown({"table": name, "renamed": renamed}, f"{name} is now {renamed}", hint)


@app.command("purge")
@shows
def purge(
    names: Annotated[list[str] | None, typer.Argument(help="Tables that were retired; all unless said.")] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Drop them: their rows are lost.")] = False,
    by: By = None,
) -> Shown:
    """Drop tables that were put aside, all of them or none. This alone loses data; agents cannot do it."""
    with _opened() as schema:
        wanted = names or schema.retired()
        if wanted and not yes:
            listed = ", ".join(wanted[:5]) + (" …" if len(wanted) > 5 else "")
            raise InputError(f"{one_line(listed)} would be lost", fix="add --yes to drop them")
        schema.purge(wanted, by=who(by))
    return Shown({"purged": wanted}, [f"dropped {name}" for name in wanted], "" if wanted else "nothing is retired")


@app.command("roles")
@shows
def roles(
    *, create: Annotated[bool, typer.Option("--create", help="Make the role, or give it what it lacks.")] = False
) -> Shown:
    """Say with which rights migrations run, and what would make the restricted role."""
    with _opened() as schema:
        state = schema.make_role() if create else schema.role_state()
    lines = [
        f"{'in force' if state.in_force else 'not in force'}: {state.reason}",
        *(f"  {statement};" for statement in state.statements),
    ]
    return Shown(asdict(state), lines, f"to do this: {command()} schema roles --create" if state.statements else "")


@contextmanager
def _opened() -> Iterator[AgentSchema]:
    from mayfly.store import Ledger
    from mayfly.store.schema import AgentSchema

    settings = Settings.load()
    with Ledger.open(settings) as ledger, closing(AgentSchema(ledger, settings)) as schema:
        yield schema


def _dialect(given: str | None, settings: Settings) -> Dialect:
    from mayfly.store.schema import dialect_of

    if given is None:
        return dialect_of(settings)
    if given in ("postgres", "postgresql"):
        return "postgres"
    if given == "sqlite":
        return "sqlite"
    raise InputError(
        f"there is no dialect {one_line(given, limit=40)}", fix="say --dialect postgres or --dialect sqlite"
    )


def _check_lines(file: Path, dialect: Dialect, settings: Settings) -> Iterator[Verdict]:
    """Answer every line that is not empty, one that is no statement among them."""
    from mayfly.core import Verdict
    from mayfly.store.schema import check_statement

    for number, line in enumerate(_text(str(file)).split("\n"), 1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
            sql = given.get("sql") if isinstance(given, dict) else None
        except (ValueError, RecursionError):
            sql = None
        if isinstance(sql, str):
            verdict = check_statement(sql, dialect=dialect, settings=settings)
        else:
            told = f'line {number} is no {{"sql": …}}'
            verdict = Verdict(
                decision="reject", gate="schema", code="INPUT", message=told, fix="write one object a line"
            )
        answer_json(_fields(verdict))
        yield verdict


def _said(verdict: Verdict) -> str:
    return f"{verdict.message}; {verdict.fix}" if verdict.fix else verdict.message


def _fields(verdict: Verdict) -> dict[str, object]:
    return {"decision": verdict.decision, "code": verdict.code, "message": _said(verdict)}


def _print_plan(migration: AgentMigration) -> None:
    for number, one in enumerate(migration.statements, 1):
        note(f"{number}. {one_line(one.does, limit=200)}")
    if migration.touches:
        note(f"locked while it runs: {', '.join(migration.touches)}")


def _text(name: str) -> str:
    """Return a file as text; what is none, or too large, is one clear line."""
    data = read_bytes(name, "a file that can be read", most=_LARGEST)
    if len(data) > _LARGEST:
        raise InputError(f"{one_line(name, limit=200)} is larger than {_LARGEST:,} bytes", fix="split it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{one_line(name, limit=200)} is not UTF-8 at byte {error.start}", fix="save it as UTF-8"
        ) from None
