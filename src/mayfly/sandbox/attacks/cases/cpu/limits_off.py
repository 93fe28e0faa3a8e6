"""Lift the limit on processor time, ignore its signal, and loop.

origin: RLIMIT_CPU with SIGXCPU ignored
why: the soft limit only sends a signal
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""

import resource
import signal


def attack(target):
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    while True:
        pass
