"""Open a message queue of the host that anybody may read.

origin: POSIX queues are found by name, without a directory
why: another channel that no file rule covers
control: succeeds
"""


def attack(target):
    if not target["queue"]:
        return nothing("this machine has no message queues")
    fd, error = syscall(target, "mq_open", target["queue"].encode(), os.O_RDONLY | os.O_NONBLOCK, 0, 0)
    return escaped("a host queue was opened") if fd >= 0 else blocked("mq_open", error)
