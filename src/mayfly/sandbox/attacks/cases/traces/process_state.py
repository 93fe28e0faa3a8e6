"""Change what belongs to the process: file mask, signal handlers, recursion limit, thread name.

origin: plain
why: small changes break later jobs in ways that nobody can explain
control: succeeds
"""

import signal
import sys


def attack(target):
    os.umask(0o123)
    sys.setrecursionlimit(7777)
    sys.setswitchinterval(7.0)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    return nothing("the process was changed")


def second(target):
    changed = []
    mask = os.umask(0o22)
    os.umask(mask)
    changed += ["umask"] * (mask == 0o123)
    changed += ["recursion limit"] * (sys.getrecursionlimit() == 7777)
    changed += ["switch interval"] * (sys.getswitchinterval() == 7.0)
    changed += ["signal handler"] * (signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN)
    return escaped(f"still changed: {', '.join(changed)}") if changed else nothing("the next job has a fresh process")
