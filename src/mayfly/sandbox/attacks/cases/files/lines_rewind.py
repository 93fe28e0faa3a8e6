"""Read the file we were handed from a place we were not given, and learn how large it is.

origin: plain; a descriptor to a file has a position anybody who holds it can move
why: lines are a stream, and what was read by others may lie before it
control: succeeds
lines: canary
"""


def attack(target):
    number = lines_descriptor(target)
    try:
        size = os.lseek(number, 0, 2)
        os.lseek(number, 0, 0)
    except OSError as error:
        return blocked("lseek", error)
    return escaped(f"the position was moved over {size} bytes")
