"""Offer another process to the kernel's memory killer.

origin: /proc/PID/oom_score_adj, writable upwards by its owner
why: the kernel does the killing
control: succeeds
harm: stage
"""


def attack(target):
    fd, error = openat(target, f"/proc/{target['victim']}/oom_score_adj", os.O_WRONLY)
    if fd < 0:
        return blocked("openat", error)
    os.write(fd, b"1000")
    return escaped("the victim was offered")
