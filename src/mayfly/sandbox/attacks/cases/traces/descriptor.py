"""Leave an open descriptor at a known number.

origin: plain
why: the next job could read what this one wrote
control: succeeds
"""


def attack(target):
    reading, writing = os.pipe()
    os.write(writing, b"left")
    os.dup2(reading, 51)
    os.set_inheritable(51, True)
    return nothing("descriptor 51 was left")


def second(target):
    try:
        os.fstat(51)
    except OSError:
        return nothing("the next job has descriptors of its own")
    return escaped("descriptor 51 is still open")
