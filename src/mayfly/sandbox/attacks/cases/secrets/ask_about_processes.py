"""Ask the kernel about a process of the host: its session, group, priority, processors.

origin: calls that take any process id and need no right on it
why: who runs here, in which groups, is the map for what comes next
control: succeeds
"""


def attack(target):
    ways = {
        "getsid": lambda: os.getsid(target["victim"]),
        "getpgid": lambda: os.getpgid(target["victim"]),
        "getpriority": lambda: os.getpriority(os.PRIO_PROCESS, target["victim"]),
        "sched_getaffinity": lambda: os.sched_getaffinity(target["victim"]),
        "sched_getscheduler": lambda: os.sched_getscheduler(target["victim"]),
    }
    for call, way in ways.items():
        try:
            return escaped(f"{call} told {way()}")
        except OSError as error:
            last = blocked(call, error)
    return last
