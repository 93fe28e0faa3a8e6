"""`mayfly check`, `contract`, `prove` and `freeze`: what code has to hold, and whether it does."""

from __future__ import annotations

import difflib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._inputs import given_input, read_context, read_examples
from mayfly.cli._output import AsJson, answer, answer_json, busy, command, foreign, note
from mayfly.cli._output import answer as write
from mayfly.cli._run import ContextOption, ExamplesOption, InputOption, ModelOption
from mayfly.core import InputError, Order, Settings, Tier, Verdict, one_line

if TYPE_CHECKING:
    from mayfly.gates import Profile
    from mayfly.runtime import Reproved

Depth = Annotated[
    int,
    typer.Option(
        min=0, help="Depth in the tree of promises: the deeper, the simpler; 0 is one agent by itself.", metavar="N"
    ),
]
TierOption = Annotated[str, typer.Option(help=f"One of {', '.join(tier.value for tier in Tier)}.", metavar="TIER")]
Imports = Annotated[str | None, typer.Option(help="Allowed imports, instead of those of the tier.", metavar="A,B")]


def check(
    file: Annotated[str, typer.Argument(help="A file of Python; - is stdin.", metavar="FILE.py")],
    *,
    tier: TierOption = "memo",
    depth: Depth = 0,
    imports: Imports = None,
    intent: Annotated[str, typer.Option(help="What the code is for, for the judge.", metavar="TEXT")] = "",
    as_json: AsJson = False,
) -> None:
    """Try a file at the gates syntax, stability, judge and types, and say what stands in the way and how to fix it."""
    from mayfly.operations import admission_fields, check_source
    from mayfly.runtime import Runtime

    source = read_source(file)
    settings = Settings.load()
    profile = profile_of(settings, tier, depth, imports)
    with busy("at the gates"), Runtime(settings) as runtime:
        found = check_source(runtime, source, profile=profile, intent=intent, author="file")
    if as_json:
        answer_json(admission_fields(found))
    else:
        for verdict in found.verdicts:
            show_verdict(verdict, file)
        for repair in found.repairs:
            answer(f"repair  types     {repair}")
        note(f"{found.decision}: {file} at tier {profile.tier.value}, depth {depth}")
    raise typer.Exit(exit_status(found.decision))


def read_source(name: str) -> str:
    """Read Python source as text; bytes that are no UTF-8 stay visible to the syntax gate."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot read {name}: {getattr(error, 'strerror', None) or error}", fix="name a file of Python"
        ) from None
    return data.decode("utf-8", "surrogateescape")


def profile_of(settings: Settings, tier: str, depth: int, imports: str | None, grants: tuple[str, ...] = ()) -> Profile:
    """Return the limits for a tier and a depth."""
    from mayfly.gates import Profile

    if tier not in {known.value for known in Tier}:
        raise InputError(f"there is no tier {tier!r}", fix=f"use one of {', '.join(known.value for known in Tier)}")
    names = None if imports is None else frozenset(name.strip() for name in imports.split(",") if name.strip())
    return Profile.of(settings.gates, tier=Tier(tier), depth=depth, imports=names, grants=grants)


def show_verdict(verdict: Verdict, file: str = "") -> None:
    """Print a verdict on one line, and below it how to do better."""
    if verdict.code == "SYNTAX":
        answer(one_line(verdict.message))
    else:
        where = (
            f"{file}:{verdict.line}: " if file and verdict.line else f"line {verdict.line}: " if verdict.line else ""
        )
        answer(f"{verdict.decision:<7} {verdict.gate:<9} {where}{one_line(verdict.message)} [{verdict.code}]")
    if verdict.fix and verdict.decision != "accept":
        answer("\n".join(f"        {line}" for line in foreign(verdict.fix, sys.stdout).splitlines()))


def exit_status(decision: str) -> int:
    """Return 0 for what was accepted and 1 for what was not."""
    return 0 if decision == "accept" else 1


def contract(
    intent: Annotated[str, typer.Argument(help="What the program is for, in words.", metavar="INTENT")],
    *,
    examples: ExamplesOption = None,
    input: InputOption = None,
    model: ModelOption = None,
    context: ContextOption = None,
    as_json: AsJson = False,
) -> None:
    """Say what a program for INTENT is given, gives back and does at the edges; nothing is written or run.

    With --json it can be put into a file, changed, and given to run and compile as --contract FILE.
    """
    from mayfly.runtime import Runtime

    with given_input(input) as given, Runtime(Settings.load()) as runtime:
        order = Order.of(
            intent,
            input=given.value,
            lines=given.lines,
            examples=read_examples(examples),
            context=read_context(context),
            model=model,
        )
        agreed = runtime.compiler.agree(order)
    if as_json:
        answer_json(agreed.to_json())
        return
    for line in agreed.lines():
        write(one_line(line))
    if not agreed.edges and not agreed.assumptions:
        note("nothing is known of the edges: a model (--model) says more, or write them into the file yourself")
    note(f"to change it: {command()} contract … --json > contract.json, then --contract contract.json")


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


def _show_tests(found: Reproved, *, as_json: bool) -> None:
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
