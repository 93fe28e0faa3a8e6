"""No event holds a secret, in whichever field."""

from mayfly.core import was_hidden
from mayfly.promise._events import Collapsed, Proven
from mayfly.store import Ledger

HIDDEN = "‹secret: Hugging Face token›"
TOKEN = "hf_abcdefghijklmnopqrstuvwxyzabcdefgh"


def test_a_token_in_what_is_told_is_left_out(ledger: Ledger) -> None:
    said = Collapsed(
        node="0",
        intent=f"log in with {TOKEN}",
        depth=0,
        reason=f"{TOKEN} was refused",
        code="X",
        ground_value=None,
        seq=1,
    )
    ledger.append(said, subject="r-1")
    found = ledger.last(kind="promise.collapsed", subject="r-1")
    assert found is not None
    assert found.payload["intent"] == f"log in with {HIDDEN}"
    assert TOKEN not in str(found.payload)


def test_f9_no_field_is_kept_in_clear_and_what_was_left_out_can_be_told(ledger: Ledger) -> None:
    ledger.append(Proven(run="r-1", node="0", value={"rows": [TOKEN]}, evidence={}), subject="key")
    found = ledger.last(kind="promise.proven", subject="key")
    assert found is not None
    assert found.payload["value"] == {"rows": [HIDDEN]}
    assert was_hidden(found.payload)
