"""Signal another process through a descriptor.

origin: pidfd_send_signal, Linux 5.1
why: the newest way, unknown to older filters; a directory of /proc serves as descriptor too
control: succeeds
harm: stage
"""

import signal


def attack(target):
    fd, error = openat(target, f"/proc/{target['victim']}", os.O_RDONLY | os.O_DIRECTORY)
    if fd < 0:
        fd, error = syscall(target, "pidfd_open", target["victim"], 0)
    if fd < 0:
        return blocked("pidfd_open", error)
    result, error = syscall(target, "pidfd_send_signal", fd, signal.SIGUSR1, 0, 0)
    return escaped("the victim was signalled") if result == 0 else blocked("pidfd_send_signal", error)
