"""Leave a thread running when the job returns.

origin: plain
why: it could wait for the next job and act inside it
control: succeeds
"""

import threading
import time


def attack(target):
    threading.Thread(target=time.sleep, args=(20,), name="mayfly-trace", daemon=True).start()
    return nothing("a thread was left")


def second(target):
    alive = any(thread.name == "mayfly-trace" for thread in threading.enumerate())
    return escaped("the thread is still running") if alive else nothing("the next job is alone")
