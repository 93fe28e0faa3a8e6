"""Return a generator that never ends.

origin: streamed results
why: a host that collects what comes collects for ever
control: succeeds
harm: hangs
timeout: 0.7
expect: timeout memory error
"""


def attack(target):
    while True:
        yield "x" * 4096
