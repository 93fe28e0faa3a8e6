"""Run a command and print as JSON the processor seconds that it and everything it started took, orphans included.

Beside them stand its wall seconds and the memory of its largest process.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import time

_PR_SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    """Run *command* with its output thrown away; what it says when it fails goes to stderr."""
    # A process whose parent has ended becomes our child, so that what it took is counted here too.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    began = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime
    # Linux counts the largest resident size in KiB.
    print(json.dumps({"processor": processor, "seconds": seconds, "megabytes": used.ru_maxrss * 1024 / 1e6}))
    if ended.returncode:
        sys.stderr.write(ended.stderr or ended.stdout)
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
