"""Start a worker with multiprocessing and a pseudo-terminal child with pty.

origin: the standard library's other ways to fork
why: they fork in C code and in Python code, each in its own place
control: succeeds
"""

def attack(target):
    last = nothing("neither module is here")
    try:
        import multiprocessing

        child = multiprocessing.get_context("fork").Process(target=int)
        child.start()
        child.join(5)
        if child.exitcode == 0:
            return escaped("a worker ran")
    except OSError as error:
        last = blocked("fork", error)
    except ImportError:
        pass
    try:
        import pty

        number, _ = pty.fork()
    except (OSError, ImportError) as error:
        return last if last["evidence"].startswith("EPERM") else blocked("pty.fork", error)
    if number == 0:
        os._exit(0)
    return escaped("a child with a terminal was made")
