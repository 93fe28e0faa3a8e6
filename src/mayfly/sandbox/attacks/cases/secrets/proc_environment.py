"""Read the environments of other processes.

origin: /proc/PID/environ
why: the file shows what a process was started with, whatever it did since
control: succeeds
"""


def attack(target):
    error = ""
    for process in ("self", "1", target["host"], target["victim"], os.getppid()):
        fd, problem = openat(target, f"/proc/{process}/environ", os.O_RDONLY)
        error = problem or error
        if fd >= 0 and holds_token(target, os.read(fd, 1 << 16)):
            return escaped(f"the environment of process {process} holds the secret")
    return blocked("openat", error)
