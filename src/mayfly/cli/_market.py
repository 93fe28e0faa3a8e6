"""`mayfly market`: what is bought and sold, which programs ran often and well, and who votes for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from mayfly.cli import _typer as typer
from mayfly.cli._market_buy import buy
from mayfly.cli._market_demo import demo
from mayfly.cli._market_discover import discover
from mayfly.cli._market_pnl import pnl
from mayfly.cli._market_sell import sell
from mayfly.cli._output import AsJson, answer, answer_json, command, group, note, table
from mayfly.cli._who import By, who
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.library.promotion import Choice, Promotion, Standing

app = group("Buy and sell, what was earned and spent; vote on what is worth keeping.")
for one in (discover, buy, sell, pnl, demo):
    app.command()(one)

Wanted = Annotated[
    str, typer.Argument(help="The hash of its source, or the beginning of it; a tool also by its name.", metavar="HASH")
]
_CHOICES: "dict[str, Choice]" = {"+1": "for", "1": "for", "for": "for", "-1": "against", "against": "against"}


@contextmanager
def _promotion() -> "Iterator[Promotion]":
    from mayfly.runtime import Runtime

    with Runtime(Settings.load(), brief=True) as runtime:
        runtime.promotion.mend()
        yield runtime.promotion


@app.command(name="list")
def list_candidates(*, as_json: AsJson = False) -> None:
    """List tools and remembered agents: how often they ran, who voted, and what stands in the way of promotion."""
    with _promotion() as promotion:
        found = promotion.standings()
        problems = promotion.problems()
        needed = promotion.settings
    if as_json:
        answer_json({"capabilities": [one.to_json() for one in found], "problems": list(problems)})
        return
    for said in problems:
        note(f"mayfly: promoted/{one_line(said, limit=300)}")
    if not found:
        note(f"there is nothing to vote on yet: {command()} run, or {command()} tools write")
        return
    rows = [("HASH", "KIND", "NAME", "STATE", "RUNS", "FAILED", "VOTES", "WHAT STANDS IN THE WAY")]
    for one in found:
        it = one.candidate
        votes = f"+{it.count('for')} -{it.count('against')}"
        rows.append(
            (
                it.hash[:12],
                it.ballot.kind,
                it.name,
                one.state,
                str(it.runs),
                str(len(it.failures)),
                votes,
                "; ".join(one.reasons) or "-",
            )
        )
    for line in table(rows):
        answer(line)
    note(
        f"promotion needs more than {needed.runs} proven runs, a strong proof and {needed.quorum} votes: "
        f"{command()} market vote HASH +1"
    )


def _say(one: "Standing", *, as_json: bool) -> None:
    if as_json:
        answer_json(one.to_json())
        return
    it = one.candidate
    votes = f"{it.count('for')} for it, {it.count('against')} against it"
    answer(f"{it.name} ({it.hash[:12]}) is {one.state}: {it.runs} runs, {votes}")
    for reason in one.reasons:
        answer(f"  {reason}")
    if one.commit:
        answer(f"  committed as {one.commit[:12]}")


# `-1` is a choice here and no option.
@app.command(context_settings={"ignore_unknown_options": True})
def vote(
    wanted: Wanted,
    choice: Annotated[str, typer.Argument(help="+1 for it, -1 against it.", metavar="+1|-1")],
    *,
    identity: Annotated[
        str, typer.Option("--as", help="Which identity signs.", metavar="NAME", show_default="the only one you have")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Vote for or against a program, signed; everyone has one vote. The vote that completes the quorum promotes it."""
    if choice not in _CHOICES:
        raise InputError(f"a vote is +1 or -1, not {choice[:20]!r}")
    with _promotion() as promotion:
        standing = promotion.vote(wanted, _CHOICES[choice], identity=identity)
    _say(standing, as_json=as_json)


@app.command()
def promote(wanted: Wanted, *, as_json: AsJson = False) -> None:
    """Commit a program to promoted/ in git, where the rules allow that; the last vote of a quorum does so by itself."""
    with _promotion() as promotion:
        standing = promotion.promote(wanted)
    _say(standing, as_json=as_json)


@app.command()
def demote(
    wanted: Wanted,
    *,
    why: Annotated[str, typer.Option(help="Why.", metavar="TEXT")],
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Take a program out of promoted/; git keeps its history, and what it is otherwise it stays."""
    with _promotion() as promotion:
        commit = promotion.demote(wanted, reason=why, by=who(by))
    if as_json:
        answer_json({"commit": commit})
    else:
        answer(f"demoted, committed as {commit[:12]}")


@app.command()
def settle(
    wanted: Wanted,
    *,
    why: Annotated[str, typer.Option(help="Why they are not its fault.", metavar="TEXT")],
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Say that the failures of a program so far are not its fault, such as input that it is right to refuse."""
    with _promotion() as promotion:
        number = promotion.settle(wanted, why=why, by=who(by))
    if as_json:
        answer_json({"settled": number})
    else:
        answer(f"settled {number} failure{'s' if number != 1 else ''}")
