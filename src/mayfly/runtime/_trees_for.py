"""Put together what plans and resolves trees: capabilities, the library, and where missing tools come from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import Capability
from mayfly.library import LookUp, Registry
from mayfly.runtime._bought import Shops
from mayfly.runtime._policy import Desk
from mayfly.runtime._staging import Stager
from mayfly.runtime._tool_supply import LibrarySupply
from mayfly.runtime._tree import Trees
from mayfly.world import StepChanges, builtins

if TYPE_CHECKING:
    from mayfly.runtime._run import Runtime
    from mayfly.runtime._story import Observer
    from mayfly.session import Approvals


def library_of(runtime: Runtime) -> LookUp:
    """Return where names are looked up that this program has not: in the library, then in the shops."""
    tools, shops = runtime.tools, Shops(runtime.parts)
    return lambda name, version: tools.capability(name, version) or shops.capability(name, version)


def step_changes(runtime: Runtime) -> StepChanges:
    """Return what keeps the changes of steps: judged by the rules of their workspace, in the journal of sessions."""
    settings, ledger = runtime.settings, runtime.parts.ledger
    return StepChanges(
        settings=settings,
        state=settings.state.absolute() / "workbench",
        ledger=ledger,
        kernel=lambda workspace, run: Desk(settings, ledger=ledger, workspace=workspace).kernel(session=run),
        inbox=lambda: _inbox(runtime),
    )


def _inbox(runtime: Runtime) -> Approvals:
    # Imported where it is used: most trees change nothing, and sessions are much to load.
    from mayfly.runtime._session import open_approvals

    settings, ledger = runtime.settings, runtime.parts.ledger
    return open_approvals(settings, Desk(settings, ledger=ledger), ledger)


def trees_for(
    runtime: Runtime,
    given: Sequence[Capability],
    workspace: Path,
    tell: Observer,
    *,
    model: str | None,
    intent: str = "",
) -> Trees:
    """Return what serves the trees of *runtime*; of the library those tools are listed that *intent* may mean."""
    settings, tools = runtime.settings, runtime.tools
    own = (*Stager(settings, runtime.parts.ledger).watching(builtins(settings, step_changes(runtime))), *given)
    taken = {one.name for one in own}
    # The others of the library are found by their names.
    found = tools.capabilities_for(intent) if intent else ()
    listed = (*own, *(one for one in found if one.name not in taken))
    registry = Registry(listed, library=library_of(runtime), search=tools.capabilities_for)
    if model:
        # Imported where it is used: agents that work with tools load what sessions are made of.
        from mayfly.runtime._work import work_capability

        registry.add(work_capability(settings, model))
    supply = LibrarySupply(tools)
    return Trees(parts=runtime.parts, tell=tell, workspace=workspace, registry=registry, supply=supply)
