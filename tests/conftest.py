"""Fixtures every package's tests may use."""

import pytest
from hypothesis import HealthCheck, settings

from postgres import postgres_server, postgres_url

# The same examples in every run, however long the machine takes over one: what failed once fails again.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

__all__ = ["postgres_server", "postgres_url"]

# One cluster at a time: each takes memory, and some tests look at what is left of theirs.
CLUSTERS = ("promise/engines/", "runtime/test_tree_ray.py", "cli/test_ray.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests of a file run in one process, which makes what they share once; those with clusters likewise."""
    for item in items:
        file = item.nodeid.partition("::")[0]
        group = "clusters" if any(part in file for part in CLUSTERS) else file
        item.add_marker(pytest.mark.xdist_group(group))
