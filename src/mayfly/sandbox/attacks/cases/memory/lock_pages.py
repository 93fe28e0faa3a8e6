"""Pin memory, so that the machine cannot page it out.

origin: mlock and mlockall
why: pinned pages starve everybody else
control: succeeds
"""


def attack(target):
    area = ctypes.create_string_buffer(1 << 16)
    error = call = ""
    for call, arguments in {"mlock": (ctypes.addressof(area), 1 << 16), "mlockall": (2,)}.items():
        result, error = syscall(target, call, *arguments)
        if result == 0:
            return escaped(f"{call} was accepted")
    return blocked(call, error)
