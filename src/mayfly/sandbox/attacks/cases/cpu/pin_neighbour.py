"""Pin another process to one processor.

origin: sched_setaffinity on a process of the same user
why: with the job spinning there, the victim stands still
control: succeeds
"""


def attack(target):
    mask = (ctypes.c_uint64 * 16)(1)
    error = ""
    for process in (target["victim"], target["host"]):
        result, error = syscall(target, "sched_setaffinity", process, 128, mask)
        if result >= 0:
            return escaped("a host process was pinned")
    return blocked("sched_setaffinity", error)
