"""`mayfly config`: every setting, its value, its one owner and where the value comes from."""

from typing import Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer, answer_json, group, table
from mayfly.core import Settings, harmless
from mayfly.operations import settings_rows

app = group("Show the settings in force.")


@app.command()
def show(
    *,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Ignore the environment and mayfly.toml: show what is built in.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print every setting with its value, default, owner, source and meaning."""
    settings = Settings() if defaults else Settings.load()
    rows = settings_rows(settings)
    if as_json:
        answer_json(rows)
        return
    short, long = ("KEY", "VALUE", "OWNER", "MEANING"), ("KEY", "VALUE", "DEFAULT", "OWNER", "SOURCE", "MEANING")
    heading: tuple[str, ...] = short if defaults else long
    for line in table([heading, *(_cells(row, defaults=defaults) for row in rows)]):
        answer(line)


def _cells(row: dict[str, Any], *, defaults: bool) -> tuple[str, ...]:
    value, default = _text(row["value"]), _text(row["default"])
    if defaults:
        return (row["key"], value, row["owner"], row["help"])
    return (row["key"], value, default, row["owner"], row["source"], row["help"])


def _text(value: object) -> str:
    return harmless(str(value)) if value != "" else '""'
