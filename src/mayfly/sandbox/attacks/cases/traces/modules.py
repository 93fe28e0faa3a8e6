"""Leave a module in sys.modules for the next job to import.

origin: plain
why: an interpreter that is used again keeps its modules
control: succeeds
"""

import sys
import types


def attack(target):
    sys.modules["mayfly_trace"] = types.ModuleType("mayfly_trace")
    return nothing("a module was left")


def second(target):
    return escaped("the module is still there") if "mayfly_trace" in sys.modules else nothing("the next job has modules of its own")
