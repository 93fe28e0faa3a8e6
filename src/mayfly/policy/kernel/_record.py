"""Write decisions to the ledger so that they can be explained and tried again, and read them back.

What a session and a day have spent is read from there too, and added to in one piece with the permit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mayfly.core import InputError, canonical_json, clipped, content_hash, without_secrets
from mayfly.mangle import Name, show_row
from mayfly.policy.kernel._events import PolicyDecided, PolicyRouted, PolicySpent
from mayfly.policy.kernel.facts import symbol
from mayfly.store import Event

if TYPE_CHECKING:
    from mayfly.mangle import Row, Value
    from mayfly.policy.kernel.facts import Fact
    from mayfly.store import Ledger

INLINE: Final = 16 * 1024
LARGEST: Final = 4 * 1024 * 1024
# A secret may begin within what is kept and end beyond it, so more is looked at: a private key has 3,000 characters.
_LOOKED_AT = 20_000
CHANGES: Final = "/changes"
"""The name under which a judgement of a set of changes is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recorded decision or routing with the facts it was made of."""

    id: str
    kind: Literal["action", "intent", "changes"]
    facts: tuple[Fact, ...]
    outcome: str
    policies: tuple[str, ...]
    rules: str


def digest_of(
    action: str, target: str, payload: str, *, persona: str | None, workspace: str, session: str | None
) -> str:
    """Return the hash by which an approval names exactly one action of one session."""
    return content_hash(canonical_json([action, target, payload, persona, workspace, session]))


def shortened(text: str, hide: Callable[[str], str] = without_secrets, length: int = 200) -> str:
    """Return the beginning of *text* without its secrets."""
    return clipped(hide(text[:_LOOKED_AT]), length)


def fact_texts(facts: Iterable[Fact], hide: Callable[[str], str]) -> tuple[str, ...]:
    """Return facts as text without secrets; the same text stands for the same value everywhere."""

    def hidden(value: Value) -> Value:
        return hide(value) if isinstance(value, str) else value

    return tuple(show_row(symbol, tuple(map(hidden, row))) for symbol, row in facts)


def kept(facts: Sequence[Fact], ledger: Ledger, hide: Callable[[str], str]) -> tuple[tuple[str, ...], str | None]:
    """Return the facts for an event: inside it, or as the address of a blob; neither where they are too many."""
    texts = fact_texts(facts, hide)
    size = sum(map(len, texts))
    if size <= INLINE:
        return texts, None
    return ((), ledger.put_blob(json.dumps(texts).encode())) if size <= LARGEST else ((), None)


def recordings(ledger: Ledger, *, last: int = 200) -> Iterator[Recording]:
    """Yield the last recorded decisions and routings, each kind in order; what cannot be read is passed over."""
    for kind in ("policy.decided", "policy.routed"):
        for event in ledger.read(kind=kind, after=ledger.before_last(last, kind=kind)):
            found = recording(event, ledger)
            if found is not None:
                yield found


def recording(event: Event, ledger: Ledger) -> Recording | None:
    """Read one event back; None where its facts were not kept or are of another version."""
    data = event.data
    kind: Literal["action", "intent", "changes"]
    if isinstance(data, PolicyDecided):
        outcome, kind = data.decision, "changes" if data.action == CHANGES else "action"
    elif isinstance(data, PolicyRouted):
        outcome, kind = routed(data.personas, data.action_types), "intent"
    else:
        return None
    texts = data.facts or _from_blob(data.blob, ledger)
    try:
        facts = tuple(_fact(text) for text in texts)
    except InputError:
        return None
    if not facts:
        return None
    return Recording(
        id=event.subject,
        kind=kind,
        facts=facts,
        outcome=outcome,
        policies=data.policies,
        rules=data.rules,
    )


def routed(personas: Iterable[str], action_types: Iterable[str]) -> str:
    """Say a routing in one line, the same for the same routing."""
    return f"{', '.join(sorted(personas)) or 'nobody'} ({', '.join(sorted(action_types)) or 'no kind of work'})"


def _from_blob(address: str | None, ledger: Ledger) -> tuple[str, ...]:
    if address is None:
        return ()
    texts = json.loads(ledger.get_blob(address))
    return tuple(text for text in texts if isinstance(text, str)) if isinstance(texts, list) else ()


def _fact(text: str) -> Fact:
    from mayfly.mangle import parse_fact

    symbol, row = parse_fact(text)
    checked: Row = row
    return symbol, checked


KIND: Final = "policy.spent"
CLASS: Final = "/spend"
_NANOSECONDS: Final = 1_000_000_000


class Caps(NamedTuple):
    """How many cents may be spent in all without asking."""

    session: int
    day: int


class Spending:
    """Add up one session and one day (UTC); the sums stay right whoever else spends at the same moment."""

    def __init__(self, ledger: Ledger, caps: Caps, session: str | None, *, now: int) -> None:
        self._ledger = ledger
        self._caps = {"/session": caps.session, "/day": caps.day}
        day = datetime.fromtimestamp(now // _NANOSECONDS, UTC).date().isoformat()
        self._subjects = {"/day": f"spend:day:{day}"}
        if session is not None:
            # Hashed, since it may be of any length and hold anything.
            self._subjects["/session"] = f"spend:session:{content_hash(session)[:32]}"

    def totals(self) -> dict[str, int]:
        """Return what was spent so far in each scope."""
        return self._totals(self._ledger.find_many(KIND, list(self._subjects.values())))

    def facts(self, totals: Mapping[str, int]) -> list[Fact]:
        """Return the totals and the caps as the rules see them."""
        spent = [(symbol("spent"), (Name(scope), total)) for scope, total in totals.items()]
        return [*spent, *((symbol("spend_cap"), (Name(scope), self._caps[scope])) for scope in totals)]

    def reserve(self, totals: Mapping[str, int], cents: int, decided: PolicyDecided, *, id: str) -> bool:
        """Record the permit and what it spends, unless somebody else has spent since the *totals* were read."""

        def make(found: Mapping[str, Event]) -> Sequence[Event]:
            if self._totals(found) != totals:
                return ()
            spent = (
                Event.of(PolicySpent(decision=id, cents=cents, total=totals[scope] + cents), subject=subject)
                for scope, subject in self._subjects.items()
            )
            return (*spent, Event.of(decided, subject=id))

        return bool(self._ledger.append_after(KIND, list(self._subjects.values()), make))

    def _totals(self, found: Mapping[str, Event]) -> dict[str, int]:
        # A row that cannot be read raises, which denies: what nobody can add up is not nothing.
        return {
            scope: int(str(found[subject].payload["total"])) if subject in found else 0
            for scope, subject in self._subjects.items()
        }
