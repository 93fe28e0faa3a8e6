"""Become a program that exists in memory only.

origin: memfd_create with execveat, the fileless loader of Linux malware
why: no file system rule applies to it
control: succeeds
harm: stage
"""


def attack(target):
    fd, error = syscall(target, "memfd_create", b"x", 0)
    if fd < 0:
        return blocked("memfd_create", error)
    os.write(fd, f"#!/bin/sh\necho owned > '{target['stage']}/owned'\n".encode())
    arguments = (ctypes.c_char_p * 2)(b"x", None)
    _, error = syscall(target, "execveat", fd, b"", arguments, (ctypes.c_char_p * 1)(None), 0x1000)
    return blocked("execveat", error)
