"""Leave with a status that means success.

origin: plain
why: an exit is not an answer
control: succeeds
harm: dies
expect: died error
"""


def attack(target):
    os._exit(0)
