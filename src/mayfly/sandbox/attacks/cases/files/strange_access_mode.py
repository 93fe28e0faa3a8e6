"""Open a host file with the access mode that is neither reading nor writing.

origin: open(2), "access mode 3": a descriptor for ioctl only, checked for both rights
why: a filter that lists the modes it knows may not know this one
control: succeeds
"""


def attack(target):
    for path in (target["canary"], "/dev/null", "note"):
        fd, error = openat(target, path, 3 | os.O_NONBLOCK)
        if fd >= 0:
            return escaped(f"{path} was opened with access mode 3")
    return blocked("openat", error)
