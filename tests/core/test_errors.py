"""Errors: stable codes, exit statuses and one-line messages."""

import pickle

import pytest

from mayfly.core import (
    ConflictError,
    HelpNeeded,
    InputError,
    LimitError,
    MachineError,
    MayflyError,
    Outcome,
    Refusal,
    StoreError,
    UnresolvedError,
    Verdict,
)


@pytest.mark.parametrize(
    ("kind", "code", "status"),
    [
        (MayflyError, "MAYFLY", 1),
        (InputError, "INPUT", 2),
        (ConflictError, "CONFLICT", 2),
        (MachineError, "MACHINE", 4),
        (StoreError, "STORE", 1),
        (Refusal, "REFUSED", 1),
        (LimitError, "LIMIT", 1),
        (UnresolvedError, "UNRESOLVED", 1),
        (HelpNeeded, "HELP", 3),
    ],
)
def test_codes_and_exit_statuses_are_stable(kind: type[MayflyError], code: str, status: int) -> None:
    assert (kind.code, kind.exit_status) == (code, status)


def test_every_error_is_a_mayfly_error_with_a_code_of_its_own() -> None:
    kinds: list[type[MayflyError]] = [MayflyError, *_below(MayflyError)]
    assert len({kind.code for kind in kinds}) == len(kinds)


def _below(kind: type[MayflyError]) -> list[type[MayflyError]]:
    return [found for child in kind.__subclasses__() for found in (child, *_below(child))]


def test_the_fix_follows_the_message_on_the_same_line() -> None:
    assert str(InputError("no such file", fix="name another")) == "no such file; name another"
    assert str(InputError("no such file")) == "no such file"


def test_a_refusal_carries_its_verdict() -> None:
    verdict = Verdict(decision="reject", gate="stability", code="COMPLEX", message="too complex", fix="split it")
    error = Refusal(verdict)
    assert error.verdict is verdict
    assert str(error) == "too complex; split it"


def test_a_limit_says_what_was_used_and_what_is_allowed() -> None:
    error = LimitError("depth", used=4, limit=3)
    assert (error.kind, error.used, error.limit) == ("depth", 4, 3)
    assert str(error) == "depth: 4 is over the limit of 3"


def test_an_unresolved_outcome_names_its_status_and_reason() -> None:
    outcome: Outcome[list[str]] = Outcome(status="collapsed", value=[], reason="no rule", id="r-1")
    error = UnresolvedError(outcome)
    assert str(error) == "collapsed: no rule"
    assert error.outcome is outcome


def test_a_call_for_help_survives_pickling_and_becomes_plain_data() -> None:
    error = HelpNeeded("coder", "parse logs", 3, "boom", {"line": 7})
    copy = pickle.loads(pickle.dumps(error))
    assert copy.to_dict() == error.to_dict()
    assert error.to_dict()["context"] == {"line": 7}
    assert str(copy) == "Persona 'coder' needs help with 'parse logs' after 3 attempts"
