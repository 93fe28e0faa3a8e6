"""`Drafts`: tools that are made in steps, by a client whose own model writes. Kept in the ledger, for a day.

Contract and tests are handed in before the source, and do not change once there is one: tests that follow a program
say nothing about it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from mayfly.core import Contract, InputError, one_line
from mayfly.forge import read_tests
from mayfly.store import event

if TYPE_CHECKING:
    from mayfly.store import Ledger

# What of an order a draft keeps until its source comes.
_KEPT = ("intent", "name", "summary", "examples", "tests", "contract", "grants", "seconds", "accept_weak")


@event("draft.opened")
class DraftOpened:
    """Record that a tool is to be made in steps; *blob* has what was handed in."""

    by: str
    name: str
    blob: str


@event("draft.advanced")
class DraftAdvanced:
    """Record that more was handed in; *blob* has all of it. *source_seen* says that tests cannot change any more."""

    by: str
    blob: str
    source_seen: bool


@event("draft.closed")
class DraftClosed:
    """Record that a draft became a version of a tool."""

    by: str
    name: str
    version: int


@dataclass(frozen=True, kw_only=True)
class ToolDraft:
    """A tool in the making."""

    id: str
    order: Mapping[str, Any]
    source_seen: bool = False

    @property
    def wants(self) -> list[str]:
        """What is to be handed in next."""
        missing = [key for key in ("name", "contract", "tests") if not self.order.get(key)]
        return missing or ["source"]


class Drafts:
    """Open, advance and close drafts in one ledger."""

    def __init__(self, ledger: Ledger, *, hours: float) -> None:
        self._ledger = ledger
        self._hours = hours

    def open(self, order: Mapping[str, Any], *, by: str) -> ToolDraft:
        """Begin a draft with what is known so far."""
        kept = self._checked({key: order[key] for key in _KEPT if key in order})
        # Whoever knows the id can go on with it, so it is not to be guessed.
        draft = ToolDraft(id=f"dr-{secrets.token_hex(8)}", order=kept)
        self._ledger.append(DraftOpened(by=by, name=str(kept.get("name", "")), blob=self._put(kept)), subject=draft.id)
        return draft

    def get(self, id: str) -> ToolDraft:
        """Return a draft that is still open."""
        events = list(self._ledger.read(subject=id)) if id.isprintable() and 0 < len(id) <= 64 else []
        opened = next((one for one in events if one.kind == "draft.opened"), None)
        if opened is None:
            raise InputError(f"there is no draft {one_line(id, limit=64)}", fix="call create_tool without draft")
        closed = next((one for one in events if one.kind == "draft.closed"), None)
        if closed is not None:
            said = f"{closed.payload.get('name')}, version {closed.payload.get('version')}"
            raise InputError(f"the draft {id} has become {said}", fix="call it, or change it with update_tool")
        last = [one for one in events if one.kind in ("draft.opened", "draft.advanced")][-1]
        if datetime.now(UTC) - last.at > timedelta(hours=self._hours):
            raise InputError(
                f"the draft {id} is older than {self._hours:g} hours", fix="call create_tool without draft"
            )
        order = json.loads(self._ledger.get_blob(str(last.payload["blob"])))
        return ToolDraft(id=id, order=order, source_seen=last.payload.get("source_seen") is True)

    def advance(self, draft: ToolDraft, more: Mapping[str, Any], *, by: str) -> ToolDraft:
        """Add what was handed in; after a source was seen nothing but another source may come."""
        given = {key: more[key] for key in _KEPT if key in more}
        frozen = [
            key for key in ("contract", "tests", "examples") if key in given and given[key] != draft.order.get(key)
        ]
        if draft.source_seen and frozen:
            raise InputError(
                f"the {frozen[0]} of draft {draft.id} cannot change any more: there was a source already",
                fix="hand in a better source, or begin anew: call create_tool without draft",
            )
        order = self._checked({**draft.order, **given})
        seen = draft.source_seen or "source" in more
        self._ledger.append(DraftAdvanced(by=by, blob=self._put(order), source_seen=seen), subject=draft.id)
        return ToolDraft(id=draft.id, order=order, source_seen=seen)

    def close(self, draft: ToolDraft, *, name: str, version: int, by: str) -> None:
        """Say what became of it."""
        self._ledger.append(DraftClosed(by=by, name=name, version=version), subject=draft.id)

    def _put(self, order: Mapping[str, Any]) -> str:
        return self._ledger.put_blob(json.dumps(order, sort_keys=True).encode())

    def _checked(self, order: dict[str, Any]) -> dict[str, Any]:
        """Return what can be kept: a contract that is one, tests that can be read, and no secret."""
        if self._ledger.secrets.holds(order):
            raise InputError("this holds a secret, which is never kept", fix="leave it out")
        if order.get("contract"):
            order["contract"] = Contract.from_json(order["contract"]).to_json()
        if order.get("tests") and not read_tests(order["tests"], []):
            raise InputError(
                "no tests were found in tests",
                fix='write def test_…() functions that call it by its name, or {"cases": [{"input": …, "output": …}]}',
            )
        return order
