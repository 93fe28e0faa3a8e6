"""Copy an open descriptor out of another process.

origin: pidfd_getfd, Linux 5.6
why: a connection or a file of the host, without opening it
control: depends — on the ptrace rules of the machine
"""


def attack(target):
    pidfd, error = syscall(target, "pidfd_open", target["victim"], 0)
    if pidfd < 0:
        return blocked("pidfd_open", error)
    fd, error = syscall(target, "pidfd_getfd", pidfd, 1, 0)
    return escaped("a descriptor was copied") if fd >= 0 else blocked("pidfd_getfd", error)
