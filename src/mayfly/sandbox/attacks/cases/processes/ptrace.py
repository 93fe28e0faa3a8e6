"""Attach to another process as its debugger.

origin: plain; ptrace also rewrote system calls after older filters had looked
why: a debugger owns the process it debugs
control: depends — on the ptrace rules of the machine
"""


def attack(target):
    error = ""
    for process in (target["victim"], target["host"], os.getppid()):
        result, error = syscall(target, "ptrace", 0x4206, process, 0, 0)
        if result == 0:
            syscall(target, "ptrace", 17, process, 0, 0)
            return escaped("attached to another process")
    return blocked("ptrace", error)
