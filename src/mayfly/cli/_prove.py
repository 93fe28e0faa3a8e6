"""`mayfly prove`: run a stored proof again."""

from typing import Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, one_line
from mayfly.core import Settings


def prove(
    id: Annotated[str, typer.Argument(help="The id of a run or compilation.", metavar="ID")],
    *,
    as_json: AsJson = False,
) -> None:
    """Run the tests behind a run again, on the stored source; print True if every one of them passes."""
    from mayfly.runtime import Runtime, prove_again

    with Runtime(Settings.load()) as runtime:
        found = prove_again(runtime, id)
    if as_json:
        tests = [
            {"name": result.name, "kind": result.kind, "passed": result.passed, "error": result.error}
            for result in found.results
        ]
        answer_json(
            {
                "id": id,
                "holds": found.holds,
                "strength": found.strength,
                "source_hash": found.source_hash,
                "tests": tests,
            }
        )
    else:
        for result in found.results:
            told = "passed" if result.passed else f"failed: {one_line(result.error)}"
            answer(f"{one_line(result.name):<24} {result.kind:<10} {told}")
        answer(str(found.holds))
    if not found.holds:
        raise typer.Exit(1)
