"""Write the pages of docs/ that are generated: the commands from their help, the settings from their declarations.

`python -m mayfly.cli._docs` writes them, `--check` says which are stale and writes nothing.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from mayfly.cli._app import COMMANDS, app, load
from mayfly.cli._docs_api import api_page
from mayfly.core import Settings

DOCS = Path(__file__).parents[3] / "docs"
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
        f"| `{row.key}` | {_default(row.default)} | `{row.variable}` | {row.owner} | {row.help} |"
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


def _default(value: object) -> str:
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
