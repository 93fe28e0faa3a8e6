"""Register functions to be called when the process forks.

origin: os.register_at_fork, which cannot be undone
why: a zygote forks for every job
control: succeeds
"""


def attack(target):
    def mark():
        os.mayfly_forked = True

    os.register_at_fork(before=mark, after_in_child=mark)
    return nothing("a hook was registered")


def second(target):
    try:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    except OSError:
        pass
    return escaped("the hook ran") if getattr(os, "mayfly_forked", False) else nothing("the next job forks, or fails to, without our hook")
