"""kill -9 at every step of a migration: afterwards the old state or the new one."""

from __future__ import annotations

import os
import subprocess
import sys

from mayfly.core import Settings

from . import killer


def test_s_25_a_migration_killed_at_any_step_is_whole_or_not_there(settings: Settings) -> None:
    environ = {
        **os.environ,
        "MAYFLY_STATE_DIR": str(settings.state),
        "MAYFLY_DATABASE_URL": settings.store.database_url,
    }
    # A server has to notice each death before the next one, so only every fourth step is tried there.
    command = [sys.executable, killer.__file__, "4" if settings.store.database_url else "1"]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=250)
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout.split()
    assert "half" not in told
    assert told[0] == "nothing"
    assert told[-1] == "whole"
    # So many children died on the way that each statement of the transaction had its turn.
    assert len(told) > 10
