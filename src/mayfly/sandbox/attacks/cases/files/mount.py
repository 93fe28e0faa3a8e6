"""Mount a file system, by the old call and by the new ones.

origin: the breakout of any job that kept CAP_SYS_ADMIN; fsopen: CVE-2022-0185
why: new mount calls were missing from many filters for years
control: needs root
"""


def attack(target):
    result, error = syscall(target, "mount", b"none", os.fsencode(target["stage"]), b"tmpfs", 0, None)
    if result == 0:
        return escaped("a tmpfs was mounted")
    call = "mount"
    for call, arguments in (("fsopen", (b"tmpfs", 0)), ("open_tree", (AT_FDCWD, b"/", 1))):
        result, error = syscall(target, call, *arguments)
        if result >= 0:
            return escaped(f"{call} worked")
    return blocked(call, error)
