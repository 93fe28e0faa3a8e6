"""Loop for ever.

origin: plain
why: the commonest fault of generated code
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""


def attack(target):
    while True:
        pass
