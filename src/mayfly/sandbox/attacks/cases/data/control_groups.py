"""Read who else is in the control groups that the database looks at.

origin: /sys/fs/cgroup, by which containers tell their neighbours
why: a database reads limits there, so a wall for databases may leave it open
control: depends — a machine may have no control groups
grants: data
data: input
"""


def attack(target):
    found = []
    try:
        groups = open("/proc/self/cgroup").read().splitlines()
    except OSError as error:
        groups, last = [], blocked("open", error)
    for number, controllers, path in (line.split(":", 2) for line in groups):
        for name in ("cgroup.procs", "tasks", "memory.stat", "../cgroup.procs"):
            try:
                found.append(open(f"/sys/fs/cgroup/{controllers}/{path}/{name}").read())
            except OSError as error:
                last = blocked("open", error)
    return escaped("members of control groups were read") if any(found) else last
