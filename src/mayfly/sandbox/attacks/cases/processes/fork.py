"""Fork.

origin: plain
why: a limit for one process is no limit for its children
control: succeeds
"""


def attack(target):
    try:
        child = os.fork()
    except OSError as error:
        return blocked("fork", error)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return escaped("a child was made")
