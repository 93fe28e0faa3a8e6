"""Watch the host's directory for what others do in it.

origin: inotify needs no right that Landlock governs
why: names and times of the host's files are information
control: succeeds
"""


def attack(target):
    queue, error = syscall(target, "inotify_init1", 0)
    if queue < 0:
        return blocked("inotify_init1", error)
    result, error = syscall(target, "inotify_add_watch", queue, os.fsencode(target["stage"]), 0xFFF)
    return escaped("the host's directory is watched") if result >= 0 else blocked("inotify_add_watch", error)
