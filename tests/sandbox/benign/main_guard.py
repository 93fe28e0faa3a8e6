"""A script with a main guard and module-level state, as models like to end their programs."""

import sys

ARGUMENT = "names.txt"
CACHE = {}
VERSION = (1, 2)


def main(argument):
    CACHE[argument] = len(argument)
    print("module has a name:", bool(__name__), file=sys.stdout)
    print("to standard error", file=sys.stderr)
    return {"cache": CACHE, "version": VERSION, "main": __name__ == "__main__"}


if __name__ == "__main__":
    print(main(sys.argv[1]))
