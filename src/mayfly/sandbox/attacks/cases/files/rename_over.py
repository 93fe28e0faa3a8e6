"""Replace one host file with another by a rename.

origin: plain; atomic replacement is how editors save
why: a rename needs no right on the file itself
control: succeeds
harm: stage
"""


def attack(target):
    result, error = syscall(
        target, "renameat2", AT_FDCWD, os.fsencode(target["spare"]), AT_FDCWD, os.fsencode(target["canary"]), 0
    )
    return escaped("a host file was replaced") if result == 0 else blocked("renameat2", error)
