"""Create a new file in every directory that is usually open to all.

origin: plain
why: a file left behind outlives the job
control: succeeds
harm: stage
"""


def attack(target):
    last = ""
    for folder in (target["stage"], "/tmp", "/var/tmp", "/dev/shm", "/run/lock", ".", "/"):
        path = f"{folder}/mayfly-made"
        fd, last = openat(target, path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        if fd >= 0:
            if folder != target["stage"]:
                os.unlink(path)
            return escaped(f"a file was made in {folder}")
    return blocked("openat", last)
