"""List the host's directories.

origin: plain
why: names alone tell which software and whose data a machine holds
control: succeeds
"""


def attack(target):
    last = nothing("nothing was listed")
    for folder in (target["stage"], "/etc", "/var", "/boot", "/proc"):
        try:
            if os.listdir(folder):
                return escaped(f"{folder} was listed")
        except OSError as error:
            last = blocked("open", error)
    return last
