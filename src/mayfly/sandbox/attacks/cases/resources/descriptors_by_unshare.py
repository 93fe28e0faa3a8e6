"""Give every thread a table of descriptors of its own, so that each may fill one.

origin: unshare(CLONE_FILES) takes no privilege
why: the limit on descriptors is one of each table, and bounds what is held by descriptors
control: succeeds
"""

import resource
import threading


def attack(target):
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    opened, errors, full = [], [], threading.Barrier(4)

    def fill():
        _, error = syscall(target, "unshare", 0x400)
        if error:
            errors.append(error)
        try:
            while True:
                opened.append(os.eventfd(0))
        except OSError:
            full.wait()

    threads = [threading.Thread(target=fill) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(opened) > 64:
        return escaped(f"{len(opened)} descriptors are open")
    return blocked("unshare", errors[0])
