"""Cancel the order to die with the parent, and turn other switches of the process.

origin: prctl has over sixty commands; PDEATHSIG is how supervisors clean up
why: a job that outlives its supervisor is out of control
control: succeeds
"""


def attack(target):
    error = ""
    for name, arguments in {
        "PR_SET_PDEATHSIG": (1, 0),
        "PR_SET_DUMPABLE": (4, 1),
        "PR_SET_CHILD_SUBREAPER": (36, 1),
        "PR_SET_PTRACER": (0x59616D61, -1),
        "PR_SET_TIMERSLACK": (29, 1),
    }.items():
        result, error = syscall(target, "prctl", *arguments, 0, 0, 0)
        if result == 0:
            return escaped(f"{name} was accepted")
    return blocked("prctl", error)
