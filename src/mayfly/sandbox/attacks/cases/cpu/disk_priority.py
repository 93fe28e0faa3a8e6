"""Change the disk priority of another process.

origin: ioprio_set on a process of the same user
why: the same harm by another queue
control: succeeds
harm: stage
"""


def attack(target):
    result, error = syscall(target, "ioprio_set", 1, target["victim"], 3 << 13)
    return escaped("the victim's disk priority was changed") if result == 0 else blocked("ioprio_set", error)
