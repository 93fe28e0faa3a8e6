"""Exchange a file of the workspace with one outside.

origin: RENAME_EXCHANGE, renameat2(2)
why: nothing is removed and nothing is made, so rules about either do not fire
control: succeeds
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    result, error = syscall(target, "renameat2", AT_FDCWD, b"note", AT_FDCWD, os.fsencode(target["canary"]), 2)
    return escaped("two files were exchanged") if result == 0 else blocked("renameat2", error)
