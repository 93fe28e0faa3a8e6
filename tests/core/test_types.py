"""The contract types: frozen values that cannot be mistaken for one another."""

from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly import core
from mayfly.core import (
    UNSET,
    Artifact,
    Budget,
    Cost,
    Intent,
    LimitError,
    Money,
    Outcome,
    Tier,
    UnresolvedError,
    canonical_json,
    content_hash,
)

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_unset_is_false_and_is_not_none() -> None:
    assert not UNSET
    assert UNSET is not None
    assert repr(UNSET) == "UNSET"


def test_a_resolved_outcome_unwraps_to_its_value_even_if_that_is_none() -> None:
    assert Outcome(status="resolved", value=None, reason="", id="r-1").unwrap() is None


@pytest.mark.parametrize("status", ["collapsed", "failed"])
def test_ground_is_never_handed_out_by_unwrap(status: str) -> None:
    outcome: Outcome[list[str]] = Outcome(status=status, value=[], reason="no rule", id="r-1")  # type: ignore[arg-type]
    assert not outcome.resolved
    with pytest.raises(UnresolvedError):
        outcome.unwrap()


def test_values_are_frozen() -> None:
    intent = Intent(text="parse logs")
    with pytest.raises(FrozenInstanceError):
        intent.text = "other"  # type: ignore[misc]


def test_every_contract_type_is_frozen() -> None:
    kinds = [getattr(core, name) for name in core.__all__]
    found = [kind for kind in kinds if isinstance(kind, type) and is_dataclass(kind)]
    assert found
    assert all(vars(kind)["__dataclass_params__"].frozen for kind in found)


def test_an_artifact_is_addressed_by_its_source_alone() -> None:
    first, second = (Artifact(kind="tool", source="x = 1", author=author) for author in ("a", "b"))
    assert first.hash == second.hash == content_hash("x = 1")


def test_a_hash_takes_lone_surrogates_and_tells_them_apart() -> None:
    assert content_hash("\ud800") != content_hash("\ud801")


def test_text_and_its_bytes_have_one_hash() -> None:
    assert content_hash("é") == content_hash("é".encode())


@given(PLAIN)
def test_canonical_json_does_not_depend_on_the_order_of_keys(value: object) -> None:
    assert canonical_json(_reversed(value)) == canonical_json(value)


def _reversed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _reversed(inner) for key, inner in reversed(value.items())}
    return [_reversed(inner) for inner in value] if isinstance(value, list) else value


def test_canonical_json_refuses_what_is_not_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


@given(st.integers(min_value=0, max_value=1000))
def test_a_child_has_less_budget_than_its_parent(depth: int) -> None:
    budget = Budget(depth)
    assert budget.entropy == 1 / (depth + 1)
    assert budget.child().entropy < budget.entropy


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(LimitError):
        Budget(-1)


def test_costs_add_up_field_by_field() -> None:
    one = Cost(seconds=1, model_calls=1, input_tokens=2, output_tokens=3, money=Money.of(0.5))
    assert one + one == Cost(seconds=2, model_calls=2, input_tokens=4, output_tokens=6, money=Money.of(1))
    assert len(fields(Cost)) == 5


def test_tiers_are_words() -> None:
    assert [str(tier) for tier in Tier] == ["ephemeral", "memo", "authored", "promoted", "built-in"]
