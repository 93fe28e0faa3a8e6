"""`mayfly compile`: write and prove without running, or try given code at all gates."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mayfly.cli._check import Depth, Imports, exit_status, profile_of, read_source, verdict_lines
from mayfly.cli._inputs import given_input, read_context, read_contract, read_examples, workspace_of
from mayfly.cli._output import AsJson, answer, answer_json, foreign, note
from mayfly.cli._run import (
    ContextOption,
    ContractOption,
    ExamplesOption,
    GrantOption,
    InputOption,
    ModelOption,
    WorkspaceOption,
    tier_for,
)
from mayfly.cli._words import EXIT
from mayfly.core import InputError, MayflyError, Order, Settings, Tier, one_line
from mayfly.operations import proof_fields, verdict_fields

if TYPE_CHECKING:
    from mayfly.gates import Admission, Suite
    from mayfly.runtime import Runtime

AnyTierOption = Annotated[
    str | None,
    typer.Option(
        help=f"One of {', '.join(tier.value for tier in Tier)}; memo if none is named, authored with --grant.",
        metavar="TIER",
    ),
]


def compile(
    intent: Annotated[str, typer.Argument(help="What the program is for, in words.", metavar="INTENT")] = "",
    *,
    examples: ExamplesOption = None,
    input: InputOption = None,
    sample: Annotated[str | None, typer.Option(help="The same as --input.", metavar="FILE", hidden=True)] = None,
    model: ModelOption = None,
    context: ContextOption = None,
    contract: ContractOption = None,
    source: Annotated[str | None, typer.Option(help="Try this code instead of writing some.", metavar="FILE")] = None,
    entry: Annotated[str, typer.Option(help="The class or function to call in it.", metavar="NAME")] = "",
    lang: Annotated[Literal["python", "typescript"], typer.Option(help="The language it is written in.")] = "python",
    tests: Annotated[
        Path | None, typer.Option(help="Tests: Python with test functions, or JSON cases.", metavar="FILE")
    ] = None,
    tier: AnyTierOption = None,
    grant: GrantOption = None,
    workspace: WorkspaceOption = None,
    depth: Depth = 0,
    imports: Imports = None,
    show_source: Annotated[bool, typer.Option("--show-source", help="Print the source.")] = False,
    show_tests: Annotated[bool, typer.Option("--show-tests", help="Print the tests.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write an agent for INTENT, try it at all gates and prove it; nothing is run on your input.

    With --source, given code is tried at the same gates and proven with the same tests.
    """
    from mayfly.cli._progress import Progress
    from mayfly.forge import UNSAID
    from mayfly.runtime import Runtime

    if not intent.strip() and source is None:
        raise InputError("say what to write", fix='mayfly compile "count requests by status" --input FILE')
    settings = Settings.load()
    profile = profile_of(settings, tier or tier_for(grant), depth, imports, tuple(grant or ()))
    progress = Progress(quiet=as_json, verbose=True)
    given_source = None if source is None else read_source(source)
    given_tests = None if tests is None else read_source(str(tests))
    where = workspace_of(workspace)
    with given_input(input or sample) as given, Runtime(settings, observer=progress, workspace=where) as runtime:
        order = Order.of(
            intent.strip() or UNSAID,
            input=given.value,
            lines=given.lines,
            examples=read_examples(examples),
            context=read_context(context),
            contract=read_contract(contract),
            tier=profile.tier,
            depth=profile.depth,
            imports=profile.imports,
            grants=profile.grants,
            model=model,
        )
        try:
            found, suite = _compile(runtime, lang, order, given_source, entry=entry, tests=given_tests)
        except MayflyError as error:
            _refused(error, as_json=as_json)
    _show(found, suite, profile.grants, as_json=as_json, show_source=show_source, show_tests=show_tests)
    raise typer.Exit(exit_status(found.decision))


def _compile(
    runtime: "Runtime", lang: str, order: Order, source: str | None, *, entry: str, tests: str | None
) -> "tuple[Admission, Suite]":
    """Compile in the language that was named; what belongs to the others is not loaded."""
    if lang == "typescript":
        from mayfly.forge import compile_in_typescript
        from mayfly.runtime import state_of

        state = state_of(runtime.settings)
        return compile_in_typescript(runtime.compiler, order, source, state=state, entry=entry, tests=tests)
    if source is None:
        return runtime.compiler.write(order, tests=tests)
    return runtime.compiler.prove(order, source, entry=entry, tests=tests)


def _refused(error: MayflyError, *, as_json: bool) -> None:
    if not as_json or error.exit_status == 2:
        raise error
    from mayfly.forge import verdicts_of

    shown = [verdict_fields(verdict) for verdict in verdicts_of(error)]
    question = getattr(error, "question", None)
    answer_json(
        {
            "decision": "reject",
            "verdicts": shown,
            "source": None,
            "proof": proof_fields(None),
            "reason": str(error),
            "question": question,
        }
    )
    raise typer.Exit(3 if question else EXIT.get(error.code, 1))


def _show(
    found: "Admission", suite: "Suite", grants: tuple[str, ...], *, as_json: bool, show_source: bool, show_tests: bool
) -> None:
    if as_json:
        answer_json(
            {
                "decision": found.decision,
                "verdicts": [verdict_fields(verdict) for verdict in found.verdicts],
                "source": found.artifact.source,
                "source_hash": found.artifact.hash,
                "entry": found.entry.name if found.entry else None,
                "repairs": list(found.repairs),
                "grants": list(grants),
                "proof": proof_fields(found.proof),
                "question": found.report.question.text if found.report and found.report.question else None,
                "survivors": [survivor.describe() for survivor in found.report.survivors] if found.report else [],
                "tests": suite.to_json()["tests"] if show_tests else None,
                "milliseconds": found.milliseconds,
            }
        )
        return
    for line in (line for verdict in found.verdicts for line in verdict_lines(verdict)):
        answer(line)
    if show_tests:
        for test in suite.tests:
            note(f"test {one_line(test.name)}: {one_line(str(test.to_json()), limit=300)}")
    if show_source:
        answer(foreign(found.artifact.source.rstrip("\n"), sys.stdout))
