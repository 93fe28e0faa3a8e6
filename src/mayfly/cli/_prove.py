"""`mayfly prove`: run a stored proof again, or all those of a tree."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._busy import busy
from mayfly.cli._output import AsJson, answer, answer_json
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.runtime import Reproved


def prove(
    id: Annotated[
        str, typer.Argument(help="A run, a promise of it such as r-7f3a0b12/0.2.1, or a compilation.", metavar="ID")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Run the tests behind a run again, on the stored source; print True if every one of them passes.

    Of a tree of promises, or of one promise with those below it, run again what proved each of them: the tests of its
    agent, its own test on the value that is kept, or the test of a capability, which looks at the world of now.
    """
    from mayfly.runtime import Reproved, Runtime, prove_again

    with busy("running its tests again"), Runtime(Settings.load()) as runtime:
        found = prove_again(runtime, id)
    if isinstance(found, Reproved):
        _show_tests(found, as_json=as_json)
    elif as_json:
        answer_json({"id": found.id, "holds": found.holds, "nodes": [asdict(node) for node in found.nodes]})
    else:
        for node in found.nodes:
            told = one_line(node.description if node.holds else node.reason, limit=500)
            answer(f"{node.node:<8} {node.holds!s:<5}  {told}")
        answer(str(found.holds))
    if not found.holds:
        raise typer.Exit(1)


def _show_tests(found: "Reproved", *, as_json: bool) -> None:
    if as_json:
        tests = [
            {"name": result.name, "kind": result.kind, "passed": result.passed, "error": result.error}
            for result in found.results
        ]
        answer_json(
            {
                "id": found.id,
                "holds": found.holds,
                "strength": found.strength,
                "source_hash": found.source_hash,
                "tests": tests,
            }
        )
        return
    for result in found.results:
        told = "passed" if result.passed else f"failed: {one_line(result.error)}"
        answer(f"{one_line(result.name):<24} {result.kind:<10} {told}")
    answer(str(found.holds))
