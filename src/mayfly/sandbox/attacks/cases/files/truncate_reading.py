"""Open a host file for reading only, and have it emptied on the way.

origin: Landlock before its third version, with O_RDONLY and O_TRUNC together
why: the access mode says reading, so a rule about writing does not fire
control: succeeds
harm: stage
"""


def attack(target):
    fd, error = openat(target, target["canary"], os.O_RDONLY | os.O_TRUNC)
    return escaped("a host file was emptied") if fd >= 0 else blocked("openat", error)
