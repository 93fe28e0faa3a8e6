"""The type gate's own tests start and end servers of their own."""

from collections.abc import Iterator

import pytest

from mayfly.gates.types import _gate
from mayfly.gates.types._server import TypeServer


@pytest.fixture(scope="package", autouse=True)
def own_servers(type_servers: None) -> Iterator[None]:
    """Share no server with other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_gate, "TypeServer", TypeServer)
        yield
