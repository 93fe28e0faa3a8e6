"""Get a table of descriptors of one's own by closing some in it.

origin: close_range with CLOSE_RANGE_UNSHARE, from Linux 5.9
why: a call that only closes is on every list of harmless ones
control: succeeds
"""

import threading


def attack(target):
    said = []
    ours = os.eventfd(0)

    def part():
        said.extend(syscall(target, "close_range", ours, ours, 2))

    thread = threading.Thread(target=part)
    thread.start()
    thread.join()
    if said[0] < 0:
        return blocked("close_range", said[1])
    try:
        os.fstat(ours)
    except OSError:
        return nothing("the table is still one")
    return escaped("a thread closed a descriptor, and here it is open")
