"""Leave a note in the flags and the position of descriptors that every job inherits.

origin: O_APPEND, O_NONBLOCK and the position belong to the open file, which a fork shares
why: a bit for the next job, whoever it belongs to
control: succeeds
"""

import fcntl


def attack(target):
    for number in (0, *range(4, 64)):
        try:
            fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_APPEND)
        except OSError:
            continue
    return nothing("flags were set where that is possible")


def second(target):
    found = []
    for number in (0, *range(4, 64)):
        try:
            found.append(number) if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_APPEND else None
        except OSError:
            continue
    return escaped(f"flags of {found} are still set") if found else nothing("the next job has files of its own")
