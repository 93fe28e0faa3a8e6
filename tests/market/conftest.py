from __future__ import annotations

import pytest


@pytest.fixture
def database(request: pytest.FixtureRequest) -> str:
    """Return where the store is: SQLite in the state directory, or the PostgreSQL of a test that asks for it."""
    kind = getattr(request, "param", "sqlite")
    return str(request.getfixturevalue("postgres_url")) if kind == "postgres" else ""
