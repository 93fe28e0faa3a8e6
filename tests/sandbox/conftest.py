import os
from collections.abc import Iterator

import pytest

from mayfly.sandbox import Sandbox


@pytest.fixture(scope="session", params=["namespaces", "landlock"])
def level(request: pytest.FixtureRequest) -> str:
    """A level of the wall; one this machine cannot give is passed over, but never where the suite decides."""
    with Sandbox(level=request.param) as sandbox:
        if sandbox.warm() == "none" and not os.environ.get("CI"):
            pytest.skip(f"this machine has no level {request.param}; see: mayfly doctor")
    return str(request.param)


@pytest.fixture(scope="session")
def box(level: str) -> Iterator[Sandbox]:
    """One sandbox a level, shared by all tests that leave it as they found it."""
    with Sandbox(level=level) as sandbox:
        yield sandbox


@pytest.fixture
def own(level: str) -> Sandbox:
    """A sandbox to be broken."""
    return Sandbox(level=level)


@pytest.fixture(scope="session")
def best() -> Iterator[Sandbox]:
    """The sandbox a user gets."""
    with Sandbox() as sandbox:
        yield sandbox
