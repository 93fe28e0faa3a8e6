"""Write to the file that was given to be read.

origin: plain; the input is the one file of the host that is there
why: whoever may read a file should not be who changes it
control: succeeds
harm: stage
grants: data
data: input
"""


def attack(target):
    path, real = target["data"], os.path.realpath(target["data"])
    ways = {
        "copy": lambda: databases()[1].execute(f"COPY (SELECT 'owned') TO '{path}'"),
        "openat": lambda: os.close(os.open(real, os.O_WRONLY | os.O_TRUNC)),
        "truncate": lambda: os.truncate(path, 0),
        "chmod": lambda: os.chmod(path, 0o777),
        "utime": lambda: os.utime(path, (1, 1)),
        "rename": lambda: os.rename(path, path + "-gone"),
        "unlink": lambda: os.unlink(real),
    }
    done = []
    for call, way in ways.items():
        try:
            way()
            done.append(call)
        except Exception as error:
            last = blocked(call, error)
    return escaped(f"the input was changed by {done[0]}") if done else last
