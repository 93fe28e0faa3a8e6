"""The command line: what people type, and how answers and errors look."""

import gc
import os
import sys
from contextlib import suppress

__all__ = ["main"]


def main() -> int:
    """Run the command line of this process and return its exit status."""
    # Nothing that is imported becomes garbage; looking for it would be a tenth of the time that help takes. Later it is
    # looked for when there is much of it, since most commands are done before there is.
    gc.disable()
    from mayfly import _start

    _start.begin()
    from mayfly.cli._app import run

    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()
    status = run(sys.argv[1:])
    _start.keep()
    return leave(status)


def leave(status: int) -> int:
    """End the process at once where nothing is left to be done: taking an interpreter apart is a tenth of a command."""
    import atexit
    import threading

    if threading.active_count() == 1:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # who reads it may have gone; what was wrong has been said
                stream.flush()
        os._exit(status)
    return status
