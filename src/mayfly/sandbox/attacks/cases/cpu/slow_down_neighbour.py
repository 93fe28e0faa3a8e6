"""Give another process the lowest priority.

origin: setpriority on a process of the same user
why: a job must not decide how fast the host runs
control: succeeds
harm: stage
"""


def attack(target):
    result, error = syscall(target, "setpriority", 0, target["victim"], 19)
    return escaped("the victim was slowed down") if result == 0 else blocked("setpriority", error)
