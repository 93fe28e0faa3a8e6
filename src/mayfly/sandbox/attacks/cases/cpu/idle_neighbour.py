"""Move another process into the idle class, and ourselves out of ours.

origin: sched_setscheduler and sched_setattr
why: the idle class runs only when nothing else wants to
control: succeeds
harm: stage
"""


def attack(target):
    parameter = (ctypes.c_int * 1)(0)
    error = ""
    for process, policy in ((target["victim"], 5), (0, 3), (0, 1)):
        result, error = syscall(target, "sched_setscheduler", process, policy, parameter)
        if result == 0:
            return escaped("a scheduling class was changed")
    return blocked("sched_setscheduler", error)
