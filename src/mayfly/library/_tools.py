"""`Tools`: the library put together. What was proven once is found, called, updated and rolled back by every process.

The store is the truth, and is asked each time: whatever any process wrote last is what serves. Files are written after
that. See docs/library.md.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from mayfly.core import Capability, ConflictError, Contract, InputError, MayflyError, content_hash, one_line
from mayfly.gates import Suite, TestResult
from mayfly.gates.stability import importable
from mayfly.library._card import Card, words_of
from mayfly.library._checkout import Checkout, CheckoutFiles
from mayfly.library._events import ToolRefused
from mayfly.library._signature import read_signature
from mayfly.library._tool_caller import OpenedTool, ToolCaller
from mayfly.library._tool_files import ToolFiles, adopt_promoted, card_file, tests_file
from mayfly.library._tool_tests import renamed_suite
from mayfly.library._tool_values import Earlier, ProvenTool, ToolChange, ToolListed, ToolMade, ToolOrder, ToolOutcome
from mayfly.store import ServedTool, ToolRow, ToolVersionRow

if TYPE_CHECKING:
    from mayfly.gates import Prover
    from mayfly.library._workshop import Workshop
    from mayfly.store import Event

_CHANGES = {"tool.written": "written", "tool.served": "served", "tool.deleted": "deleted", "tool.retired": "retired"}


class Maker(Protocol):
    """Make tools: have them written, or try what was handed in."""

    def make(self, order: ToolOrder, earlier: Earlier | None = None) -> ProvenTool | ToolMade:
        """Return a proven version, or why there is none; an order that cannot be meant is an `InputError`."""
        ...


class Tools:
    """Write, find, call and keep tools; safe to share between threads."""

    def __init__(self, parts: Workshop, maker: Maker, *, reserved: Callable[[], Collection[str]]) -> None:
        """Take what makes tools, and which names none may have: those of built-in tools, and those the rules know."""
        self._parts = parts
        self._reserved = reserved
        self._settings = parts.settings
        self._caller = ToolCaller(parts)
        self._versions = self._caller.versions
        self._files = ToolFiles(self._versions, Checkout(self._settings.state.absolute()))
        self._maker = maker

    # Making and changing.

    def write(self, intent: str, **given: Any) -> ToolMade:
        """Make a tool: the options are the fields of `ToolOrder`. What comes of it says whether it serves."""
        return self._make(ToolOrder(intent=intent, **given), update=False)

    def update(self, name: str, intent: str = "", **given: Any) -> ToolMade:
        """Make the next version of a tool; until it is proven, and where it is not, the old one serves."""
        return self._make(ToolOrder(intent=intent, name=name, **given), update=True)

    def _make(self, order: ToolOrder, *, update: bool) -> ToolMade:
        self._parts.switch.check()
        row = self._versions.rows.get(order.name) if order.name else None
        earlier = self._earlier(order.name) if update else None
        if not update:
            self._check_free(order.name, row)
        proven = self._maker.make(order, earlier)
        if isinstance(proven, ToolMade):
            return self._noted(proven, order)
        if not order.name:  # it was given one meanwhile
            row = self._versions.rows.get(proven.card.name)
            self._check_free(proven.card.name, row)
        twin = self._twin(proven)
        if twin:
            return self._noted(_refused_twin(proven, twin), order)
        return self._keep(proven, row, order)

    def _check_not_builtin(self, name: str) -> None:
        """Refuse the names of what the project itself consists of, and those that the rules know."""
        if name in self._reserved():
            raise InputError(
                f"{name} is the name of a built-in tool",
                fix=f"call yours agent_{name}; to change the built-in one: mayfly stage {name} FILE",
            )

    def _check_free(self, name: str, row: ToolRow | None) -> None:
        if name:
            self._check_not_builtin(name)
        if row is not None and row.state != "deleted":
            raise ConflictError(
                f"there is a tool {name} already (version {row.version})",
                fix=f"mayfly tools write --update --name {name} …, or another name",
            )

    def _keep(self, proven: ProvenTool, row: ToolRow | None, order: ToolOrder) -> ToolMade:
        before, newest = (row.version, row.newest) if row is not None else (0, 0)
        card = replace(proven.card, version=newest + 1, parent=before)
        kept = self._versions.add(card, proven.source, proven.tests, before=before, by=order.by)
        self._files.write(
            kept, CheckoutFiles(source=proven.source, tests=tests_file(proven.suite, card), card=card_file(card))
        )
        return ToolMade(
            decision="accept",
            name=card.name,
            version=card.version,
            reason=f"{card.strength}: {card.witness}",
            verdicts=proven.admission.verdicts,
            proof=card.kept_proof,
            card=card,
            source=proven.source,
        )

    def _noted(self, made: ToolMade, order: ToolOrder) -> ToolMade:
        """Record that something was handed in and refused; nothing of it is kept but its hash and the reason."""
        refused = ToolRefused(
            what="update" if order.name and self._versions.rows.get(order.name) else "write",
            source_hash=content_hash(made.source) if made.source else "",
            reason=one_line(made.reason, limit=500),
            by=order.by,
        )
        self._parts.ledger.append(refused, subject=f"tool:{made.name}")
        return made

    def _earlier(self, name: str) -> Earlier:
        found = self._versions.open(self._versions.serving(name).version)
        suite = Suite.from_json(self._versions.tests(found.row))
        card = found.card
        return Earlier(
            suite=suite,
            signature=read_signature(found.source, name),
            grants=card.grants,
            tests_by=card.tests_by,
            intent=card.intent,
            summary=card.summary,
            contract=Contract.from_json(card.contract) if card.contract else None,
        )

    def _twin(self, proven: ProvenTool) -> str:
        """Return the tool that does the same: each passes the tests of the other, whatever they are called."""
        card, rows, most = proven.card, self._versions.rows, self._settings.library.twins
        near = [one.name for one in rows.find(card.words, limit=most, shape=card.shape)]
        near += rows.alike(card.shape, limit=most)
        entry = proven.admission.entry
        assert entry is not None, "what was proven has an entry"
        prover = self._parts.prover
        for name in [one for one in dict.fromkeys(near) if one != card.name][:most]:
            with suppress(MayflyError):  # one that cannot be opened is nobody's twin
                served = rows.served(name)
                if served is None:
                    continue
                other = self._caller.open(served.version)
                if other.card.opened or card.opened:
                    continue  # what reaches outside is not run to compare
                theirs = Suite.from_json(self._versions.tests(other.row))
                imports = importable(other.profile)
                mine = renamed_suite(proven.suite, card.name, name)
                passed = prover.rerun(other.source, other.entry, mine, imports=imports)
                if not passed or not all(one.passed for one in passed):
                    continue
                theirs = renamed_suite(theirs, name, card.name)
                passed = prover.rerun(proven.source, entry, theirs, imports=imports)
                if passed and all(one.passed for one in passed):
                    return name
        return ""

    def delete(self, name: str, *, by: str = "") -> int:
        """Let nothing serve under a name any more and return the version that did; all versions stay in the store."""
        self._check_not_builtin(name)
        gone = self._versions.delete(name, by=by)
        self._files.remove(name)
        return gone

    def rollback(self, name: str, to: int | None = None, *, by: str = "") -> int:
        """Let an earlier version serve again, the one before unless said; return which."""
        row = self._versions.standing(name)
        if to is None:
            to = self._before(row)
        if to == row.version and row.state == "serving":
            raise ConflictError(f"version {to} of {name} serves already", fix=f"see: mayfly tools log {name}")
        self._caller.open(self._versions.version(name, to))
        kept = self._versions.serve(name, to, by=by, why="rollback")
        self._files.repair(kept)
        return to

    def _before(self, row: ToolRow) -> int:
        """Return the version that served before the one that does now, or last did."""
        versions = [one.version for one in self._versions.rows.versions(row.name)]
        if not row.version:
            return row.newest
        card = self._versions.open(self._versions.version(row.name, row.version)).card
        earlier = [one for one in versions if one < row.version]
        if card.parent in versions:
            return card.parent
        if not earlier:
            raise InputError(f"{row.name} has no version before {row.version}", fix=f"see: mayfly tools log {row.name}")
        return earlier[-1]

    def restore(self, name: str, *, by: str = "") -> int:
        """Let a tool that was retired be found and called again."""
        row = self._versions.standing(name)
        if row.state != "retired":
            raise ConflictError(f"{name} is not retired: it is {row.state}", fix="see: mayfly tools list")
        self._versions.serve(name, row.version, by=by, why="restored")
        return row.version

    # Looking.

    def list(self, *, state: str = "") -> tuple[ToolListed, ...]:
        """Return every tool that serves or is retired, by name; no blob is read."""
        return tuple(_listed(one) for one in self._versions.rows.all(state=state))

    def show(self, name: str, version: int = 0) -> tuple[Card, str]:
        """Return the card and the source of a version, of the one that serves unless said."""
        row = self._versions.version(name, version) if version else self._versions.serving(name).version
        found = self._versions.open(row)
        return found.card, found.source

    def open(self, name: str) -> OpenedTool:
        """Return the version that serves, ready to be run; raises why it may not be."""
        return self._caller.open(self._versions.serving(name).version)

    @property
    def prover(self) -> Prover:
        """What runs tests behind the wall."""
        return self._parts.prover

    def versions(self, name: str) -> tuple[ToolVersionRow, ...]:
        """Return every version of a tool, the oldest first."""
        self._versions.standing(name)
        return tuple(self._versions.rows.versions(name))

    def standing(self, name: str) -> ToolRow:
        """Return how a name stands."""
        return self._versions.standing(name)

    def log(self, name: str) -> tuple[Event, ...]:
        """Return what happened to a tool, without its calls, the oldest first."""
        self._versions.standing(name)
        events = self._parts.ledger.read(subject=f"tool:{name}")
        return tuple(one for one in events if one.kind not in ("tool.called", "tool.returned"))

    def diff(self, name: str, a: int, b: int) -> str:
        """Return how the source and the tests of two versions differ."""
        texts = []
        for version in (a, b):
            found = self._versions.open(self._versions.version(name, version))
            suite = Suite.from_json(self._versions.tests(found.row))
            texts.append({"tool.py": found.source, "test_tool.py": tests_file(suite, found.card)})
        parts: list[str] = []
        for file in texts[0]:
            old, new = (text[file].splitlines(keepends=True) for text in texts)
            parts += difflib.unified_diff(old, new, f"{name}@{a}/{file}", f"{name}@{b}/{file}")
        return "".join(parts)

    def find(self, intent: str, limit: int = 10) -> tuple[ToolListed, ...]:
        """Return the tools that a request may mean, the likeliest first; by words and schemas, without a model."""
        ranked = self._versions.rows.find(words_of(intent), limit=limit)
        found = [(one, self._versions.rows.served(one.name)) for one in ranked]
        return tuple(replace(_listed(served), score=one.score) for one, served in found if served is not None)

    def call(self, name: str, arguments: object, **options: Any) -> ToolOutcome:
        """Call a tool; never raises. The options are *version*, *stop*, *seconds*, *key* and *run*."""
        return self._caller.call(name, arguments, **options)

    def verify(self, name: str, version: int = 0) -> tuple[OpenedTool, tuple[TestResult, ...]]:
        """Run the tests on a card again."""
        row = self._versions.version(name, version) if version else self._versions.serving(name).version
        return self._caller.verify(row)

    def capability(self, name: str, version: int = 0, *, run: str = "") -> Capability | None:
        """Return a tool as trees and sessions call it; None where there is none that serves."""
        if version:
            row = self._versions.rows.version(name, version)
            return None if row is None else self._caller.capability(row, json.loads(row.head), run=run)
        served = self._versions.rows.served(name)
        if served is None or served.tool.state != "serving":
            return None
        return self._caller.capability(served.version, json.loads(served.version.head), run=run)

    def names_for(self, words: Sequence[str], limit: int) -> tuple[str, ...]:
        """Return the names of the tools that have some of the words, the likeliest first."""
        return tuple(one.name for one in self._versions.rows.find(words, limit=limit))

    def capabilities_for(self, intent: str, limit: int | None = None) -> tuple[Capability, ...]:
        """Return the tools that a request may mean, as capabilities."""
        most = self._settings.library.offered if limit is None else limit
        found = (self.capability(name) for name in self.names_for(words_of(intent), most))
        return tuple(one for one in found if one is not None)

    # What other processes and people did.

    def changes(self, *, after: int | None = None, stop: threading.Event | None = None) -> Iterator[ToolChange]:
        """Yield what happens to tools in any process, within a second of it; ends after *stop* is set."""
        for event in self._parts.ledger.follow(after=after, stop=stop):
            if event.kind in _CHANGES:
                version = int(event.payload.get("version", 0) or 0)  # type: ignore[arg-type]
                name = event.subject.removeprefix("tool:")
                yield ToolChange(what=_CHANGES[event.kind], name=name, version=version, event=event.id)

    def refresh(self) -> tuple[str, ...]:
        """Take in what was put into the checkout by hand, mend the rest, retire what nobody uses; say what was odd."""
        return (
            *adopt_promoted(self._parts, self._versions, self._files, self._check_not_builtin),
            *self._files.adopt(self._make),
            *self._files.mend(),
            *self._retire(),
        )

    def problems(self) -> tuple[str, ...]:
        """Return what is wrong with the library: versions that are not whole, files that are not as they should be."""
        return (*self._files.problems(), *(f"promoted/{one}" for one in self._parts.promotion.problems()))

    def _retire(self) -> Iterator[str]:
        days = self._settings.library.retire
        # A hundred years are longer than any clock can be asked about.
        since = stamp_of(days) if days < 36_500 else ""
        for row in self._versions.rows.unused(since) if since else ():
            served = self._versions.rows.served(row.name)
            if served is None or self._parts.promotion.is_promoted(served.version.source):
                continue  # what is promoted is kept whether it is used or not
            with suppress(ConflictError):  # somebody has just deleted it, or made another version
                self._versions.retire(row, days=days)
                yield f"{row.name} is retired: nobody used it for {days:g} days; mayfly tools restore {row.name}"

    async def awrite(self, intent: str, **given: Any) -> ToolMade:
        """Do what `write` does without blocking the event loop."""
        return await asyncio.to_thread(self.write, intent, **given)

    async def aupdate(self, name: str, intent: str = "", **given: Any) -> ToolMade:
        """Do what `update` does without blocking the event loop."""
        return await asyncio.to_thread(self.update, name, intent, **given)

    async def acall(self, name: str, arguments: object, **options: Any) -> ToolOutcome:
        """Do what `call` does without blocking the event loop."""
        return await asyncio.to_thread(self.call, name, arguments, **options)


def _refused_twin(proven: ProvenTool, twin: str) -> ToolMade:
    return ToolMade(
        decision="reject",
        name=proven.card.name,
        reason=f"there is a tool that does the same: {twin} passes its tests, and it passes those of {twin}",
        fix=f"use {twin}, or make it better: mayfly tools write --update --name {twin}",
        verdicts=proven.admission.verdicts,
        proof=proven.card.kept_proof,
        source=proven.source,
        twin=twin,
    )


def _listed(one: ServedTool) -> ToolListed:
    head = json.loads(one.version.head)
    return ToolListed(
        name=one.tool.name,
        version=one.tool.version,
        state=one.tool.state,
        summary=str(head.get("summary", "")),
        strength=str(head.get("strength", "")),
        grants=tuple(head.get("grants", ())),
        calls=one.tool.calls,
        failures=one.tool.failures,
        used=one.tool.used,
        input_schema=head.get("input_schema", {}),
        output_schema=head.get("output_schema", {}),
    )


def stamp_of(days: float) -> str:
    """Return the moment so many days ago, as the store writes moments."""
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="microseconds")
