"""`Versions`: the library's tools as the store has them. Nothing is trusted for having been there.

A name has a row that says which version serves; each version has blobs for source, tests and card. Rows and the event
that moves them are one transaction, in which the database refuses whoever decided on an older state.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, StoreError, canonical_json
from mayfly.library._card import Card
from mayfly.library._events import ToolDeleted, ToolRetired, ToolServed, ToolWritten
from mayfly.library._memo import Tampered
from mayfly.store import Ledger, Seal, ServedTool, ToolList, ToolRow, ToolVersionRow

if TYPE_CHECKING:
    from mayfly.core import Settings

SUBJECT = "tool:"


@dataclass(frozen=True, kw_only=True)
class ToolVersion:
    """One version, opened and checked: what its card says, and its source."""

    card: Card
    source: str
    row: ToolVersionRow


class Versions:
    """Keep tools and find them again."""

    def __init__(self, ledger: Ledger, seal: Seal, *, foreign: bool = False) -> None:
        """Take the store and the key; with *foreign* what others sealed is opened, and whoever calls it proves it."""
        self.ledger = ledger
        self.rows = ToolList(ledger)
        self.seal = seal
        self._foreign = foreign

    @classmethod
    def of(cls, settings: Settings, ledger: Ledger) -> Versions:
        """Return the tools of a store, as the settings trust what other machines sealed."""
        return cls(ledger, Seal.open(settings.state), foreign=settings.library.foreign == "prove")

    def standing(self, name: str) -> ToolRow:
        """Return how a name stands; one that never was is an `InputError`."""
        found = self.rows.get(name)
        if found is None:
            raise _unknown(name)
        return found

    def serving(self, name: str) -> ServedTool:
        """Return what serves under a name; why nothing does is said."""
        found = self.rows.served(name)
        if found is None:
            row = self.standing(name)
            raise InputError(
                f"the tool {name} was deleted", fix=f"mayfly tools rollback {name} --to {row.newest} brings it back"
            )
        return found

    def add(self, card: Card, source: str, tests: str, *, before: int, by: str) -> ToolVersionRow:
        """Keep a proven version and let it serve; `ConflictError` where somebody was quicker."""
        blobs = [
            self.ledger.put_blob(text.encode("utf-8", "surrogatepass"))
            for text in (source, tests, canonical_json(card.to_json()))
        ]
        written = ToolWritten(
            version=card.version,
            before=before,
            source_blob=blobs[0],
            tests_blob=blobs[1],
            card_blob=blobs[2],
            size=len(source.encode("utf-8", "surrogatepass")),
            shape=card.shape,
            head=card.head,
            words=card.words,
            seal=self.seal.of(_sealed(card.name, card.version, *blobs)),
            by=by,
        )
        self.ledger.append(written, subject=SUBJECT + card.name)
        return self.version(card.name, card.version)

    def serve(self, name: str, version: int, *, by: str, why: str = "") -> ToolVersionRow:
        """Let a version that was there before serve again."""
        row, kept = self.standing(name), self.version(name, version)
        self.ledger.append(ToolServed(version=version, before=row.version, by=by, why=why), subject=SUBJECT + name)
        return kept

    def delete(self, name: str, *, by: str) -> int:
        """Let nothing serve under a name any more; return the version that did."""
        row = self.serving(name).tool
        self.ledger.append(ToolDeleted(before=row.version, by=by), subject=SUBJECT + name)
        return row.version

    def retire(self, row: ToolRow, *, days: float) -> None:
        """Take a tool off the lists that nobody has used for so many days."""
        self.ledger.append(ToolRetired(before=row.version, days=days), subject=SUBJECT + row.name)

    def open(self, row: ToolVersionRow) -> ToolVersion:
        """Return a version if it is whole: seal, hashes and card agree; `Tampered` names what does not."""
        try:
            if not self._foreign and not self.is_sealed(row):
                raise ValueError("its seal does not hold: it was changed, or written by another machine")
            source = self.ledger.get_blob(row.source).decode("utf-8", "surrogatepass")
            card = Card.from_json(json.loads(self.ledger.get_blob(row.card)))
            told = (card.name, card.version, card.source_hash, card.tests_hash)
            if told != (row.name, row.version, row.source, row.tests):
                raise ValueError("its card is another version's")
        except (StoreError, ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, StoreError | ValueError) else "its card cannot be read"
            raise Tampered(
                f"the tool {row.name} (version {row.version}) is refused: {reason}",
                fix=f"mayfly tools rollback {row.name}; what other machines write: MAYFLY_LIBRARY_FOREIGN=prove",
            ) from None
        return ToolVersion(card=card, source=source, row=row)

    def tests(self, row: ToolVersionRow) -> Any:
        """Return the tests of a version as data."""
        try:
            return json.loads(self.ledger.get_blob(row.tests))
        except (StoreError, ValueError, RecursionError) as error:
            raise Tampered(f"the tests of {row.name} (version {row.version}) cannot be read: {error}") from None

    def is_sealed(self, row: ToolVersionRow) -> bool:
        """Whether the seal of a row was made with this key for exactly these blobs."""
        return self.seal.holds(_sealed(row.name, row.version, row.source, row.tests, row.card), row.seal)

    def version(self, name: str, version: int) -> ToolVersionRow:
        """Return the row of one version, whether it serves or not."""
        found = self.rows.version(name, version)
        if found is None:
            known = [str(one.version) for one in self.rows.versions(name)]
            if not known:
                raise _unknown(name)
            raise InputError(
                f"there is no version {version} of {name}: known is {', '.join(known)}",
                fix=f"see: mayfly tools log {name}",
            )
        return found


def _unknown(name: str) -> InputError:
    return InputError(f"there is no tool {name[:80]!r} in the library", fix="see: mayfly tools list")


def _sealed(name: str, version: int, *hashes: str) -> str:
    return canonical_json(["tool", name, version, *hashes])
