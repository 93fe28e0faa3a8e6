"""Take hold of another process by a descriptor.

origin: pidfd_open, Linux 5.3
why: the handle outlives the number, and opens getfd, setns, madvise and signals
control: succeeds
"""


def attack(target):
    error = ""
    for process in (target["victim"], target["host"]):
        result, error = syscall(target, "pidfd_open", process, 0)
        if result >= 0:
            return escaped("a host process was opened")
    return blocked("pidfd_open", error)
