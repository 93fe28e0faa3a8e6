"""Ask the interpreter to exit.

origin: plain
why: SystemExit is no Exception; a handler for exceptions lets it through
control: succeeds
harm: dies
expect: died error
"""

import sys


def attack(target):
    sys.exit(0)
