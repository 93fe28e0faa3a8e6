"""Leave a file wherever one can be written.

origin: plain
why: files outlive processes
control: succeeds
"""

PLACES = ("/tmp", "/var/tmp", "/dev/shm", ".", "~", "/run", "/")


def paths(target):
    name = f"mayfly-trace-{target['sha256'][:12]}"
    return [os.path.join(os.path.expanduser(place), name) for place in (target["stage"], *PLACES)]


def attack(target):
    left, error = 0, ""
    for path in paths(target):
        fd, problem = openat(target, path, os.O_CREAT | os.O_WRONLY, 0o666)
        error = problem or error
        left += fd >= 0
    return nothing(f"{left} files were left") if left else blocked("openat", error)


def second(target):
    found = [path for path in paths(target) if os.path.exists(path)]
    for path in found:
        os.unlink(path)
    return escaped(f"{found[0]} was still there") if found else nothing("the next job finds no file")
