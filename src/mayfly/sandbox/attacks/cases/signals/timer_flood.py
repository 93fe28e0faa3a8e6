"""Flood ourselves with timer signals whose handler never gives way.

origin: setitimer at one microsecond
why: the interpreter does nothing but handle signals
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""

import signal


def attack(target):
    signal.signal(signal.SIGALRM, lambda number, frame: hashlib.sha256(bytes(1 << 20)).digest())
    signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
    while True:
        pass
