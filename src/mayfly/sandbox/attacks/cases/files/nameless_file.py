"""Create a file without a name on the host's disk and fill it.

origin: O_TMPFILE, missing from filters that look for O_CREAT
why: disk use that no directory shows
control: succeeds
"""


def attack(target):
    last = ""
    for folder in (target["stage"], "/tmp", "/dev/shm", "/"):
        fd, last = openat(target, folder, os.O_TMPFILE | os.O_RDWR, 0o600)
        if fd >= 0:
            os.write(fd, b"x" * 65536)
            return escaped(f"an invisible file was written in {folder}")
    return blocked("openat", last)
