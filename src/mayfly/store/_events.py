"""What one event is, and which kinds there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar, cast, get_origin

from mayfly.core import Hider, InputError
from mayfly.store._payload import JSON, plain

__all__ = ["JSON", "Event", "Payload", "check_kind", "check_subject", "checked", "event", "kind_of"]

NOT_YET = datetime(1970, 1, 1, tzinfo=UTC)
# Ids of runs, nodes, decisions and hashes are far shorter; an index takes keys of this size everywhere.
SUBJECT_LENGTH = 256
KIND = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


class Payload(Protocol):
    """Any frozen dataclass registered with `event`; its fields are JSON values."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


P = TypeVar("P", bound=Payload)


class EventKind(NamedTuple):
    """One registered kind: its payload type and the fields that come back from JSON as lists but are tuples."""

    type: type[Payload]
    names: tuple[str, ...]
    tuples: frozenset[str]


_KINDS: dict[str, EventKind] = {}
_NAMES: dict[type[Payload], str] = {}


def event(kind: str) -> Callable[[type[P]], type[P]]:
    """Register a frozen dataclass as the payload of *kind*, such as ``"sandbox.ran"``."""
    check_kind(kind)

    def register(payload: type[P]) -> type[P]:
        if not is_dataclass(payload) or not payload.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise InputError(f"the payload of {kind} must be a frozen dataclass, and {payload.__name__} is not")
        known = _KINDS.get(kind)
        if known and _full_name(known.type) != _full_name(payload):
            raise InputError(f"event kind {kind} is already declared by {_full_name(known.type)}")
        specs = fields(payload)
        tuples = frozenset(spec.name for spec in specs if _is_tuple(spec.type))
        _KINDS[kind] = EventKind(payload, tuple(spec.name for spec in specs), tuples)
        _NAMES[payload] = kind
        return payload

    return register


@dataclass(frozen=True, kw_only=True)
class Event:
    """Say that something happened to *subject*; the ledger fills in the id, the time and the writer."""

    kind: str
    subject: str
    payload: Mapping[str, JSON]
    id: int = 0
    at: datetime = NOT_YET
    writer: str = ""

    @classmethod
    def of(cls, payload: Payload, *, subject: str) -> Event:
        """Make an event, not yet recorded, from a registered payload."""
        return cls(kind=kind_of(payload), subject=subject, payload=_fields(payload))

    @property
    def data(self) -> Payload | Mapping[str, JSON]:
        """The payload as its registered type; as the plain mapping where this version does not know the kind."""
        known = _KINDS.get(self.kind)
        built = None if known is None else _build(known, self.payload)
        return self.payload if built is None else built


def kind_of(payload: Payload) -> str:
    """Return the kind *payload* is registered as."""
    kind = _NAMES.get(type(payload))
    if kind is None:
        raise InputError(f"{type(payload).__name__} is not a registered event", fix='declare it with @event("…")')
    return kind


def checked(entry: Event | Payload, subject: str | None, hider: Hider) -> Event:
    """Return *entry* as an event that may be recorded: known kind, fitting fields, plain JSON, a usable subject.

    Secrets are hidden in every field: code that needs such a value again asks `was_hidden`.
    """
    if not isinstance(entry, Event):
        if subject is None:
            raise InputError(f"the event {kind_of(entry)} needs a subject")
        entry = Event.of(entry, subject=subject)
    elif subject not in (None, entry.subject):
        raise InputError(f"the event already has the subject {entry.subject!r}")
    elif entry.id:
        raise InputError(f"event {entry.id} is already recorded")
    check_subject(entry.subject)
    payload = cast("Mapping[str, JSON]", hider.data(_plain_payload(entry.payload)))
    _check_fields(entry.kind, payload)
    return Event(kind=entry.kind, subject=hider.text(entry.subject), payload=payload)


def check_kind(kind: str) -> None:
    """Refuse what cannot be the name of a kind."""
    if not KIND.fullmatch(kind):
        raise InputError(f"event kind {kind!r} must look like 'package.happened'")


def check_subject(subject: object) -> None:
    """Refuse what cannot be a subject."""
    # Printable text alone is what both databases, a terminal and a URL can carry.
    if not isinstance(subject, str) or not subject.isprintable() or not 0 < len(subject) <= SUBJECT_LENGTH:
        raise InputError(f"an event's subject must be 1 to {SUBJECT_LENGTH} printable characters")


def _plain_payload(payload: object) -> Mapping[str, JSON]:
    copied = plain(payload)
    if not isinstance(copied, Mapping):
        raise InputError(f"an event's payload must be a mapping, not a {type(payload).__name__}")
    return copied


def _check_fields(kind: str, payload: Mapping[str, JSON]) -> None:
    known = _KINDS.get(kind)
    if known is None:
        raise InputError(f"unknown event kind {kind!r}", fix='declare its payload with @event("…")')
    extra = payload.keys() - known.names
    if extra or _build(known, payload) is None:
        raise InputError(f"the payload of {kind} does not fit {known.type.__name__}")


def _build(known: EventKind, payload: Mapping[str, JSON]) -> Payload | None:
    """Make the typed payload; None where it does not fit, as when another version wrote it."""
    values: dict[str, Any] = {name: value for name, value in payload.items() if name in known.names}
    for name in known.tuples & values.keys():
        values[name] = tuple(values[name]) if isinstance(values[name], list) else values[name]
    try:
        return known.type(**values)
    except Exception:  # a payload type may refuse in whatever way it likes; reading never fails for it
        return None


def _is_tuple(annotation: object) -> bool:
    # An annotation may be text that names what only a type checker imports, so it is not evaluated.
    return annotation.startswith("tuple[") if isinstance(annotation, str) else get_origin(annotation) is tuple


def _fields(payload: Payload) -> dict[str, Any]:
    held: dict[str, Any] = getattr(payload, "__dict__", {})
    if held.keys() == payload.__dataclass_fields__.keys():
        return dict(held)
    return {name: getattr(payload, name) for name in payload.__dataclass_fields__}


def _full_name(payload: type[Payload]) -> str:
    return f"{payload.__module__}.{payload.__qualname__}"
