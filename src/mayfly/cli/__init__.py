"""The command line: what people type, and how answers and errors look."""

import gc
import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line of this process and return its exit status."""
    # Nothing that is imported becomes garbage; looking for it would be a tenth of the time that help takes.
    gc.disable()
    from mayfly.cli._app import run

    gc.freeze()
    gc.enable()
    return run(sys.argv[1:])
