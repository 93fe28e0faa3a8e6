"""Walk upwards from an open directory for longer than any tree is deep.

origin: path traversal, CWE-22, with descriptors instead of strings
why: a root made by path checks leaks upwards
control: succeeds
"""


def attack(target):
    error = "ENOENT"
    for start in ("/", ".", os.path.dirname(os.__file__)):
        base, error = openat(target, start, os.O_RDONLY | os.O_DIRECTORY)
        if base < 0:
            continue
        path = os.fsencode("../" * 64 + target["secret"].lstrip("/"))
        fd, error = syscall(target, "openat", base, path, os.O_RDONLY, 0)
        if fd >= 0 and holds_token(target, os.read(fd, 4096)):
            return escaped(f"walked up from {start}")
    return blocked("openat", error)
