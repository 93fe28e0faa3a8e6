"""Empty a file of the standard library that every later job reads.

origin: Landlock before its third version; the library is readable by design
why: what all jobs share is the best place to break all jobs
control: unsafe — it would destroy the interpreter that runs it
harm: stage
"""

import json


def attack(target):
    last = ""
    for path in (json.decoder.__file__, os.__file__, json.__file__):
        for flags in (os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_TRUNC, os.O_RDWR):
            fd, last = openat(target, path, flags)
            if fd >= 0:
                return escaped(f"{path} was opened with {flags:o}")
    return blocked("openat", last)
