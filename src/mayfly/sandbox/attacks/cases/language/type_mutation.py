"""Add an attribute to a built-in type through the dictionary behind its read-only view.

origin: gc.get_referents on a mappingproxy, as the forbiddenfruit package does
why: types are shared by everything in the process, the next job's code too
control: succeeds
"""

import gc


def attack(target):
    gc.get_referents(vars(str))[0]["mayfly_was_here"] = True
    sys_type = type("")
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(sys_type))
    return nothing(f"the type was changed for this job: {hasattr('', 'mayfly_was_here')}")


def second(target):
    return escaped("the next job sees the changed type") if hasattr("", "mayfly_was_here") else nothing("the next job has its own types")
