"""Leave a message in a POSIX queue, and one in a System V queue.

origin: mq_open and msgget
why: kernel memory with a name, open to the next job
control: succeeds
"""

NAME = b"mayfly-trace"
KEY = 0x4D415948


def attack(target):
    fd, error = syscall(target, "mq_open", NAME, os.O_CREAT | os.O_RDWR, 0o666, 0)
    number, other = syscall(target, "msgget", KEY, 0o1666)
    return nothing("a queue was left") if fd >= 0 or number >= 0 else blocked("mq_open", error)


def second(target):
    fd, error = syscall(target, "mq_open", NAME, os.O_RDWR, 0, 0)
    number, other = syscall(target, "msgget", KEY, 0)
    if fd >= 0:
        syscall(target, "mq_unlink", NAME)
    if number >= 0:
        syscall(target, "msgctl", number, 0, 0)
    return escaped("a queue is still there") if fd >= 0 or number >= 0 else blocked("mq_open", error)
