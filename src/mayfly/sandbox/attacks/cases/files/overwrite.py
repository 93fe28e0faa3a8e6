"""Overwrite a file of the host that everybody may write.

origin: plain
why: permissions of the host must not matter
control: succeeds
harm: stage
"""


def attack(target):
    fd, error = openat(target, target["canary"], os.O_WRONLY | os.O_TRUNC)
    if fd < 0:
        return blocked("openat", error)
    os.write(fd, b"owned")
    return escaped("a host file was overwritten")
