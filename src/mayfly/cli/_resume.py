"""`mayfly resume`: go on with a tree where it was interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson
from mayfly.cli._run import ModelOption, Quiet, Verbose, show_outcome
from mayfly.cli._words import exit_status
from mayfly.core import InputError, Settings

if TYPE_CHECKING:
    from mayfly.runtime import Runtime


def resume(
    id: Annotated[str, typer.Argument(help="The run, as `mayfly runs` shows it.", metavar="ID")],
    *,
    model: ModelOption = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Go on with an interrupted run: what is proven is used again, the rest is resolved."""
    from mayfly.cli._tree import TreeProgress
    from mayfly.runtime import Runtime
    from mayfly.store import Ledger

    settings = Settings.load()
    ledger = Ledger.find(settings)
    if ledger is None:
        raise InputError("nothing has been run yet", fix="try: mayfly demo")
    ledger.close()
    progress = TreeProgress(quiet=quiet, verbose=verbose)
    with progress, Runtime(settings, observer=progress) as runtime:
        progress.again = _proven(runtime, id)
        outcome = runtime.resume(id, model=model)
        progress.close()
        show_outcome(outcome, as_json=as_json)
    raise typer.Exit(exit_status(outcome))


def _proven(runtime: Runtime, id: str) -> frozenset[str]:
    """Return the nodes that were proven before; a run that cannot be read is named here, in one line."""
    from mayfly.promise import saved

    tree = saved(runtime.parts.ledger, id).tree
    return frozenset(promise.id for promise in tree.walk() if promise.state.value == "resolved")
