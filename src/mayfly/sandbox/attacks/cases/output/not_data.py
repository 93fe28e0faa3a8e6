"""Return what is no data at all: a set, bytes, a function, a module, a number with an imaginary part.

origin: pickled results were how in-process executors were taken over
why: only data may cross
control: succeeds
harm: result
expect: error
"""


def attack(target):
    return {"set": {1}, "bytes": b"x", "function": attack, "module": os, "number": 1j}
