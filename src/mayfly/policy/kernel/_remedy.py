"""Say in a person's words what would get an action permitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mayfly.mangle import Name, show_row, show_value

if TYPE_CHECKING:
    from mayfly.mangle import Change, Repair, Row, Value, WhyNot


def remedies(found: WhyNot) -> tuple[str, ...]:
    """Return each change that would get the goal to hold, as something a person can do."""
    return tuple(dict.fromkeys(" and ".join(map(_say, repair.changes)) for repair in found.repairs))


def sensible(found: WhyNot) -> WhyNot:
    """Return the explanation without changes that open more than was asked for."""
    kept = tuple(repair for repair in found.repairs if not any(_wider(repair, other) for other in found.repairs))
    return replace(found, repairs=kept)


def _wider(repair: Repair, other: Repair) -> bool:
    """Tell whether *repair* names a whole domain where *other* names one host of it."""
    pairs = [(_host(mine), _host(its)) for mine in repair.changes for its in other.changes if _alike(mine, its)]
    return any(mine and its and its.endswith(f".{mine}") for mine, its in pairs)


def _alike(one: Change, other: Change) -> bool:
    return one.kind == other.kind == "add" and one.fact.symbol == other.fact.symbol


def _host(change: Change) -> str:
    last = change.fact.row[-1] if change.fact.symbol.name in ("allowed_host", "grant") else None
    return last if isinstance(last, str) else ""


def _grant(row: Row, free: tuple[int, ...]) -> str:
    detail = "" if 1 in free else f" for {_plain(row[1])}"
    return f"the artifact is granted {_plain(row[0])}{detail}"


_SAID: Final[Mapping[str, Callable[[Row, tuple[int, ...]], str]]] = {
    "approved": lambda row, free: "a person approves exactly this action",
    "allowed_host": lambda row, free: f"{_plain(row[0])} is put on the list of hosts",
    "grant": _grant,
    "granted_tool": lambda row, free: f"the agent's configuration names the tool {_plain(row[0])}",
    "allowed_package": lambda row, free: f"{_plain(row[0])} is put on the list of packages that agents may install",
    "send_host": lambda row, free: f"{_plain(row[0])} is put on the list of hosts that data may be sent to",
    "spend_limit": lambda row, free: f"up to {_plain(row[0])} cents may be spent without asking",
    "policy_allows": lambda row, free: "a policy of the agent allows it",
}


def _say(change: Change) -> str:
    said = _SAID.get(change.fact.symbol.name)
    if change.kind == "add" and said is not None:
        return said(change.fact.row, change.free)
    verb = "is given" if change.kind == "add" else "is taken back"
    return f"{show_row(*change.fact)} {verb}"


def _plain(value: Value) -> str:
    if isinstance(value, Name):
        return value.text.removeprefix("/")
    return value if isinstance(value, str) else show_value(value)
