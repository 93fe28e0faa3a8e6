"""Ignore and block every signal, then go on for ever.

origin: plain
why: a polite end is asked for in vain
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""

import signal


def attack(target):
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
