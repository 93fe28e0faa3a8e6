"""Let `python -m mayfly.cli` be the command."""

import sys

from mayfly.cli import main

if __name__ == "__main__":
    sys.exit(main())
