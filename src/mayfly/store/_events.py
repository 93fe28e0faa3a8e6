"""What one event is, which kinds there are, and what a payload may hold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar, cast, dataclass_transform, get_origin

from mayfly.core import Hider, InputError, LimitError, MayflyError, StoreError, canonical_json

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

# Readers of payloads recurse: this leaves most of Python's stack of a thousand frames to their callers.
DEPTH = 200
# Larger data goes into blobs; a page of a hundred events of this size is 25 MB.
SIZE = 256 * 1024
# What is told of a value, and from which size on it is not told whole.
LONGEST = 2000
LARGE = 64_000
INT_BITS = 14_000  # just below the 4,300 digits Python reads back by default


def plain(value: object, *, where: str = "payload", depth: int = 0) -> JSON:
    """Copy *value* as plain JSON data, or say where it holds something JSON cannot say."""
    if depth > DEPTH:
        raise LimitError("nesting of a payload", used=depth, limit=DEPTH)
    if value is None or isinstance(value, (bool, int, str)):
        return _scalar(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} holds {value}, which is not JSON")
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key, where): plain(item, where=f"{where}.{key}", depth=depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, where=f"{where}[{index}]", depth=depth + 1) for index, item in enumerate(value)]
    raise InputError(f"{where} holds a {type(value).__name__}, which is not JSON")


def encode(payload: Mapping[str, JSON]) -> str:
    """Write a plain payload as canonical JSON, in ASCII: a NUL or a lone surrogate is escaped, as databases need."""
    try:
        text = canonical_json(payload)
    except ValueError as error:
        raise InputError(f"payload cannot be written as JSON: {error}") from None
    if len(text) > SIZE:
        raise LimitError("bytes of a payload", used=len(text), limit=SIZE, fix="keep large data with put_blob")
    return text


def decode(text: str, *, id: int) -> Mapping[str, JSON]:
    """Read back what `encode` wrote; anything else was written by somebody else and is named."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise StoreError(f"the payload of event {id} is not a JSON object")
    return cast("dict[str, JSON]", value)


def _key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise InputError(f"{where} has the key {key!r}, which is not text")
    return str.__str__(key)


def _scalar(value: bool | int | str | None) -> bool | int | str | None:
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    if value.bit_length() > INT_BITS:
        raise LimitError("bits of a number in a payload", used=value.bit_length(), limit=INT_BITS)
    return int(value)


def as_payload(value: object) -> JSON:
    """Return *value* if an event can hold it and it is not large, otherwise the beginning of what it looks like."""
    if value is None:
        return None
    try:
        copy = plain(value)
        text = canonical_json(copy)
    except (MayflyError, ValueError, RecursionError):
        return _look(value)[:LONGEST]
    return copy if len(text) <= LARGE else text[:LONGEST]


def _look(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # whatever an object of somebody else's does when it is looked at
        return f"a {type(value).__name__} that cannot be shown"


NOT_YET = datetime(1970, 1, 1, tzinfo=UTC)
# Ids of runs, nodes, decisions and hashes are far shorter; an index takes keys of this size everywhere.
SUBJECT_LENGTH = 256
KIND = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


class Payload(Protocol):
    """Any class registered with `event`, which makes it a frozen dataclass; its fields are JSON values."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


P = TypeVar("P", bound=Payload)


class EventKind(NamedTuple):
    """One registered kind: its payload type and the fields that come back from JSON as lists but are tuples."""

    type: type[Payload]
    names: tuple[str, ...]
    tuples: frozenset[str]


_KINDS: dict[str, EventKind] = {}
_NAMES: dict[type[Payload], str] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True)
def event(kind: str) -> Callable[[type[P]], type[P]]:
    """Make a class a frozen dataclass and register it as the payload of *kind*, such as ``"sandbox.ran"``."""
    check_kind(kind)

    def register(declared: type[P]) -> type[P]:
        is_made = "__dataclass_params__" in vars(declared)
        payload = declared if is_made else dataclass(frozen=True, kw_only=True)(declared)
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
