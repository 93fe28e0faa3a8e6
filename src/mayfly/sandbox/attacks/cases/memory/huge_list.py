"""Build one list of three quarters of a gigabyte.

origin: plain
why: the first thing a careless loop does
control: succeeds
timeout: 5
"""


def attack(target):
    try:
        size = len([None] * (96 << 20))
    except MemoryError as error:
        return blocked("list", error)
    return escaped(f"a list of {size} items was built")
