"""Ask for new namespaces on a thread, since threads are permitted.

origin: flags combined so that a filter which looks for CLONE_THREAD is satisfied
why: the filter must not take one good flag for a good call
control: unsafe — a thread without a stack of its own would tear the interpreter down
expect: ok error died
"""


def attack(target):
    thread = 0x00010000 | 0x00000800 | 0x00000100
    worked, error = [], ""
    for extra in (0x10000000, 0x20000000, 0x40000000, 0x00020000, 0x02000000):
        result, error = syscall(target, "clone", thread | extra, 0, 0, 0, 0)
        if result == 0:
            syscall(target, "exit", 0)
        if result > 0:
            worked.append(extra)
    return escaped(f"clone worked with {worked}") if worked else blocked("clone", error)
