"""Knock at the kernel interfaces that most local exploits go through.

origin: bpf (CVE-2021-3490), perf_event_open (CVE-2013-2094), modules, kexec, fanotify, keyrings
why: a call that fails with a bad address was let in; only a refusal is a wall
control: succeeds
"""


def attack(target):
    refused = {"EPERM", "ENOSYS", "EACCES"}
    for call, arguments in {
        "bpf": (0, 1, 120),
        "perf_event_open": (1, 0, -1, -1, 0),
        "init_module": (1, 0, 1),
        "finit_module": (-1, 1, 0),
        "kexec_load": (0, 99999, 0, 0),
        "modify_ldt": (99, 0, 0),
        "fanotify_init": (0xFFFFFFF, 0),
        "kcmp": (target["host"], target["host"], 99, 0, 0),
        "quotactl": (-1, 1, 0, 1),
        "landlock_create_ruleset": (1, 1, 0),
    }.items():
        result, error = syscall(target, call, *arguments)
        if result >= 0 or error not in refused:
            return escaped(f"{call} is reachable: {error or result}")
    return blocked(call, error)
