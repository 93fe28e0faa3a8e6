"""Return at once, but never come to an end: exit handlers, finalizers and threads that wait.

origin: atexit and __del__
why: a worker that has answered must still be made to go
control: succeeds
harm: hangs
timeout: 0.5
"""

import atexit
import threading
import time


class Sticky:
    def __del__(self):
        time.sleep(20)


def attack(target):
    atexit.register(time.sleep, 20)
    threading.Thread(target=time.sleep, args=(20,)).start()
    os.sticky = Sticky()
    return nothing("the answer came; the end had to be made")
