"""Tell the harness in our own process that there are no limits, then return millions of nothings.

origin: a limit that the limited one checks
why: our process is ours: its harness says what we like
control: needs a harness to lie to
timeout: 20
expect: error memory died
"""

import sys


def attack(target):
    frame = sys._getframe(1)
    while frame is not None:
        for name in list(frame.f_locals):
            for limit in ("nodes", "limit"):
                if hasattr(frame.f_locals[name], limit):
                    setattr(frame.f_locals[name], limit, 1 << 62)
        frame = frame.f_back
    return [{}] * 5_500_000
