from collections.abc import Iterator

import pytest

from mayfly.sandbox import Sandbox


@pytest.fixture(scope="session", params=["namespaces", "landlock"])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """One sandbox a level, shared by all tests that leave it as they found it."""
    with Sandbox(level=request.param) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def best() -> Iterator[Sandbox]:
    """The sandbox a user gets."""
    with Sandbox() as sandbox:
        yield sandbox
