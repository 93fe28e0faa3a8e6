"""*Policy*, *Market* and *Doctor*: rules and what they decide, money and programs, the wall of this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from mayfly import operations
from mayfly.core import InputError, MayflyError
from mayfly.operations import ProfitAndLoss, ProfitRow, doctor, market_view, standings_data
from mayfly.serve.web._answer import NotFound, looked_up
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._served import Site
from mayfly.serve.web.api._policy import open_desk, try_files
from mayfly.serve.web.pages._frame import page, see, word_in
from mayfly.serve.web.pages._plots import Bar, bar_plot

if TYPE_CHECKING:
    from mayfly.mangle import DerivationBranch, Why, WhyNot
    from mayfly.serve.web._served import ServedRuntime

router = APIRouter()
_DECISIONS = 30
# Lines that a search shows of one file.
_LINES = 40
# Past decisions that a change is tried on, and characters of a rule file.
_TRIED, _RULES = 500, 500_000
# A file without a name of its own is one that is added.
_ADDED = "tried.mg"


@router.get("/policy")
def show_policy(
    request: Request,
    served: Site,
    search: Annotated[str, Query(max_length=200)] = "",
    goal: Annotated[str, Query(max_length=2000)] = "",
    decision: str = "",
) -> HTMLResponse:
    """Show the rules, those with a text, and why a goal holds or not."""
    return page(request, "policy.html", **_shown(served, search=search, goal=goal.strip(), decision=decision))


def _shown(served: ServedRuntime, *, search: str = "", goal: str = "", decision: str = "") -> dict[str, Any]:
    rules = operations.rules_in_force(open_desk(served).snapshot, search)
    for file in rules["files"]:
        file["matches"] = file.get("matches", ())[:_LINES]
        file["about"] = _about(file.get("text", ""))
    trees: list[DerivationBranch] = []
    wrong = ""
    if goal:
        try:
            trees = _outlines(open_desk(served).explain(goal))
        except MayflyError as error:  # what was typed is no goal: that is said beside it
            wrong = str(error)
    return {
        "rules": rules,
        "search": search,
        "goal": goal,
        "trees": trees,
        "wrong": wrong,
        "decisions": operations.decisions(served.ledger, limit=_DECISIONS, decision=decision).events,
        "decision": decision,
        "tried": None,
        "asked": None,
        "typed": {},
    }


def _about(text: str) -> str:
    """Return what a rule file says of itself: its first line, where that is a comment."""
    first = text.lstrip().partition("\n")[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""


def _outlines(trees: list[Why | WhyNot]) -> list[DerivationBranch]:
    from mayfly.mangle import outline

    return [outline(tree) for tree in trees]


@router.get("/policy/rules/{name}")
def show_rules(request: Request, name: str, served: Site) -> HTMLResponse:
    """Show one rule file."""
    files = operations.rules_in_force(open_desk(served).snapshot)["files"]
    file = next((one for one in files if one["name"] == name), None)
    if file is None:
        raise NotFound(f"no rule file in force is called {name[:80]}", fix="see the list of rules")
    return page(request, "rules.html", file=file)


@router.get("/policy/decisions/{id}")
def show_decision(request: Request, id: str, served: Site) -> HTMLResponse:
    """Show one decision: by which rules and facts, and what would have it permitted."""
    with looked_up():
        found = open_desk(served).kernel().explain(id)
    told = served.ledger.last(subject=id, kind="policy.decided")
    return page(
        request,
        "decision.html",
        found=found,
        asked=told.payload if told else {},
        why=_outlines(list(found.why)),
        why_not=_outlines([found.why_not]) if found.why_not else [],
    )


@router.post("/policy/permit")
async def ask_permit(request: Request, served: Site) -> HTMLResponse:
    """Ask the rules whether something may be done; the question is recorded, and nothing is done."""
    form = await checked_form(request)
    action, target, persona = (word_in(form, name, most=2000) for name in ("action", "target", "persona"))
    if not action:
        raise InputError("no action was named", fix="type one, such as: write_file")

    def work() -> dict[str, Any]:
        kernel = open_desk(served).kernel(persona=persona or None)
        found = kernel.permitted(action, target, word_in(form, "payload"))
        return {"permit": found, "trees": _outlines(list(found.trees())), "remedies": found.remedies()}

    asked = await served.workroom.call(request, work)
    typed = {"action": action, "target": target, "persona": persona}
    return page(request, "policy.html", **{**_shown(served), "asked": asked, "typed": typed})


@router.post("/policy/simulate")
async def try_rules(request: Request, served: Site) -> HTMLResponse:
    """Say what changed rules would have decided otherwise; nothing is put into force."""
    form = await checked_form(request)
    known = {one["name"] for one in operations.rules_in_force(open_desk(served).snapshot)["files"]}
    wanted, text = word_in(form, "file", most=100), str(form.get("text", ""))[:_RULES].replace("\r\n", "\n")
    name = wanted if wanted in known else _ADDED

    tried = await served.workroom.call(request, _tried, served, {name: text})
    return page(request, "policy.html", **{**_shown(served), "tried": tried, "typed": {"file": name, "text": text}})


def _tried(served: ServedRuntime, files: dict[str, str]) -> dict[str, Any]:
    try:
        found = try_files(served, files, last=_TRIED)
    except MayflyError as error:  # rules that cannot be read are said beside what was typed
        return {"wrong": re.sub(r"/\S*/mayfly-rules-\w+/", "", str(error))}
    return {"number": found.tried, "differences": found.differences, "wrong": ""}


# Programs on the page, those nearest to promotion first.
_MOST = 100
# Payments and sales on the page, those that moved last; the API has more of them.
_LATEST = 25
# By what profit and loss is shown, in the order of the buttons.
_WAYS = ("tool", "strategy", "host", "day")


@router.get("/market")
def show_market(
    request: Request, served: Site, by: Annotated[Literal["tool", "strategy", "host", "day"], Query()] = "tool"
) -> HTMLResponse:
    """Show money and how programs stand."""
    promotion = served.runtime.promotion
    money = market_view(served.ledger, by=by, latest=_LATEST)
    standings = standings_data(promotion)
    return page(
        request,
        "market.html",
        by=by,
        ways=_WAYS,
        money=money,
        assets=list(_assets(money.pnl)),
        standings=standings["capabilities"][:_MOST],
        problems=standings["problems"],
        needed=standings["needed"],
        voters=[one.name for one in promotion.identities.all() if one.own],
    )


@router.post("/market/{hash}/vote")
async def vote(request: Request, hash: str, served: Site) -> RedirectResponse:
    """Cast a signed vote; one that completes the quorum promotes."""
    form = await checked_form(request)
    choice, identity = word_in(form, "choice"), word_in(form, "identity", most=100)
    if choice not in ("for", "against"):
        raise InputError("a vote is for or against", fix="press one of the two buttons")

    cast = served.runtime.promotion.vote
    await served.workroom.call(request, cast, hash, "for" if choice == "for" else "against", identity=identity)
    return see("/market", "voted")


def _assets(found: ProfitAndLoss) -> Iterator[dict[str, Any]]:
    """Yield each asset with its rows, its total and a plot: different ones are never added together, nor compared."""
    for total in found.totals:
        kind = (total.network, total.asset, total.decimals)
        rows = [row for row in found.rows if (row.network, row.asset, row.decimals) == kind]
        bars = [bar for row in rows for bar in _bars(row)]
        yield {"total": total, "rows": rows, "plot": bar_plot(bars, title=f"earned and spent by {found.by}")}


def _bars(row: ProfitRow) -> Iterator[Bar]:
    """Yield what a row earned, spent and may have spent, each where there is some."""
    shown, key = row.shown(), row.key or "none"
    for name, units, sign, kind in (
        ("revenue", row.revenue, "+", "good"),
        ("cost", row.cost, "−", "bad"),
        ("at_risk", row.at_risk, "?", "warn"),
    ):
        if units:
            # As a float it is only drawn; the words at its end are exact.
            yield Bar(key, units / 10**row.decimals, f"{sign}{shown[name]}", kind)


@router.get("/doctor")
def show_doctor(request: Request, served: Site) -> HTMLResponse:
    """Show what a look at the machine finds."""
    ledger = served.ledger
    attacked = ledger.last(kind="doctor.attacked")
    looked = doctor(served.runtime.settings, served.runtime.tools)
    found = {**looked.to_json(), "events": ledger.count(), "attacked": attacked}
    return page(request, "doctor.html", found=found)
