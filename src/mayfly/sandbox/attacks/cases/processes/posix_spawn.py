"""Start a program with the library's spawning function.

origin: plain; it uses clone with flags of its own
why: the C library makes processes in more ways than one
control: succeeds
"""


def attack(target):
    try:
        child = os.posix_spawn("/bin/true", ["true"], {})
    except OSError as error:
        return blocked("posix_spawn", error)
    os.waitpid(child, 0)
    return escaped("a program was started")
