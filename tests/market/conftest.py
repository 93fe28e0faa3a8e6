from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def depth() -> Iterator[None]:
    """Fail where a library of Ethereum lifted the limit of recursion: whatever reads JSON afterwards may crash."""
    before = sys.getrecursionlimit()
    yield
    assert sys.getrecursionlimit() == before


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """Return where the store is: SQLite in the state directory, or the PostgreSQL of a test that asks for it."""
    kind = getattr(request, "param", "sqlite")
    return str(request.getfixturevalue("postgres_url")) if kind == "postgres" else ""
