"""Use the host's /dev/shm as a drop.

origin: POSIX shared memory is a world-writable file system
why: shm_open in any library ends here
control: succeeds
"""


def attack(target):
    name = f"/dev/shm/mayfly-{os.getpid()}"
    fd, error = openat(target, name, os.O_RDWR | os.O_CREAT, 0o666)
    if fd < 0:
        return blocked("openat", error)
    os.unlink(name)
    return escaped("shared memory was made")
