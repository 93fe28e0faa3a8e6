"""Fixtures every package's tests may use."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from mayfly import testing

# The same examples in every run, however long the machine takes over one: what failed once fails again.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

# One cluster at a time: each takes memory, and some tests look at what is left of theirs.
CLUSTERS = ("promise/engines/", "runtime/test_tree_ray.py", "cli/test_ray.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests of a file run in one process, which makes what they share once; those with clusters likewise."""
    for item in items:
        file = item.nodeid.partition("::")[0]
        group = "clusters" if any(part in file for part in CLUSTERS) else file
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Yield the URL of a running server."""
    with testing.postgres_server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Yield a URL whose tables live in an empty schema of their own."""
    with testing.postgres_schema(postgres_server) as url:
        yield url
