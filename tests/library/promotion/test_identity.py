"""Key pairs: who can sign, whose votes count, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mayfly.core import ConflictError, InputError, StoreError
from mayfly.library.promotion import Ballot, Identities, Vote, votes_that_count

BALLOT = Ballot(kind="tool", asked="roman", source_hash="a" * 64, tests_hash="b" * 64, powers="e" * 64)


def cast(identities: Identities, name: str, *, ballot: Ballot = BALLOT, signed: str = "for", said: str = "for") -> Vote:
    voter = identities.named(name)
    signature = identities.sign(voter, ballot.statement(signed))  # type: ignore[arg-type]
    return Vote(voter=voter.key, choice=said, signature=signature, at="")  # type: ignore[arg-type]


def test_a_private_key_is_its_owners_alone(tmp_path: Path) -> None:
    identities = Identities(tmp_path)
    made = identities.new("ann")
    path = tmp_path / "identities" / "ann.key"
    assert (made.own, os.stat(path).st_mode & 0o777) == (True, 0o600)
    assert identities.all() == [made]
    path.chmod(0o644)
    with pytest.raises(StoreError, match="can be read by others"):
        identities.sign(made, "anything")


@pytest.mark.parametrize("name", ["", "Ann", "../ann", "a b", "a" * 41, "-x", "1a"])
def test_odd_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="no name for an identity"):
        Identities(tmp_path).new(name)


def test_a_name_and_a_key_are_one_voter(tmp_path: Path) -> None:
    here, there = Identities(tmp_path / "here"), Identities(tmp_path / "there")
    key = there.new("bob").key
    here.new("ann")
    here.add("bob", f" {key.upper()} ")
    for name, other in (("bob", "0" * 64), ("robert", key), ("ann", "1" * 64)):
        with pytest.raises(ConflictError):
            here.add(name, other)
    with pytest.raises(ConflictError):
        here.new("ann")
    with pytest.raises(InputError, match="no public key"):
        here.add("eve", "xyz")


def test_only_an_own_identity_signs(tmp_path: Path) -> None:
    here, there = Identities(tmp_path / "here"), Identities(tmp_path / "there")
    with pytest.raises(InputError, match="no identity to sign with"):
        here.named()
    here.add("bob", there.new("bob").key)
    with pytest.raises(InputError, match="no identity of yours"):
        here.named("bob")
    here.new("ann")
    assert here.named().name == "ann"
    here.new("eve")
    with pytest.raises(InputError, match="several identities"):
        here.named()


def test_a_damaged_key_is_named(tmp_path: Path) -> None:
    identities = Identities(tmp_path)
    identities.new("ann")
    (tmp_path / "identities" / "bob.pub").write_text("nonsense\n")
    with pytest.raises(StoreError, match=r"bob\.pub is damaged"):
        identities.all()


def test_j_41_only_signed_votes_of_known_voters_count_once(tmp_path: Path) -> None:
    identities, elsewhere = Identities(tmp_path / "here"), Identities(tmp_path / "elsewhere")
    for name in ("ann", "bob"):
        identities.new(name)
    elsewhere.new("eve")
    other = Ballot(kind="tool", asked="roman", source_hash="c" * 64, tests_hash="b" * 64, powers="e" * 64)
    votes = [
        cast(identities, "ann"),
        cast(identities, "ann"),
        cast(identities, "ann", signed="against", said="against"),
        cast(elsewhere, "eve"),
        cast(identities, "bob", signed="for", said="against"),
        cast(identities, "bob", ballot=other),
    ]
    counted = votes_that_count(BALLOT, votes, identities)
    assert {voter.name: vote.choice for voter, vote in counted.items()} == {"ann": "for"}


@pytest.mark.parametrize("changed", ["kind", "asked", "source_hash", "tests_hash", "powers"])
def test_a_vote_is_for_all_of_its_ballot(tmp_path: Path, changed: str) -> None:
    identities = Identities(tmp_path)
    identities.new("ann")
    parts = {"kind": "tool", "asked": "roman", "source_hash": "a" * 64, "tests_hash": "b" * 64, "powers": "e" * 64}
    other = Ballot(**{**parts, changed: "agent" if changed == "kind" else "d" * 64})  # type: ignore[arg-type]
    assert votes_that_count(BALLOT, [cast(identities, "ann")], identities)
    assert not votes_that_count(other, [cast(identities, "ann")], identities)
