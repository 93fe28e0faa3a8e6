"""Map a device that gives zeros: memory of our own that counts as a file.

origin: the way to anonymous memory before MAP_ANONYMOUS
why: a filter that refuses anonymous executable memory sees a descriptor here
control: succeeds
grants: package
"""


def attack(target):
    for path in ("/dev/zero", "/dev/null", "/dev/urandom"):
        fd, error = openat(target, path, os.O_RDONLY)
        if fd < 0:
            continue
        _, error = syscall(target, "mmap", 0, 4096, 5, 2, fd, 0)
        if not error:
            return escaped(f"{path} is executable memory")
    return blocked("mmap", error)
