"""Raise an exception whose text takes for ever to write.

origin: plain
why: the job's code runs again while its failure is being reported
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout error died
"""


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def attack(target):
    raise Endless
