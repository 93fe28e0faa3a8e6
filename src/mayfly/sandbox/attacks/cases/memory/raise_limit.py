"""Raise the limit itself, then allocate.

origin: a soft limit is a suggestion; prlimit may set it up to the hard one
why: only a hard limit holds
control: succeeds
timeout: 5
"""

import resource


def attack(target):
    for wanted in (resource.RLIM_INFINITY, 1 << 40, resource.getrlimit(resource.RLIMIT_AS)[1]):
        try:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted))
        except (OSError, ValueError):
            continue
    try:
        size = len(bytearray(768 << 20))
    except MemoryError as error:
        return blocked("bytearray", error)
    return escaped(f"{size} bytes are in use")
