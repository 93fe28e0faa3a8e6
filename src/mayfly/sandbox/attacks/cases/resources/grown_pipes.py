"""Make pipes larger and fill them.

origin: F_SETPIPE_SZ, up to a megabyte for anybody
why: what is in a pipe is the kernel's memory
control: succeeds
"""

import fcntl


def attack(target):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    last = None
    for size in (1 << 20, 1 << 19, 1 << 18, 1 << 17):
        try:
            fcntl.fcntl(writer, 1031, size)
            break
        except OSError as error:
            last = error
    held = 0
    try:
        while True:
            held += os.write(writer, bytes(4096))
    except BlockingIOError:
        pass
    if held > 1 << 16:
        return escaped(f"a pipe holds {held} bytes")
    return blocked("fcntl", last)
