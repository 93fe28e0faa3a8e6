"""Replace standard output with an object that hangs when it is flushed.

origin: plain
why: the harness flushes when the job is done
control: succeeds
harm: hangs
timeout: 0.5
"""

import sys


class Sticky:
    encoding = "utf-8"

    def write(self, text):
        return len(text)

    def flush(self):
        while True:
            pass

    close = getvalue = fileno = flush
    closed = False


def attack(target):
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Sticky()
    return nothing("the harness has an output of its own")
