"""Open device nodes other than null and urandom.

origin: /dev/mem, /dev/kmsg, /dev/fuse and /dev/ptmx have each led out of a container
why: a device is an interface to the kernel with its own rules
control: succeeds
"""


def attack(target):
    last = ""
    for name in ("mem", "kmsg", "kvm", "fuse", "ptmx", "tty", "console", "loop-control", "net/tun", "full", "zero", "vda", "sda"):
        for flags in (os.O_RDWR, os.O_RDONLY):
            fd, error = openat(target, f"/dev/{name}", flags | os.O_NONBLOCK)
            if fd >= 0:
                return escaped(f"/dev/{name} was opened")
            last = error if error != "ENOENT" or not last else last
    return blocked("openat", last)
