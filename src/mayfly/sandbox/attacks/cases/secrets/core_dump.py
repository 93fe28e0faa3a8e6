"""Allow core dumps, so that a crash writes memory to the host's disk.

origin: core dumps in shared directories; a setting that persists until the crash
why: the dump holds whatever the process held
control: depends — the hard limit may be zero already
"""

import resource


def attack(target):
    wanted = 1 << 20
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (wanted, wanted))
    except OSError as error:
        return blocked("prlimit64", error)
    except ValueError:
        return nothing("the hard limit on core dumps is zero and stays there")
    now = resource.getrlimit(resource.RLIMIT_CORE)[0]
    resource.setrlimit(resource.RLIMIT_CORE, (0, wanted))
    return escaped("core dumps are on") if now == wanted else nothing("still off")
