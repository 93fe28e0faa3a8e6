"""`mayfly check`, `contract`, `prove` and `freeze`: what code has to hold, and whether it does."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, opened, shows
from mayfly.cli._inputs import given_input, read_bytes, read_context, read_examples
from mayfly.cli._output import AsJson, answer, answer_json, command, foreign, note
from mayfly.cli._run import ContextOption, ExamplesOption, InputOption, ModelOption
from mayfly.core import InputError, Order, Settings, Tier, Verdict, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.gates import Profile

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
            input=given.value,
            lines=given.lines,
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
