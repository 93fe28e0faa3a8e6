from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC

import pytest

from mayfly.core import InputError, LimitError, SecretValues
from mayfly.store import JSON, DoctorAttacked, Event, Ledger, Payload, SandboxRan, as_payload, event
from mayfly.store._events import checked

RAN = SandboxRan(status="ok", level="namespaces", lane="one-shot", milliseconds=1.5, source_hash="ab")


@event("test.listed")
class Listed:
    names: tuple[str, ...]
    note: str = ""

    def __post_init__(self) -> None:
        if self.note == "bad":
            raise RuntimeError("bad note")


def check(payload: object, *, subject: object = "s", kind: str = "test.listed") -> Event:
    return checked(Event(kind=kind, subject=subject, payload=payload), None, SecretValues().now())  # type: ignore[arg-type]


def test_importing_the_package_loads_no_database_library() -> None:
    script = "import mayfly, mayfly.store, sys; sys.exit(bool({'sqlite3', 'psycopg'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_an_event_of_a_payload_has_its_kind_and_fields() -> None:
    made = Event.of(RAN, subject="r-1")
    assert made.kind == "sandbox.ran"
    assert made.payload["milliseconds"] == 1.5
    assert made.payload["error"] is None


def test_data_is_the_registered_type() -> None:
    assert Event.of(RAN, subject="r-1").data == RAN


def test_data_gives_tuples_back_where_the_type_has_tuples() -> None:
    assert check({"names": ["a", "b"]}).data == Listed(names=("a", "b"))


@pytest.mark.parametrize("payload", [{"names": ["a"], "later": 1}, {"names": ["a"]}])
def test_data_of_another_versions_fields_is_typed_where_they_fit(payload: Mapping[str, int]) -> None:
    assert Event(kind="test.listed", subject="s", payload=payload).data == Listed(names=("a",))


@pytest.mark.parametrize("payload", [{}, {"names": ["a"], "note": "bad"}])
def test_data_that_does_not_fit_its_type_is_the_plain_mapping(payload: Mapping[str, int]) -> None:
    assert Event(kind="test.listed", subject="s", payload=payload).data == payload


def test_data_of_an_unknown_kind_is_the_plain_mapping() -> None:
    assert Event(kind="later.happened", subject="s", payload={"a": 1}).data == {"a": 1}


@pytest.mark.parametrize("kind", ["", "one", "Upper.case", "a b.c", "a.", "a.b\n"])
def test_a_kind_that_is_not_a_dotted_name_is_refused(kind: str) -> None:
    with pytest.raises(InputError, match="must look like"):
        event(kind)


def test_a_payload_that_could_change_is_refused() -> None:
    @dataclass
    class Loose:
        a: int

    with pytest.raises(InputError, match="frozen dataclass"):
        event("test.loose")(Loose)


def test_a_kind_is_declared_once() -> None:
    @dataclass(frozen=True)
    class Other:
        a: int

    with pytest.raises(InputError, match=r"already declared by .*Listed"):
        event("test.listed")(Other)


def test_a_payload_that_was_not_registered_is_refused() -> None:
    @dataclass(frozen=True)
    class Stranger:
        a: int

    with pytest.raises(InputError, match="Stranger is not a registered event"):
        Event.of(Stranger(1), subject="s")


def test_an_unknown_kind_is_refused_when_appending() -> None:
    with pytest.raises(InputError, match=r"unknown event kind 'later\.happened'"):
        check({}, kind="later.happened")


@pytest.mark.parametrize("payload", [{}, {"names": [], "extra": 1}, {"names": [], "note": "bad"}])
def test_a_payload_that_does_not_fit_its_kind_is_refused(payload: object) -> None:
    with pytest.raises(InputError, match="does not fit Listed"):
        check(payload)


@pytest.mark.parametrize("subject", ["", "a\x00b", "a\nb", "\ud800", "\x1b[2J", "x" * 257, None, 7])
def test_a_subject_that_cannot_be_shown_or_stored_is_refused(subject: object) -> None:
    with pytest.raises(InputError, match="subject must be 1 to 256 printable"):
        check({"names": []}, subject=subject)


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({"names": [float("nan")]}, r"payload.names\[0\] holds nan"),
        ({"names": [float("inf")]}, r"holds inf"),
        ({"names": [b"x"]}, r"payload.names\[0\] holds a bytes"),
        ({"names": {"a", "b"}}, "payload.names holds a set"),
        ({"names": [{1: 2}]}, "has the key 1, which is not text"),
        ([1], "must be a mapping"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(payload: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(payload)


def test_a_payload_nested_too_deep_or_into_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(LimitError, match="nesting of a payload"):
        check({"names": loop})


def test_a_number_python_would_not_read_back_is_refused() -> None:
    with pytest.raises(LimitError, match="bits of a number"):
        check({"names": [10**5000]})


def test_a_payload_over_the_limit_is_refused_with_the_way_out(ledger: Ledger) -> None:
    with pytest.raises(LimitError, match="put_blob"):
        ledger.append(Listed(names=("x" * 300_000,)), subject="s")
    assert ledger.count(kind="test.listed") == 0


def test_an_event_already_recorded_is_refused(ledger: Ledger) -> None:
    kept = ledger.append(RAN, subject="r-1")
    with pytest.raises(InputError, match=f"event {kept.id} is already recorded"):
        ledger.append(kept)


def test_a_payload_without_a_subject_is_refused(ledger: Ledger) -> None:
    with pytest.raises(InputError, match=r"sandbox\.ran needs a subject"):
        ledger.append(RAN)


def test_two_different_subjects_for_one_event_are_refused(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="already has the subject 'r-1'"):
        ledger.append(Event.of(RAN, subject="r-1"), subject="r-2")


def test_the_ledger_fills_in_id_time_and_writer(ledger: Ledger) -> None:
    first, second = ledger.append_many([RAN, DoctorAttacked(level="landlock", cases=2, contained=2)], subject="r-1")
    assert second.id == first.id + 1
    assert first.at.tzinfo is UTC
    assert first.writer == second.writer != ""


def test_payload_is_what_a_registered_dataclass_satisfies() -> None:
    payload: Payload = RAN
    assert payload is RAN


class Shy:
    """An object that does not want to be looked at."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [None, 1, "a\x00\ud800", [1, {"a": 2.5}], {"a": [None, True]}, deep(150)])
def test_a_value_that_an_event_can_hold_is_shown_as_it_is(value: JSON) -> None:
    assert as_payload(value) == value


ODD = {
    "no-number": math.nan,
    "huge-number": 10**5000,
    "keys": {1: 2},
    "object": object(),
    "shy": Shy(),
    "bytes": b"x",
    "deep": deep(300),
    "very-deep": deep(100_000),
    "long": "x" * 100_000,
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_anything_else_is_shown_as_something_that_an_event_can_hold(value: object, ledger: Ledger) -> None:
    told = as_payload(value)
    assert isinstance(told, str)
    assert 0 < len(told) <= 2000
    assert ledger.append(Listed(names=(told,)), subject="x").payload["names"] == [told]
