"""Set the times of a host file, with a grant to write to a workspace.

origin: Landlock has no right for times, and a filter sees no paths
why: a grant that opens the call opens it for every path
control: succeeds
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    try:
        os.utime(target["canary"], (1, 1))
    except OSError as error:
        return blocked("utimensat", error)
    return escaped("times outside the workspace were changed")
