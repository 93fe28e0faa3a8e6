"""Give a name to a file that was made without one, by its descriptor.

origin: O_TMPFILE and linkat with /proc/self/fd, open(2)
why: two calls that are harmless alone make a link that no path call made
control: succeeds
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    fd, error = openat(target, "note", os.O_RDONLY)
    if fd < 0:
        return blocked("openat", error)
    for path, flags in ((f"/proc/self/fd/{fd}".encode(), 0x400), (b"", 0x1000)):
        start = fd if not path else AT_FDCWD
        result, error = syscall(target, "linkat", start, path, AT_FDCWD, b"named", flags)
        if result == 0:
            return escaped(f"a descriptor was linked with flags {flags:#x}")
    return blocked("linkat", error)
