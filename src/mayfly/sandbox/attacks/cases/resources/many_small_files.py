"""Use up a disk's table of files with empty ones.

origin: inode exhaustion: a disk with room and no files left
why: limits on bytes do not count what has none
control: succeeds
harm: stage
"""


def attack(target):
    last = nothing("no directory was found")
    for folder in (target["stage"], "/tmp", "/var/tmp", "/dev/shm", "/run", os.getcwd()):
        try:
            for number in range(500):
                with open(f"{folder}/mayfly-test-{os.getpid()}-{number}", "x"):
                    pass
        except OSError as error:
            last = blocked("open", error)
            continue
        return escaped(f"500 files are in {folder}")
    return last
