"""The command line: what people type, and how answers and errors look."""

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line of this process and return its exit status."""
    from mayfly.cli._app import run

    return run(sys.argv[1:])
