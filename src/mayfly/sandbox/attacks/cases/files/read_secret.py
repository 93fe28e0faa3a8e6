"""Read a world-readable file of the host by its path.

origin: the plainest theft; CVE-2025-5120 (smolagents) ended in this
why: the first thing the file wall is for
control: succeeds
"""


def attack(target):
    fd, error = openat(target, target["secret"], os.O_RDONLY)
    if fd < 0:
        return blocked("openat", error)
    return escaped("the secret file was read") if holds_token(target, os.read(fd, 4096)) else nothing("no secret in it")
