"""Answer every later import.

origin: sys.meta_path, used by supply-chain malware
why: the next job would run our code as its library
control: succeeds
"""

import sys


class Answer:
    mark = "mayfly"

    @staticmethod
    def find_spec(name, path=None, target=None):
        return None


def attack(target):
    sys.meta_path.insert(0, Answer)
    sys.path_hooks.insert(0, Answer)
    return nothing("the import system was hooked")


def second(target):
    marked = [hook for hook in sys.meta_path + sys.path_hooks if getattr(hook, "mark", "") == "mayfly"]
    return escaped("the hook is still there") if marked else nothing("the next job has its own import system")
