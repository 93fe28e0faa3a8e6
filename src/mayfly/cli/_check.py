"""`mayfly check`, `contract`, `compile`, `prove` and `freeze`: what code has to hold, and whether it does."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from mayfly.cli._frame import Shown, opened, show, shows
from mayfly.cli._inputs import given_input, read_bytes, read_context, read_contract, read_examples, workspace_of
from mayfly.cli._output import AsJson, answer, answer_json, command, foreign, note
from mayfly.cli._progress import EXIT
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
from mayfly.core import InputError, MayflyError, Order, Settings, Tier, Verdict, one_line
from mayfly.operations import pick_fields, proof_fields, verdict_fields

if TYPE_CHECKING:
    from mayfly.gates import Admission, Profile, Suite
    from mayfly.runtime import Runtime

Depth = Annotated[
    int,
    typer.Option(
        min=0, help="Depth in the tree of promises: the deeper, the simpler; 0 is one agent by itself.", metavar="N"
    ),
]
TierOption = Annotated[str, typer.Option(help=f"One of {', '.join(tier.value for tier in Tier)}.", metavar="TIER")]
Imports = Annotated[str | None, typer.Option(help="Allowed imports, instead of those of the tier.", metavar="A,B")]


@shows
def check(
    file: Annotated[str, typer.Argument(help="A file of Python; - is stdin.", metavar="FILE.py")],
    *,
    tier: TierOption = "memo",
    depth: Depth = 0,
    imports: Imports = None,
    intent: Annotated[str, typer.Option(help="What the code is for, for the judge.", metavar="TEXT")] = "",
) -> Shown:
    """Try a file at the gates syntax, stability, judge and types, and say what stands in the way and how to fix it."""
    from mayfly.operations import admission_fields, check_source

    source = read_source(file)
    profile = profile_of(Settings.load(), tier, depth, imports)
    with opened("at the gates") as runtime:
        found = check_source(runtime, source, profile=profile, intent=intent, author="file")
    lines = [line for verdict in found.verdicts for line in verdict_lines(verdict, file)]
    lines += [f"repair  types     {repair}" for repair in found.repairs]
    hint = f"{found.decision}: {file} at tier {profile.tier.value}, depth {depth}"
    return Shown(admission_fields(found), lines, hint, exit_status(found.decision))


def read_source(name: str) -> str:
    """Read Python source as text; bytes that are no UTF-8 stay visible to the syntax gate."""
    return read_bytes(name, "a file of Python").decode("utf-8", "surrogateescape")


def profile_of(settings: Settings, tier: str, depth: int, imports: str | None, grants: tuple[str, ...] = ()) -> Profile:
    """Return the limits for a tier and a depth."""
    from mayfly.gates import Profile

    if tier not in {known.value for known in Tier}:
        raise InputError(f"there is no tier {tier!r}", fix=f"use one of {', '.join(known.value for known in Tier)}")
    names = None if imports is None else frozenset(name.strip() for name in imports.split(",") if name.strip())
    return Profile.of(settings.gates, tier=Tier(tier), depth=depth, imports=names, grants=grants)


def verdict_lines(verdict: Verdict, file: str = "") -> Iterator[str]:
    """Yield a verdict on one line, and below it how to do better."""
    if verdict.code == "SYNTAX":
        yield one_line(verdict.message)
    else:
        where = (
            f"{file}:{verdict.line}: " if file and verdict.line else f"line {verdict.line}: " if verdict.line else ""
        )
        yield f"{verdict.decision:<7} {verdict.gate:<9} {where}{one_line(verdict.message)} [{verdict.code}]"
    if verdict.fix and verdict.decision != "accept":
        yield from (f"        {line}" for line in foreign(verdict.fix, sys.stdout).splitlines())


def exit_status(decision: str) -> int:
    """Return 0 for what was accepted and 1 for what was not."""
    return 0 if decision == "accept" else 1


@shows
def contract(
    intent: Annotated[str, typer.Argument(help="What the program is for, in words.", metavar="INTENT")],
    *,
    examples: ExamplesOption = None,
    input: InputOption = None,
    model: ModelOption = None,
    context: ContextOption = None,
) -> Shown:
    """Say what a program for INTENT is given, gives back and does at the edges; nothing is written or run.

    With --json it can be put into a file, changed, and given to run and compile as --contract FILE.
    """
    with given_input(input) as given, opened() as runtime:
        order = Order.of(
            intent,
            **given.options(),
            examples=read_examples(examples),
            context=read_context(context),
            model=model,
        )
        agreed = runtime.compiler.agree(order)
    hint = f"to change it: {command()} contract … --json > contract.json, then --contract contract.json"
    if not agreed.edges and not agreed.assumptions:
        known = "nothing is known of the edges: a model (--model) says more, or write them into the file yourself"
        hint = f"{known}\n{hint}"
    return Shown(agreed.to_json(), map(one_line, agreed.lines()), hint)


@shows
def prove(
    id: Annotated[
        str, typer.Argument(help="A run, a promise of it such as r-7f3a0b12/0.2.1, or a compilation.", metavar="ID")
    ],
) -> Shown:
    """Run the tests behind a run again, on the stored source; print True if every one of them passes.

    Of a tree of promises, or of one promise with those below it, run again what proved each of them: the tests of its
    agent, its own test on the value that is kept, or the test of a capability, which looks at the world of now.
    """
    from mayfly.runtime import Reproved, prove_again

    with opened("running its tests again") as runtime:
        found = prove_again(runtime, id)
    data = pick_fields(found, "id holds")
    if isinstance(found, Reproved):
        data |= pick_fields(found, "strength source_hash")
        data["tests"] = [pick_fields(result, "name kind passed error") for result in found.results]
        lines = [
            f"{one_line(one.name):<24} {one.kind:<10} {'passed' if one.passed else f'failed: {one_line(one.error)}'}"
            for one in found.results
        ]
    else:
        data["nodes"] = [asdict(node) for node in found.nodes]
        lines = [
            f"{node.node:<8} {node.holds!s:<5}  {one_line(node.description if node.holds else node.reason, limit=500)}"
            for node in found.nodes
        ]
    return Shown(data, [*lines, str(found.holds)], status=0 if found.holds else 1)


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
            **given.options(),
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
    shown = _compiled(found, suite, profile.grants, show_source=show_source, show_tests=show_tests)
    show(shown, as_json=as_json)


def _compile(
    runtime: Runtime, lang: str, order: Order, source: str | None, *, entry: str, tests: str | None
) -> tuple[Admission, Suite]:
    """Compile in the language that was named; what belongs to the others is not loaded."""
    if lang == "typescript":
        from mayfly.forge import compile_in_typescript

        state = runtime.settings.workbench_state
        return compile_in_typescript(runtime.compiler, order, source, state=state, entry=entry, tests=tests)
    if source is None:
        return runtime.compiler.write(order, tests=tests)
    return runtime.compiler.prove(order, source, entry=entry, tests=tests)


def _refused(error: MayflyError, *, as_json: bool) -> NoReturn:
    if not as_json or error.exit_status == 2:
        raise error
    from mayfly.forge import verdicts_of

    question = getattr(error, "question", None)
    answer_json(
        {
            "decision": "reject",
            "verdicts": [verdict_fields(verdict) for verdict in verdicts_of(error)],
            "source": None,
            "proof": proof_fields(None),
            "reason": str(error),
            "question": question,
        }
    )
    raise typer.Exit(3 if question else EXIT.get(error.code, 1))


def _compiled(found: Admission, suite: Suite, grants: tuple[str, ...], *, show_source: bool, show_tests: bool) -> Shown:
    report, tests = found.report, suite.to_json()["tests"] if show_tests else None
    data = {
        **pick_fields(found, "decision milliseconds"),
        "verdicts": [verdict_fields(verdict) for verdict in found.verdicts],
        "source": found.artifact.source,
        "source_hash": found.artifact.hash,
        "entry": found.entry.name if found.entry else None,
        "repairs": list(found.repairs),
        "grants": list(grants),
        "proof": proof_fields(found.proof),
        "question": report.question.text if report and report.question else None,
        "survivors": [survivor.describe() for survivor in report.survivors] if report else [],
        "tests": tests,
    }
    lines = [line for verdict in found.verdicts for line in verdict_lines(verdict)]
    if show_source:
        lines.append(foreign(found.artifact.source.rstrip("\n"), sys.stdout))
    shown = suite.tests if show_tests else ()
    hints = [f"test {one_line(test.name)}: {one_line(str(test.to_json()), limit=300)}" for test in shown]
    return Shown(data, lines, "\n".join(hints), exit_status(found.decision))
