"""Look around at the very first instant, before anything of ours is called.

origin: jails that are closed after the code is loaded
why: a module's own lines run when it is loaded
control: succeeds
"""

import resource

FIRST = {
    "filter": libc.prctl(21, 0, 0, 0, 0) != 2,
    "privileges": libc.prctl(39, 0, 0, 0, 0) == 0,
    "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE)[1] > 1000,
    "locked memory": resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] != 0,
    "environment": bool(os.environ),
}


def attack(target):
    open_ = [name for name, missing in FIRST.items() if missing and name != "filter"]
    return escaped(f"not closed yet: {', '.join(open_)}") if open_ else nothing("all was closed before")
