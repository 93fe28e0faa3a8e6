"""What tests of languages share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import GateSettings, MachineError, SandboxSettings, Settings
from mayfly.forge.languages import TypeScript


@pytest.fixture(scope="module")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TypeScript]:
    """Return TypeScript with short limits; where node or tsc are missing, skip with what brings them."""
    place: Path = tmp_path_factory.mktemp("typescript")
    # Long enough for node to start on a busy machine.
    settings = Settings(
        state_dir=str(place), gates=GateSettings(test_timeout=8.0), sandbox=SandboxSettings(memory=128 * 1024 * 1024)
    )
    try:
        made = TypeScript(settings, state=place / "workbench")
    except MachineError as error:
        pytest.skip(f"{error} (make typescript)")
    with made:
        yield made
