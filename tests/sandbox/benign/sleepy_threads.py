"""A timer, a barrier, a condition and a daemon thread that is joined."""

import threading
import time

ARGUMENT = 3


def main(argument):
    log, condition = [], threading.Condition()
    barrier = threading.Barrier(argument)

    def meet(number):
        barrier.wait(5)
        with condition:
            log.append(number)
            condition.notify_all()

    threads = [threading.Thread(target=meet, args=(n,), daemon=True) for n in range(argument)]
    for thread in threads:
        thread.start()
    with condition:
        condition.wait_for(lambda: len(log) == argument, timeout=5)
    fired = threading.Event()
    timer = threading.Timer(0.005, fired.set)
    timer.start()
    result = {"met": sorted(log), "fired": fired.wait(5), "name": threading.current_thread() is threading.main_thread()}
    for thread in [*threads, timer]:
        thread.join(5)
    time.sleep(0)
    return result
