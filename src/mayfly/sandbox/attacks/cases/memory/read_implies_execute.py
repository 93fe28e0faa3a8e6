"""Switch the process to a personality in which readable memory is executable.

origin: READ_IMPLIES_EXEC, made for old binaries
why: it turns every permitted mapping into an executable one, unseen by a filter on mmap
control: succeeds
"""


def attack(target):
    result, error = syscall(target, "personality", 0x0400000)
    return escaped("the personality was changed") if result >= 0 else blocked("personality", error)
