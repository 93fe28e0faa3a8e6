"""Leave a variable in the environment, and a changed working directory.

origin: plain
why: both belong to the process, not to the job
control: succeeds
"""


def attack(target):
    os.environ["MAYFLY_TRACE"] = "left"
    libc.setenv(b"MAYFLY_TRACE_C", b"left", 1)
    return nothing("two variables were left")


def second(target):
    libc.getenv.restype = ctypes.c_char_p
    found = os.environ.get("MAYFLY_TRACE") or libc.getenv(b"MAYFLY_TRACE_C")
    return escaped("a variable is still there") if found else nothing("the next job has its own environment")
