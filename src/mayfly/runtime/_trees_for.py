"""What serves the steps of trees: capabilities, the library, what is sold in shops, and sessions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import (
    Capability,
)
from mayfly.library import LibrarySupply, LookUp, Registry
from mayfly.persona import Desk
from mayfly.runtime._tree import Trees
from mayfly.session import Stager, open_approvals
from mayfly.world import StepChanges, builtins

if TYPE_CHECKING:
    from mayfly.forge import Observer
    from mayfly.library import Tools
    from mayfly.runtime._parts import Parts
    from mayfly.runtime._work import OpenSession
    from mayfly.session import Approvals


def library_of(parts: Parts, tools: Tools) -> LookUp:
    """Return where names are looked up that this program has not: in the library, then in the shops."""
    market = parts.settings.market
    if not (market.shops or market.hosts):
        return tools.capability
    # Imported where it is used: most programs buy nothing.
    from mayfly.market import Shops

    shops = Shops(parts)
    return lambda name, version: tools.capability(name, version) or shops.capability(name, version)


def step_changes(parts: Parts) -> StepChanges:
    """Return what keeps the changes of steps: judged by the rules of their workspace, in the journal of sessions."""
    settings, ledger = parts.settings, parts.ledger
    return StepChanges(
        settings=settings,
        state=settings.workbench_state,
        ledger=ledger,
        kernel=lambda workspace, run: Desk(settings, ledger=ledger, workspace=workspace).kernel(session=run),
        inbox=lambda: _inbox(parts),
    )


def _inbox(parts: Parts) -> Approvals:
    settings, ledger = parts.settings, parts.ledger
    return open_approvals(settings, Desk(settings, ledger=ledger), ledger)


def trees_for(
    parts: Parts,
    tools: Tools,
    given: Sequence[Capability],
    *,
    workspace: Path,
    tell: Observer,
    model: str | None,
    open_session: OpenSession,
    intent: str = "",
) -> Trees:
    """Return what serves trees with the parts of a runtime; of the library those tools that *intent* may mean."""
    settings = parts.settings
    own = (*Stager(settings, parts.ledger).watching(builtins(settings, step_changes(parts))), *given)
    taken = {one.name for one in own}
    # The others of the library are found by their names.
    found = tools.capabilities_for(intent) if intent else ()
    listed = (*own, *(one for one in found if one.name not in taken))
    registry = Registry(listed, library=library_of(parts, tools), search=tools.capabilities_for)
    if model:
        # Imported where it is used: agents that work with tools load what sessions are made of.
        from mayfly.runtime._work import work_capability

        registry.add(work_capability(settings, model, open_session))
    return Trees(parts=parts, tell=tell, workspace=workspace, registry=registry, supply=LibrarySupply(tools))
