"""`mayfly check`: the static gates on a file, nothing run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._busy import busy
from mayfly.cli._output import AsJson, answer, answer_json, note
from mayfly.cli._verdicts import exit_status, show_verdict
from mayfly.core import InputError, Settings, Tier

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


def profile_of(
    settings: Settings, tier: str, depth: int, imports: str | None, grants: tuple[str, ...] = ()
) -> "Profile":
    """Return the limits for a tier and a depth."""
    from mayfly.gates import Profile

    if tier not in {known.value for known in Tier}:
        raise InputError(f"there is no tier {tier!r}", fix=f"use one of {', '.join(known.value for known in Tier)}")
    names = None if imports is None else frozenset(name.strip() for name in imports.split(",") if name.strip())
    return Profile.of(settings.gates, tier=Tier(tier), depth=depth, imports=names, grants=grants)
