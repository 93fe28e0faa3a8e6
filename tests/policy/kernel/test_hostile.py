"""Whatever is asked, there is an answer, it is the same twice, and it never takes long."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mayfly.core import host_of, without_secrets
from mayfly.policy import Kernel, Snapshot, propose
from mayfly.policy.kernel.facts import facts_of_action, locate

from .conftest import constitution

SHELL = st.text(st.sampled_from("rm -f/$(){}[]<>|&;`'\"\\\n #=~*?!.,:%ab0xE@"), max_size=60)
ANYTHING = st.one_of(SHELL, st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
KERNEL = Kernel(Snapshot(constitution()), workspace="/w")


@pytest.mark.later
@settings(max_examples=300, deadline=None)
@given(target=ANYTHING, payload=ANYTHING)
def test_every_text_has_facts_and_the_same_ones_twice(target: str, payload: str) -> None:
    first = facts_of_action("act", target, payload, id="d", time=1, workspace="/w")
    assert first == facts_of_action("act", target, payload, id="d", time=1, workspace="/w")
    assert first[0][0].name == "pending_action"


@settings(max_examples=200, deadline=None)
@given(text=ANYTHING)
def test_no_path_outside_is_called_inside(text: str) -> None:
    located = locate(text, "/w")
    assert located.where in ("/inside", "/outside", "/system", "/unclear")
    if located.where == "/inside":
        assert not located.path.startswith("/")
        assert located.path.split("/")[0] != ".."


@settings(max_examples=200, deadline=None)
@given(text=ANYTHING)
def test_every_host_is_of_a_kind(text: str) -> None:
    for host in (host_of(text), host_of(f"http://{text}")):
        assert host is None or host.kind in ("public", "private", "loopback", "unclear")


@settings(max_examples=100, deadline=None)
@given(action=ANYTHING, target=ANYTHING, payload=ANYTHING)
def test_every_question_is_answered(action: str, target: str, payload: str) -> None:
    assert KERNEL.permitted(action, target, payload).decision in ("permit", "deny", "approval")


@settings(max_examples=200, deadline=None)
@given(line=ANYTHING)
def test_every_proposed_line_is_taken_or_refused(line: str) -> None:
    taken = propose([line])
    assert len(taken.accepted) + len(taken.refused) <= 1


@settings(max_examples=100, deadline=None)
@given(text=ANYTHING)
def test_taking_secrets_out_twice_changes_nothing_more(text: str) -> None:
    once = without_secrets(text)
    assert without_secrets(once) == once


def test_a_megabyte_of_payload_is_decided() -> None:
    assert KERNEL.permitted("file_write", "a.txt", "it's a line; of $(text)\n" * 40_000).decision in ("permit", "deny")


def test_a_path_of_many_parts_is_bounded(tmp_path: Path) -> None:
    assert len(facts_of_action("a", "a/" * 100_000, "", id="d", time=0, workspace=str(tmp_path))) < 1000
