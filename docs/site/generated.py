"""Write the generated pages of docs/: commands from their help, settings and Python names from their declarations.

`python docs/site/generated.py` writes them, `--check` says which are stale and writes nothing.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from mayfly.cli._app import COMMANDS, app, load
from mayfly.core import Settings
from mayfly.library import Tools
from mayfly.library.promotion import Identities, Promotion

HEAD = """\
# Python

Written by `make docs` from the docstrings; change it there. Everything in the first part is imported from `mayfly`; the
others are reached by a property of `Runtime`.
"""


def api_page() -> str:
    """Return docs/api.md."""
    parts = [HEAD]
    package = import_module("mayfly")
    for name in sorted(package.__all__, key=str.lower):
        if not name.startswith("_"):
            parts += _describe_name(f"mayfly.{name}", getattr(package, name))
    parts.append("# What a runtime has\n")
    for title, found in (("Runtime.tools", Tools), ("Runtime.promotion", Promotion), ("identities", Identities)):
        parts += _describe_name(title, found)
    return "\n".join(parts)


def _describe_name(title: str, found: Any) -> Iterator[str]:
    yield f"## {title}\n"
    if inspect.isclass(found):
        yield f"{_first_paragraph(found)}\n"
        yield from _members(found)
    elif callable(found):
        yield f"```text\n{title.rpartition('.')[2]}{_signature_text(found)}\n```\n\n{_first_paragraph(found)}\n"
    else:
        yield f"{_first_paragraph(found)}\n"


def _members(found: type) -> Iterator[str]:
    if dataclasses.is_dataclass(found):
        rows = [
            f"| `{one.name}` | `{_type_cell(one.type)}` |" for one in dataclasses.fields(found) if one.name[0] != "_"
        ]
        if rows:
            yield "\n".join(["| field | type |", "| --- | --- |", *rows, ""])
    rows = []
    for name, member in vars(found).items():
        if name.startswith("_") or not _first_paragraph(member):
            continue
        if isinstance(member, (property, cached_property)):
            rows.append(f"| `{name}` | {_cell(_first_paragraph(member))} |")
        elif inspect.isfunction(inspect.unwrap(_plain_function(member))):
            rows.append(
                f"| `{_cell(name + _signature_text(_plain_function(member)))}` | {_cell(_first_paragraph(member))} |"
            )
    if rows:
        yield "\n".join(["| member | what it does |", "| --- | --- |", *rows, ""])


def _plain_function(member: Any) -> Any:
    return member.__func__ if isinstance(member, (classmethod, staticmethod)) else member


def _signature_text(function: Any) -> str:
    try:
        made = inspect.signature(function)
    except (TypeError, ValueError):
        return "(…)"
    kept = [one for name, one in made.parameters.items() if name not in ("self", "cls")]
    text = str(made.replace(parameters=kept))
    # What a default is called inside differs between versions of Python; its address between two runs.
    text = re.sub(r"<[^<>]*>", "…", text).replace("'", "")
    text = re.sub(r"mayfly\.core\._\w+\.", "", text)
    return re.sub(r"\b(?:mayfly|collections|typing)(?:\.\w+)*\.(?=[A-Z])", "", text)


def _type_cell(told: object) -> str:
    return _cell(told if isinstance(told, str) else getattr(told, "__name__", str(told)))


def _first_paragraph(found: Any) -> str:
    """Return the first paragraph of a docstring of our own."""
    text = inspect.getdoc(found) or ""
    return " ".join(text.split("\n\n")[0].split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


DOCS = Path(__file__).parents[1]
WIDTH = 100
EXIT_STATUS = """\
## Exit status

| status | meaning |
| --- | --- |
| 0 | resolved or accepted |
| 1 | refused, failed, or the fallback was given; the reason is on stderr |
| 2 | wrong usage or bad input |
| 3 | help or an answer is needed |
| 4 | this machine cannot |
| 130 | stopped with Ctrl-C |
"""


def cli_page() -> str:
    """Return docs/cli.md: the help of every command, as it is printed."""
    parts = ["# Commands\n", "Written by `make docs` from the help of the commands; change it there.\n"]
    parts.append(
        "The answer goes to stdout, progress and errors to stderr. `--json` prints the answer as JSON, `--debug`\n"
        "anywhere on the line shows the traceback of an error, which is one line otherwise.\n"
    )
    for path, text in _helps():
        parts.append(f"## {path}\n\n```text\n{text.rstrip()}\n```\n")
    parts.append(EXIT_STATUS)
    return "\n".join(parts)


def settings_page() -> str:
    """Return docs/settings.md: every setting, its default, its owner and its variable."""
    rows = [
        f"| `{row.key}` | {_default_cell(row.default)} | `{row.variable}` | {row.owner} | {row.help} |"
        for row in Settings().show()
    ]
    return "\n".join(
        [
            "# Settings\n",
            "Written by `make docs` from the declarations in `core`; change it there.\n",
            "The environment wins over `mayfly.toml` in the working directory, which wins over the default. In the",
            "file, `sandbox.timeout` is `timeout` in the table `[sandbox]`. A value that does not fit is refused with",
            "a line that names it. `mayfly config show` prints what is in force here and where it comes from.\n",
            "| setting | default | variable | owner | meaning |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def pages() -> dict[Path, str]:
    """Return every generated page with the text it should have."""
    return {DOCS / "cli.md": cli_page(), DOCS / "settings.md": settings_page(), DOCS / "api.md": api_page()}


def _default_cell(value: object) -> str:
    return f"`{value}`" if value != "" else "empty"


def _helps() -> Iterator[tuple[str, str]]:
    context = typer.main.get_group(app).make_context("mayfly", [], resilient_parsing=True)
    context.terminal_width = WIDTH
    yield "mayfly", context.get_help()
    for name in COMMANDS:
        yield from _command_helps(load(name), name, context)


def _command_helps(command: Any, name: str, parent: Any) -> Iterator[tuple[str, str]]:
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    inner = getattr(command, "commands", {})
    # A group that does something by itself has options of its own.
    if not inner or command.params:
        yield context.command_path, context.get_help()
    for child, found in inner.items():
        yield from _command_helps(found, child, context)


def main(args: list[str]) -> int:
    """Write the stale pages, or only name them with `--check`."""
    stale = [page for page, text in pages().items() if not page.exists() or page.read_text(encoding="utf-8") != text]
    for page in stale:
        if "--check" in args:
            print(f"{page.relative_to(DOCS.parent)} is stale; write it with: make docs", file=sys.stderr)
        else:
            page.write_text(pages()[page], encoding="utf-8")
            print(f"wrote {page.relative_to(DOCS.parent)}", file=sys.stderr)
    return 1 if stale and "--check" in args else 0


if __name__ == "__main__":
    os.environ.pop("MAYFLY_COMMAND", None)
    sys.exit(main(sys.argv[1:]))
