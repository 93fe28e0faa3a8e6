"""kill -9 at every step of a migration, of putting a table aside and of dropping it leaves the old state or the new."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mayfly.core import Settings

from . import killer


@pytest.mark.first(1)
@pytest.mark.parametrize("operation", ["apply", "retire", "purge"])
def test_s_25_what_is_killed_at_any_step_is_whole_or_not_there(settings: Settings, operation: str) -> None:
    environ = {
        **os.environ,
        "MAYFLY_STATE_DIR": str(settings.state),
        "MAYFLY_DATABASE_URL": settings.store.database_url,
    }
    # A server has to notice each death before the next one, so only every fourth step is tried there.
    command = [sys.executable, killer.__file__, operation, "4" if settings.store.database_url else "1"]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=250)
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout.split()
    assert "half" not in told
    assert told[0] == "nothing"
    assert told[-1] == "whole"
    # So many children died on the way that each statement of the transaction had its turn.
    assert len(told) > (3 if settings.store.database_url else 10)
