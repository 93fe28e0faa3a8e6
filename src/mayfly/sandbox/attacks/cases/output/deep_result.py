"""Return a list nested a hundred thousand deep.

origin: recursive parsers, CVE-2022-25857 and many relatives
why: what the worker could write, the host may not be able to read
control: succeeds
harm: result
expect: error died
"""


def attack(target):
    value = []
    for _ in range(100_000):
        value = [value]
    return value
