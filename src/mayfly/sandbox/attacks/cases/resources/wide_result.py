"""Return millions of nothings.

origin: three bytes of JSON are sixty of objects
why: the host that reads 16 MiB holds half a gigabyte, and no other thread of it runs meanwhile
control: succeeds
harm: result
timeout: 20
expect: error memory
"""


def attack(target):
    return [[]] * 5_500_000
