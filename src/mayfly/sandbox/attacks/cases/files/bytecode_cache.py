"""Poison the standard library: its compiled files, and the directories that it is loaded from.

origin: __pycache__ poisoning; persistence through a writable interpreter
why: the host itself would run what is planted there
control: unsafe — it would write into the interpreter that runs the tests
"""

import sys


def attack(target):
    import json

    last = nothing("no library directory is known")
    for path in (json.__cached__ or "", json.__file__, os.__file__):
        try:
            os.close(os.open(path, os.O_RDWR))
        except OSError as error:
            last = blocked("open", error)
        else:
            return escaped(f"{path} can be written")
    for folder in sys.path:
        try:
            os.close(os.open(f"{folder}/mayfly_planted.py", os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            last = blocked("open", error)
        else:
            os.unlink(f"{folder}/mayfly_planted.py")
            return escaped(f"a module can be planted in {folder}")
    return last
