"""Search the kernel's keyrings, and add a key of our own.

origin: keyrings were not separated by namespaces
why: they hold Kerberos tickets and disk keys
control: succeeds
"""


def attack(target):
    error = call = ""
    for call, arguments in {
        "keyctl": (0, -5, 1),
        "add_key": (b"user", b"mayfly", b"x", 1, -2),
        "request_key": (b"user", b"mayfly", 0, 0),
    }.items():
        result, error = syscall(target, call, *arguments)
        if result >= 0 or error == "ENOKEY":
            return escaped(f"{call} answered")
    return blocked(call, error)
