"""Change the mode of a host file, setting the set-user-id bit.

origin: Landlock does not govern chmod; set-user-id files made inside are a classic container escape
why: the file wall alone would let it through
control: succeeds
harm: stage
"""


def attack(target):
    for call in ("fchmodat", "fchmodat2"):
        result, error = syscall(target, call, AT_FDCWD, os.fsencode(target["canary"]), 0o4777, 0)
        if result == 0:
            return escaped("the mode was changed")
    return blocked(call, error)
