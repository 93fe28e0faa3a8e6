"""Read what /proc tells about ourselves: maps, mounts, command line, cgroup.

origin: the first step of most exploits: addresses, paths and names
why: it describes the host as well
control: succeeds
"""


def attack(target):
    error = ""
    for name in ("maps", "mountinfo", "cmdline", "cgroup", "status", "auxv", "stat"):
        for base in ("/proc/self", "/proc/thread-self", f"/proc/{os.getpid()}"):
            fd, error = openat(target, f"{base}/{name}", os.O_RDONLY)
            if fd >= 0:
                return escaped(f"{base}/{name} was read")
    return blocked("openat", error)
