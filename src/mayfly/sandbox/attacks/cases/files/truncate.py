"""Empty a host file without opening it.

origin: Landlock governs truncation only from its third version on
why: the path call needs no descriptor
control: succeeds
harm: stage
"""


def attack(target):
    result, error = syscall(target, "truncate", os.fsencode(target["canary"]), 0)
    return escaped("a host file was emptied") if result == 0 else blocked("truncate", error)
