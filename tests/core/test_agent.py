"""Composition: the identity is neutral and order of grouping does not matter."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import Agent, Identity, agent

FUNCTIONS = st.sampled_from(
    [
        agent(lambda value: value + 1),
        agent(lambda value: value * 2),
        agent(lambda value: -value),
    ]
)


def run(made: Agent[int, int], value: int) -> int:
    return asyncio.run(made.invoke(value))


@given(f=FUNCTIONS, value=st.integers())
def test_the_identity_is_neutral(f: Agent[int, int], value: int) -> None:
    same: Agent[int, int] = Identity()
    assert run(same >> f, value) == run(f, value) == run(f >> same, value)


@given(f=FUNCTIONS, g=FUNCTIONS, h=FUNCTIONS, value=st.integers())
def test_grouping_does_not_matter(f: Agent[int, int], g: Agent[int, int], h: Agent[int, int], value: int) -> None:
    assert run((f >> g) >> h, value) == run(f >> (g >> h), value)


def test_a_coroutine_function_is_an_agent_as_well() -> None:
    async def double(value: int) -> int:
        return value * 2

    assert run(agent(double) >> agent(lambda value: value + 1), 20) == 41
