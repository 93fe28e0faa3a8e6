"""Leave a program with a set-user-id bit in the workspace, by every way there is to set it.

origin: the way from a container with a shared directory to its host's root
why: modes are set when a file is made, by name, by descriptor and by a directory's inheritance
control: succeeds
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    ways = {
        "openat": lambda: os.close(os.open("program", os.O_CREAT | os.O_WRONLY, 0o6755)),
        "fchmod": lambda: os.fchmod(os.open("note", os.O_RDWR), 0o6755),
        "chmod": lambda: os.chmod("note", 0o6755),
        "mkdir": lambda: os.mkdir("folder", 0o2777),
    }
    for call, way in ways.items():
        try:
            way()
        except OSError as error:
            last = blocked(call, error)
    bits = sum(os.stat(name).st_mode & 0o6000 for name in os.listdir("."))
    return escaped("a set-user-id file was left") if bits else last
