"""Type commands into the terminal that the host was started from.

origin: TIOCSTI, CVE-2017-5226 (bubblewrap); TIOCLINUX likewise
why: the shell runs them when the job has ended
control: unsafe — it would type into the terminal of whoever runs the tests
"""


def attack(target):
    error = "EBADF"
    character = ctypes.create_string_buffer(b"#")
    for number in range(16):
        for command in (0x5412, 0x541C, 0x540E, 0x5410):
            result, error = syscall(target, "ioctl", number, command, character)
            if result == 0:
                return escaped(f"descriptor {number} took terminal command {command:#x}")
    return blocked("ioctl", error)
