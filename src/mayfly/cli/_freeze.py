"""`mayfly freeze`: proven source into the module that asked for it."""

import difflib
from pathlib import Path
from typing import Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, note
from mayfly.cli._run import ModelOption
from mayfly.core import Settings


def freeze(
    module: Annotated[str, typer.Argument(help="The module, or one function of it.", metavar="FILE.py[:FUNCTION]")],
    *,
    model: ModelOption = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print what would change and write nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write every function under @mayfly.jit and prove it; put its source in the place of the decorated one."""
    from mayfly.cli._progress import Progress
    from mayfly.runtime import Runtime, freeze_module, write_module

    name, _, function = module.partition(":")
    with Runtime(Settings.load(), observer=Progress(quiet=as_json)) as runtime:
        frozen = freeze_module(runtime, Path(name), only=function, model=model)
    shown = "".join(
        difflib.unified_diff(
            frozen.before.splitlines(keepends=True), frozen.after.splitlines(keepends=True), name, f"{name} (frozen)"
        )
    )
    if not diff:
        write_module(frozen)
    if as_json:
        answer_json({"file": name, "functions": list(frozen.functions), "written": not diff, "diff": shown})
    elif diff:
        answer(shown.rstrip("\n"))
    else:
        note(f"{name}: {', '.join(frozen.functions)} frozen; read it before you keep it")
