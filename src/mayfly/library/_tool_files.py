"""The checkout of the library kept as the store has it; edited files and promoted tools come in through the gates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from mayfly.core import Artifact, InputError, MayflyError, StoreError, Tier, content_hash, one_line
from mayfly.gates import Profile, Suite
from mayfly.library._card import Card
from mayfly.library._checkout import Checkout, CheckoutFiles
from mayfly.library._tool_tests import text_of_tests
from mayfly.library._tool_values import FILE, ToolMade, ToolOrder
from mayfly.library._versions import Versions

if TYPE_CHECKING:
    from mayfly.gates import Admission
    from mayfly.library._checkout import CheckedOutFile
    from mayfly.library._workshop import Workshop
    from mayfly.library.promotion import Promoted
    from mayfly.store import ServedTool, ToolVersionRow


# Makes a version of an order that somebody hands in, or with *update* the next one of a tool that serves.
Make = Callable[..., ToolMade]


class ToolFiles:
    """Write, mend and read the files of the library; what goes wrong with files changes nothing that serves."""

    def __init__(self, versions: Versions, checkout: Checkout) -> None:
        self._versions = versions
        self._checkout = checkout

    def write(self, row: ToolVersionRow, files: CheckoutFiles) -> None:
        """Write the files of a version; where that cannot be done, the version serves all the same."""
        with suppress(StoreError):
            self._checkout.write(row, files)

    def remove(self, name: str) -> None:
        """Take the files of a tool away that is gone."""
        self._checkout.remove(name)

    def repair(self, row: ToolVersionRow, *, point: bool = True) -> None:
        """Write the files of a version as the store has it, and let the pointer name it."""
        found = self._versions.open(row)
        suite = Suite.from_json(self._versions.tests(row))
        files = CheckoutFiles(source=found.source, tests=tests_file(suite, found.card), card=card_file(found.card))
        with suppress(StoreError):
            self._checkout.write(row, files, point=point)

    def mend(self) -> Iterator[str]:
        """Write what is missing, take away what is gone, and say what cannot be opened."""
        for one in self._versions.rows.all():
            if not self._is_written_out(one):
                try:
                    self.repair(one.version)
                except MayflyError as error:
                    yield str(error)
        gone = {row.name for row in self._versions.rows.deleted()}
        for name in gone.intersection(self._checkout.names()):
            self._checkout.remove(name)

    def problems(self) -> Iterator[str]:
        """Yield what is not whole, of what serves and of its files."""
        for one in self._versions.rows.all():
            try:
                self._versions.open(one.version)
                self._versions.tests(one.version)
            except MayflyError as error:
                yield str(error)
                continue
            if self._checkout.was_edited(one.version):
                yield f"a file of {one.tool.name} was edited and is not in force: mayfly tools list says why"
            elif not self._is_written_out(one):
                yield f"the files of {one.tool.name} are not what serves: mayfly tools list mends them"

    def _is_written_out(self, one: ServedTool) -> bool:
        pointed = self._checkout.points_to(one.tool.name) == self._checkout.directory(one.version).name
        return pointed and self._checkout.is_whole(one.version)

    def adopt(self, make: Make) -> Iterator[str]:
        """Make versions of files that were edited or put there, where they pass; say what came of each."""
        for candidate in self._checkout.candidates(self._versions.rows.all()):
            yield from self._adopt(candidate, make)

    def _adopt(self, candidate: CheckedOutFile, make: Make) -> Iterator[str]:
        where = f"library/{candidate.path.relative_to(self._checkout.folder)}"
        if candidate.problem:
            yield f"{where} is left out: {candidate.problem}"
            return
        served = self._versions.rows.served(candidate.name)
        try:
            made = self._made(candidate, served, make)
        except MayflyError as error:
            made = ToolMade(decision="reject", name=candidate.name, reason=error.message)
        if made is not None and not made.accepted:
            on = f"; version {served.tool.version} serves" if served is not None else ""
            yield f"{where}/tool.py is left out: {made.reason}{on}"
            return
        self._checkout.discard(candidate)
        if served is not None:
            self.repair(served.version, point=made is None)
        if made is not None:
            yield f"{where}/tool.py was proven and serves as version {made.version} of {candidate.name}"

    def _made(self, candidate: CheckedOutFile, served: ServedTool | None, make: Make) -> ToolMade | None:
        """Return what came of a candidate; None where it is what serves anyway."""
        tests, edited = candidate.tests, candidate.tests is not None
        if served is not None:
            found = self._versions.open(served.version)
            suite = Suite.from_json(self._versions.tests(found.row))
            edited = tests is not None and tests != tests_file(suite, found.card)
            if content_hash(candidate.source) == found.row.source and not edited:
                return None
        order = ToolOrder(
            intent="",
            name=candidate.name,
            source=candidate.source,
            tests=tests if edited else None,
            by=FILE,
            replace_tests=edited,
        )
        return self._refused_before(candidate, edited=edited) or make(order, update=served is not None)

    def _refused_before(self, candidate: CheckedOutFile, *, edited: bool) -> ToolMade | None:
        """Return what was said of the same file before: it is not tried again at every look."""
        last = self._versions.ledger.last(kind="tool.refused", subject=f"tool:{candidate.name}")
        if edited or last is None or last.payload.get("source_hash") != content_hash(candidate.source):
            return None
        return ToolMade(decision="reject", name=candidate.name, reason=str(last.payload.get("reason", "")))


def tests_file(suite: Suite, card: Card) -> str:
    """Return the tests of a version as its checkout has them."""
    return text_of_tests(suite, card.name, spread=card.spread, method="invoke" if card.is_class else "")


def card_file(card: Card) -> str:
    """Return a card as its checkout has it."""
    return json.dumps(card.to_json(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def adopt_promoted(
    parts: Workshop, versions: Versions, files: ToolFiles, check_name: Callable[[str], None]
) -> Iterator[str]:
    """Make a first version of each, and say what came of it; one that was deleted here is not brought back."""
    for one in parts.promotion.tools():
        if versions.rows.get(one.name) is not None:
            continue
        try:
            check_name(one.name)
            card, suite = Card.from_json(one.about.get("card")), Suite.from_json(json.loads(one.tests))
            admission = _proven(parts, one, card, suite)
        except (MayflyError, ValueError, TypeError, KeyError) as error:
            yield f"promoted/{one.place} is left out: {one_line(str(error), limit=300)}"
            continue
        card = replace(
            card,
            version=1,
            parent=0,
            verdicts=tuple(asdict(it) for it in admission.verdicts),
            proof=asdict(admission.proof) if admission.proof else {},
            versions=parts.versions(),
        )
        kept = versions.add(card, one.source, one.tests, before=0, by="promoted")
        files.write(kept, CheckoutFiles(source=one.source, tests=tests_file(suite, card), card=card_file(card)))
        yield f"promoted/{one.place} was proven and serves as {one.name}"


def _proven(parts: Workshop, one: Promoted, card: Card, suite: Suite) -> Admission:
    artifact = Artifact(kind="tool", source=one.source, entry=card.name, author=card.author)
    profile = Profile.of(parts.settings.gates, tier=Tier.AUTHORED, grants=card.opened)
    admission = parts.gates().admit(artifact, profile=profile, suite=suite, intent=card.intent, spread=card.spread)
    proof = admission.proof
    if admission.decision != "accept" or proof is None or not proof.holds or card.name != one.name:
        raise InputError(next((it.message for it in admission.verdicts if it.decision != "accept"), "it is not proven"))
    return admission
