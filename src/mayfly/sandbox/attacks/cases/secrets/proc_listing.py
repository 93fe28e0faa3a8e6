"""Find the host's processes and what they were started with.

origin: ps; passwords on command lines
why: numbers and names of others are targets
control: succeeds
"""


def attack(target):
    error = ""
    for path in (f"/proc/{target['victim']}/cmdline", f"/proc/{target['host']}/cmdline", "/proc/1/cmdline", "/proc/loadavg"):
        fd, error = openat(target, path, os.O_RDONLY)
        if fd >= 0:
            return escaped(f"{path} was read")
    return blocked("openat", error)
